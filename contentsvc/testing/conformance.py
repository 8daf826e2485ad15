"""The cases as tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from contentsvc.testing.cases import Case, cases_of
from contentsvc.testing.dialects import Dialect
from contentsvc.testing.stage import Failed, staged
from contentsvc.testing.subjects import Declared, Subject


def conformance(plugin: Any, *dialects: Dialect) -> Callable[..., None]:
    """A test of a plugin: one case each for everything that can happen to each of its capabilities.

    ``plugin`` is what the entry point names. Assign the result to a name that pytest collects::

        test_conformance = conformance(contentsvc_acme, Pictures(), Voices())

    Every capability needs a dialect; an :class:`~contentsvc.testing.Offline` one where the
    backend talks to nobody.
    """
    declared = Declared.of(plugin)
    subjects = [Subject(declared, dialect) for dialect in dialects]
    parameters = [
        pytest.param(subject, case, id=f"{subject.dialect.name}-{case.name}")
        for subject in subjects
        for case in cases_of(subject.dialect)
    ]
    parameters.append(pytest.param(subjects, None, id="every-capability"))

    def test_conformance(subject: Any, case: Case | None) -> None:
        if case is None:
            every_capability(declared, subject)
        else:
            play(subject, case)

    test: Callable[..., None] = pytest.mark.parametrize(("subject", "case"), parameters)(test_conformance)
    return test


def play(subject: Subject, case: Case) -> None:
    """Play one case; raises Failed, with the case's promise and what came instead."""
    with staged(subject) as stage:
        try:
            case.play(stage)
        except Failed as failure:
            raise Failed(f"{case.promise}\n\n{failure}") from None


def every_capability(declared: Declared, subjects: list[Subject]) -> None:
    """Raise Failed for what the plugin backs and no dialect describes."""
    described = {(subject.driver.name, subject.dialect.capability) for subject in subjects}
    backed = {
        (driver.name, capability)
        for driver in declared.drivers.values()
        for capability in driver.capabilities
    }
    if missing := sorted(f"{driver}/{capability}" for driver, capability in backed - described):
        raise Failed(f"no dialect describes {', '.join(missing)}")
