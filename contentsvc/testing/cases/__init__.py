"""The cases: everything that can happen, each with what a backend has to do then."""

from __future__ import annotations

from typing import Final

from contentsvc.testing.cases.base import Case
from contentsvc.testing.cases.checks import CHECKS
from contentsvc.testing.cases.files import FILES
from contentsvc.testing.cases.orders import ORDERS
from contentsvc.testing.cases.polls import POLLS
from contentsvc.testing.cases.results import RESULTS, STREAMS
from contentsvc.testing.cases.words import WORDS
from contentsvc.testing.dialects import Dialect

CASES: Final = (*RESULTS, *STREAMS, *ORDERS, *POLLS, *FILES, *WORDS, *CHECKS)

__all__ = ["CASES", "Case", "cases_of"]


def cases_of(dialect: Dialect) -> list[Case]:
    """The cases that apply to a dialect."""
    return [case for case in CASES if case.applies(dialect)]
