"""``make bench``: print the figures of the README, measured on this machine."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from tools.bench import lists, orders, pictures, reservations, starting, uploads
from tools.bench.figures import Figure, table
from tools.bench.house import House, house

BENCHES: Final[dict[str, Callable[[House], Iterator[Figure]]]] = {
    "pictures": pictures.measure,
    "orders": orders.measure,
    "reservations": reservations.measure,
    "lists": lists.measure,
    "uploads": uploads.measure,
}
STARTING: Final = "starting"


def main() -> int:
    """Measure what is asked for, or everything; 0 when all of it could be measured."""
    known = [*BENCHES, STARTING]
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(known)}; all without")
    asked = parser.parse_args().names or known
    if strange := set(asked) - set(known):
        parser.error(f"there is no {', '.join(sorted(strange))}")
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="contentsvc-bench-") as folder:
        figures = list(_figures(asked, Path(folder)))
    print(f"{_machine()}, {time.monotonic() - started:.0f} s\n")
    print(table(figures))
    return 0


def _figures(asked: list[str], folder: Path) -> Iterator[Figure]:
    with house(folder) as running:
        for name, measure in BENCHES.items():
            if name in asked:
                _say(name)
                yield from measure(running)
    if STARTING in asked:
        _say(STARTING)
        yield from starting.measure(folder)


def _say(name: str) -> None:
    print(f"measuring {name} ...", file=sys.stderr, flush=True)


def _machine() -> str:
    system = f"{platform.system()} {platform.machine()}"
    return f"Python {platform.python_version()}, {system}, {os.cpu_count()} cores"


if __name__ == "__main__":
    raise SystemExit(main())
