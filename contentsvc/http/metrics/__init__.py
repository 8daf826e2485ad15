"""``/api/metrics/``: figures for Prometheus, whichever process is asked.

Domains register what they know with ``config.add_metrics(name, function)``. Their figures
are read from the database at that moment, so they are the same in every process; only what
is labelled with a ``process`` is the answering process's own.
"""

from __future__ import annotations

from pyramid.config import Configurator

from contentsvc.http.metrics.families import Family, Kind, Sample, render
from contentsvc.http.metrics.measures import MEASURES, Measures, measures_of
from contentsvc.http.metrics.sources import SOURCES, Source, add_metrics
from contentsvc.http.metrics.views import metrics

__all__ = ["Family", "Kind", "Sample", "Source", "measures_of", "render"]


def includeme(config: Configurator) -> None:
    """The directive, the process's own measures, the route."""
    config.registry[MEASURES] = Measures()
    config.registry[SOURCES] = {}
    config.add_directive("add_metrics", add_metrics)
    config.add_cornice_service(metrics)
