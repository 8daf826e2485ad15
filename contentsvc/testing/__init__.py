"""The conformance kit: what a provider plugin has to get right, as tests that are ready to run.

An author describes once how his provider speaks (a :class:`Dialect` for each capability), and
gets a test for everything that can happen between the two::

    import contentsvc_acme
    from contentsvc.testing import conformance

    test_conformance = conformance(contentsvc_acme, Pictures(), Voices())

With ``pytest_plugins = ["contentsvc.testing"]`` the author's own tests get the fixture
``stage_of``. ``docs/plugins/testing.md`` tells the rest. The kit needs pytest, and nothing that runs
elsewhere: the provider is an HTTP server of its own.
"""

from __future__ import annotations

from contentsvc.testing.calling import Caller, Outcome
from contentsvc.testing.cases import CASES, Case, cases_of
from contentsvc.testing.conformance import conformance, play
from contentsvc.testing.dialects import Dialect, Made, Offline
from contentsvc.testing.example import ExampleProvider, serve_example
from contentsvc.testing.fixtures import stage_of
from contentsvc.testing.samples import SampleMedia, sample_order, sample_result
from contentsvc.testing.server import ProviderServer, serving
from contentsvc.testing.stage import Failed, Stage, staged
from contentsvc.testing.subjects import Declared, Subject
from contentsvc.testing.wire import Cut, Kind, Reply, Request

__all__ = [
    "CASES",
    "Caller",
    "Case",
    "Cut",
    "Declared",
    "Dialect",
    "ExampleProvider",
    "Failed",
    "Kind",
    "Made",
    "Offline",
    "Outcome",
    "ProviderServer",
    "Reply",
    "Request",
    "SampleMedia",
    "Stage",
    "Subject",
    "cases_of",
    "conformance",
    "play",
    "sample_order",
    "sample_result",
    "serve_example",
    "serving",
    "stage_of",
    "staged",
]
