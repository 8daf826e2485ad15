"""Every decision has its three parts, its number, and its place in the list."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.pages import ROOT, name_of, read

FOLDER = ROOT / "docs" / "decisions"
DECISIONS = sorted(FOLDER.glob("[0-9]*.md"))


@pytest.mark.parametrize("page", DECISIONS, ids=name_of)
def test_a_decision_has_context_decision_and_consequences(page: Path) -> None:
    parts = re.findall(r"^## (.+)\n\n(\S)", read(page), re.MULTILINE)
    assert [title for title, _ in parts] == ["Context", "Decision", "Consequences"]


@pytest.mark.parametrize("page", DECISIONS, ids=name_of)
def test_a_decisions_title_carries_the_number_of_its_file(page: Path) -> None:
    assert read(page).startswith(f"# {page.name[:4]}: ")


def test_decisions_are_numbered_without_gaps() -> None:
    assert [int(page.name[:4]) for page in DECISIONS] == list(range(1, len(DECISIONS) + 1))


def test_the_list_has_every_decision() -> None:
    listed = re.findall(r"\]\((\d{4}-[a-z0-9-]+\.md)\)", read(FOLDER / "README.md"))
    assert listed == [page.name for page in DECISIONS]
