"""The pytest plugin: what tests of an author's own can ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from contentsvc.testing.dialects import Dialect
from contentsvc.testing.stage import Stage, staged
from contentsvc.testing.subjects import Declared, Subject


@pytest.fixture
def stage_of() -> Iterator[Callable[[Any, Dialect], Stage]]:
    """``stage_of(plugin, dialect)``: a stage as the cases have it, closed after the test."""
    with ExitStack() as stages:

        def make(plugin: Any, dialect: Dialect) -> Stage:
            return stages.enter_context(staged(Subject(Declared.of(plugin), dialect)))

        yield make
