"""Figures in Prometheus' text format, version 0.0.4."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Final

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
PREFIX: Final = "contentsvc_"

_ESCAPES: Final = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})


class Kind(StrEnum):
    """What can be done with the figures."""

    GAUGE = "gauge"
    COUNTER = "counter"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Sample:
    """One figure. ``suffix`` joins the family's name: ``_bucket`` of a histogram."""

    value: float | Decimal
    labels: Mapping[str, str] = field(default_factory=dict)
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Family:
    """Figures of one name, without the prefix ``contentsvc_``; ``text`` says what they count."""

    name: str
    kind: Kind
    text: str
    samples: Sequence[Sample]


def render(families: Iterable[Family]) -> str:
    """The reply's body: every family with its help and type."""
    return "".join(f"{line}\n" for family in families for line in _lines(family))


def _lines(family: Family) -> Iterator[str]:
    name = PREFIX + family.name
    yield f"# HELP {name} {family.text}"
    yield f"# TYPE {name} {family.kind}"
    for sample in family.samples:
        labels = ",".join(f'{key}="{value.translate(_ESCAPES)}"' for key, value in sample.labels.items())
        yield f"{name}{sample.suffix}{{{labels}}} {sample.value}" if labels else f"{name} {sample.value}"
