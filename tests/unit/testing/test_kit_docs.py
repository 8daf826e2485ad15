"""The page on testing says what the kit has."""

from __future__ import annotations

import re

from contentsvc.testing import CASES, Dialect
from tests.unit.pages import ROOT, read

PAGE = read(ROOT / "docs" / "plugins" / "testing.md")


def test_every_case_is_listed_with_its_promise() -> None:
    cases = PAGE.partition("## The cases")[2]
    listed = re.findall(r"^\| `([a-z0-9-]+)` \| (.+) \|$", cases, re.MULTILINE)
    assert listed == [(case.name, case.promise) for case in CASES]


def test_every_member_of_a_dialect_is_explained() -> None:
    table = PAGE.partition("## What a dialect says")[2].partition("`made` is the work")[0]
    rows = "".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))
    explained = set(re.findall(r"`(\w+)[`(]", rows))
    members = {name for name in vars(Dialect) if not name.startswith("_")} | {"capability"}
    assert explained == members - {"name"}
