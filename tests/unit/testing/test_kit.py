"""The conformance kit lets right providers pass and finds what is wrong with wrong ones."""

from __future__ import annotations

from typing import Any

import pytest

from contentsvc.testing import CASES, Case, Dialect, Failed, cases_of, play
from tests.unit.testing.right import RIGHT, subject
from tests.unit.testing.wrong import WRONG, Wrong

BY_NAME = {case.name: case for case in CASES}


def label(value: Any) -> str | None:
    """A name for a test's parameter."""
    match value:
        case Case():
            return value.name
        case Wrong():
            return f"{value.case}: {value.words}"
        case Dialect():
            return type(value).__name__
    return None


def right_ones() -> list[tuple[Dialect, type[Any], Case]]:
    """Each provider with its cases; those that two dialects of one share are played once."""
    found = {
        (backend, case.name): (dialect, backend, case)
        for dialect, backend in RIGHT
        for case in cases_of(dialect)
    }
    return list(found.values())


@pytest.mark.parametrize(("dialect", "backend", "case"), right_ones(), ids=label)
def test_a_right_provider_passes(dialect: Dialect, backend: type[Any], case: Case) -> None:
    play(subject(dialect, backend), case)


@pytest.mark.parametrize("wrong", WRONG, ids=label)
def test_a_wrong_provider_fails_its_case(wrong: Wrong) -> None:
    with pytest.raises(Failed):
        play(subject(wrong.dialect, wrong.backend, wrong.check), BY_NAME[wrong.case])


@pytest.mark.nightly
@pytest.mark.parametrize("wrong", WRONG, ids=label)
def test_a_wrong_provider_fails_no_other_case(wrong: Wrong) -> None:
    failed = set()
    for case in cases_of(wrong.dialect):
        try:
            play(subject(wrong.dialect, wrong.backend, wrong.check), case)
        except Failed:
            failed.add(case.name)
    assert failed == {wrong.case}


def test_every_case_has_a_wrong_provider() -> None:
    assert {wrong.case for wrong in WRONG} == set(BY_NAME)
