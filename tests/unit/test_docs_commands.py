"""The commands that the pages name are those there are."""

from __future__ import annotations

import argparse
import re

from contentsvc.cli import parser
from tests.unit.pages import PAGES, README, ROOT, read

_TARGET = re.compile(r"^([a-z]+):.*## (.+)$", re.MULTILINE)


def _targets() -> set[str]:
    return {name for name, _ in _TARGET.findall(read(ROOT / "Makefile"))}


def _subcommands() -> set[str]:
    [choices] = [action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)]
    return set(choices.choices)


def test_the_readme_has_a_row_for_every_make_target() -> None:
    rows = set(re.findall(r"^\| `make ([a-z]+)`", read(README), re.MULTILINE))
    assert rows == _targets()


def test_every_make_command_of_the_pages_is_a_target() -> None:
    named = {
        name for page in PAGES for name in re.findall(r"(?:^|`)make ([a-z]+)\b", read(page), re.MULTILINE)
    }
    assert named - _targets() == set()


def test_every_target_of_the_makefile_says_what_it_does() -> None:
    phony = re.search(r"^\.PHONY: (.+)$", read(ROOT / "Makefile"), re.MULTILINE)
    assert phony is not None
    assert set(phony[1].split()) == _targets()


def test_the_readme_has_a_row_for_every_subcommand() -> None:
    rows = set(re.findall(r"^\| `contentsvc ([a-z-]+)", read(README), re.MULTILINE))
    assert rows == _subcommands()


def test_every_subcommand_that_the_pages_name_exists() -> None:
    pattern = r"(?:`|bin/|= )contentsvc ([a-z-]+)"
    named = {name for page in PAGES for name in re.findall(pattern, read(page), re.MULTILINE)}
    assert named - _subcommands() == set()
