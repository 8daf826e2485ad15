"""How long a start takes when the folder is there already."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from tools.bench.figures import Figure
from tools.bench.house import INI
from tools.demo.service import own_service


def measure(folder: Path) -> Iterator[Figure]:
    """Start the service again on a folder that a first start has left."""
    started = time.perf_counter()
    with own_service(INI, "log.level=warning", folder=folder):
        seconds = time.perf_counter() - started
    yield Figure(
        "Second start to ready",
        f"{seconds:.1f} s",
        "`contentsvc up`: PostgreSQL, migrations, web server, worker",
    )
