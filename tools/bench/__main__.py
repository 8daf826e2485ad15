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

from tools.bench import exports, lists, orders, pictures, polls, reservations, starting, streams, uploads
from tools.bench.figures import Figure, table
from tools.bench.house import House, house

# Uploads first: memory that a server has needed before would hide what it needs now.
BENCHES: Final[dict[str, Callable[[House], Iterator[Figure]]]] = {
    "uploads": uploads.measure,
    "pictures": pictures.measure,
    "orders": orders.measure,
    "reservations": reservations.measure,
    "lists": lists.measure,
    "exports": exports.measure,
}
# These start a service themselves; the second start needs what the house has left.
ALONE: Final[dict[str, Callable[[Path], Iterator[Figure]]]] = {
    "starting": starting.measure,
    "streams": streams.measure,
    "polls": polls.measure,
}
README: Final = Path(__file__).resolve().parents[2] / "README.md"
# What stands between these two in the README is the last measurement.
BEGIN, END = "<!-- figures -->\n", "<!-- end of figures -->"


def main() -> int:
    """Measure what is asked for, or everything; 0 when all of it could be measured."""
    known = [*BENCHES, *ALONE]
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(known)}; all without")
    parser.add_argument("--write", action="store_true", help="put the table into README.md")
    arguments = parser.parse_args()
    asked = arguments.names or known
    if arguments.write and arguments.names:
        parser.error("--write goes with all figures")
    if strange := set(asked) - set(known):
        parser.error(f"there is no {', '.join(sorted(strange))}")
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="contentsvc-bench-") as folder:
        figures = list(_figures(asked, Path(folder)))
    print(f"{_machine()}, {time.monotonic() - started:.0f} s\n")
    print(table(figures))
    if arguments.write:
        _write(table(figures))
    return 0


def _write(figures: str) -> None:
    before, _, rest = README.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    README.write_text(f"{before}{BEGIN}{figures}\n{END}{after}", encoding="utf-8")


def _figures(asked: list[str], folder: Path) -> Iterator[Figure]:
    with house(folder) as running:
        for name, measure in BENCHES.items():
            if name in asked:
                _say(name)
                yield from measure(running)
    for name, measure_alone in ALONE.items():
        if name in asked:
            _say(name)
            yield from measure_alone(folder)


def _say(name: str) -> None:
    print(f"measuring {name} ...", file=sys.stderr, flush=True)


def _machine() -> str:
    system = f"{platform.system()} {platform.machine()}"
    return f"Python {platform.python_version()}, {system}, {os.cpu_count()} cores"


if __name__ == "__main__":
    raise SystemExit(main())
