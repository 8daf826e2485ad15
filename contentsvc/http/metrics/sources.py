"""Who has figures to tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

import structlog
from pyramid.config import Configurator
from pyramid.registry import Registry

from contentsvc.http.metrics.families import Family, Kind, Sample

SOURCES: Final = "contentsvc.metrics"

Source: TypeAlias = Callable[[Registry], Iterable[Family]]

log = structlog.get_logger(__name__)


def add_metrics(config: Configurator, name: str, function: Source) -> None:
    """``config.add_metrics(name, function)``: figures of a domain.

    ``function(registry)`` reads them, in a short transaction of its own; what it costs must
    not grow with the history. One that raises is told of as ``contentsvc_source_up`` 0.
    """
    config.action(("metrics", name), lambda: config.registry[SOURCES].__setitem__(name, function))


def read_sources(registry: Registry) -> list[Family]:
    """The figures of every source, and which of them could be read."""
    families: list[Family] = []
    up: list[Sample] = []
    for name, function in sorted(registry[SOURCES].items()):
        try:
            found = list(function(registry))
        except Exception:
            log.warning("metrics_unreadable", source=name, exc_info=True)
            up.append(Sample(0, {"source": name}))
        else:
            families += found
            up.append(Sample(1, {"source": name}))
    return [Family("source_up", Kind.GAUGE, "Whether these figures could be read.", up), *families]
