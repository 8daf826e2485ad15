"""Figures, and the table they are printed as."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One measured line: what, how much, and under which circumstances."""

    what: str
    value: str
    how: str


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least ``share`` (0 to 1) of the values don't exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def milliseconds(seconds: Sequence[float]) -> str:
    """Median and 95th percentile of some durations."""
    median, high = (percentile(seconds, share) * 1000 for share in (0.5, 0.95))
    return f"{median:.0f} / {high:.0f} ms"


def table(figures: Sequence[Figure]) -> str:
    """The figures as a Markdown table that reads well on a terminal, too."""
    rows = [("What", "Figure", "How"), *((f.what, f.value, f.how) for f in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |"

    return "\n".join([line(rows[0]), line(["-" * width for width in widths]), *map(line, rows[1:])])
