"""Links between the pages lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.pages import PAGES, anchors, name_of, prose

_LINK = re.compile(r"\]\(([^)\s]+)\)|<img [^>]*src=\"([^\"]+)\"")
_OUTSIDE = ("http://", "https://", "mailto:")


def _links(page: Path) -> list[str]:
    found = [first or second for first, second in _LINK.findall(prose(page))]
    return [link for link in found if not link.startswith(_OUTSIDE)]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_relative_links_name_files_that_exist(page: Path) -> None:
    targets = [page.parent / link.partition("#")[0] for link in _links(page) if not link.startswith("#")]
    assert [str(target) for target in targets if not target.exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_to_headings_name_headings_that_exist(page: Path) -> None:
    broken = []
    for link in _links(page):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if anchor and anchor not in anchors(target):
            broken.append(link)
    assert broken == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [PAGES[[name_of(page) for page in PAGES].index("README.md")]]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        linked = {(page.parent / link.partition("#")[0]).resolve() for link in _links(page)}
        waiting += [target for target in linked if target.suffix == ".md" and target not in reached]
    documentation = {page for page in PAGES if not name_of(page).startswith("tests/")}
    assert {name_of(page) for page in documentation - reached} == set()
