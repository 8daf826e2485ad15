"""The architecture's pages and pictures show the packages and files there are."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.unit.pages import PAGES, ROOT, blocks, name_of, prose, read

ARCHITECTURE = ROOT / "docs" / "architecture.md"
PACKAGE = ROOT / "contentsvc"
PICTURES = sorted((ROOT / "docs" / "images").glob("*.svg"))


def _layers() -> list[list[str]]:
    contracts = tomllib.loads(read(ROOT / "pyproject.toml"))["tool"]["importlinter"]["contracts"]
    layers = contracts[0]["layers"]
    return [[name.strip().removeprefix("contentsvc.") for name in layer.split("|")] for layer in layers]


def _texts(picture: str) -> list[str]:
    tree = ET.fromstring(read(ROOT / "docs" / "images" / picture))
    return [element.text or "" for element in tree.iter("{http://www.w3.org/2000/svg}text")]


def test_every_package_is_described() -> None:
    packages = {folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").exists()}
    described = set(re.findall(r"^\| `contentsvc\.(\w+)`", read(ARCHITECTURE), re.MULTILINE))
    assert packages - described == set()


def test_every_module_beside_the_packages_is_described() -> None:
    modules = {file.stem for file in PACKAGE.glob("*.py") if not file.stem.startswith("_")}
    described = set(re.findall(r"`(?:contentsvc\.)?(\w+)(?:\.py)?`", prose(ARCHITECTURE)))
    assert modules - described == set()


def test_the_picture_of_the_layers_shows_those_that_are_checked() -> None:
    layers = [sorted(layer) for layer in _layers()]
    known = {name for layer in layers for name in layer}
    drawn = [sorted(name.strip() for name in text.split("·")) for text in _texts("layers.svg")]
    assert [names for names in drawn if known.issuperset(names)] == layers


def test_the_picture_of_a_task_shows_every_status() -> None:
    from contentsvc.generation.models import TaskStatus

    assert {status.value for status in TaskStatus} <= set(_texts("task-states.svg"))


@pytest.mark.parametrize("picture", PICTURES, ids=name_of)
def test_a_picture_says_in_words_what_it_shows(picture: Path) -> None:
    tree = ET.fromstring(read(picture))
    svg = "{http://www.w3.org/2000/svg}"
    assert tree.findtext(f"{svg}title")
    assert tree.findtext(f"{svg}desc")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_that_a_page_names_exist(page: Path) -> None:
    roots = ("contentsvc/", "tests/", "tools/", "docs/", "plugins/", "alembic/")
    named = re.findall(r"`([\w./-]+\.(?:py|md|ini|toml|png))`", prose(page))
    assert [path for path in named if path.startswith(roots) and not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_examples_in_python_are_valid(page: Path) -> None:
    for number, code in enumerate(blocks(page, "python"), 1):
        compile(code, f"{name_of(page)} block {number}", "exec")


def test_log_events_that_operators_should_watch_exist() -> None:
    page = read(ROOT / "docs" / "operations.md")
    paragraph = next(text for text in page.split("\n\n") if text.startswith("Worth an alert"))
    events = set(re.findall(r"`([a-z]+_[a-z_]+)`", paragraph))
    code = "\n".join(read(file) for file in PACKAGE.rglob("*.py"))
    assert events
    assert {event for event in events if f'"{event}"' not in code} == set()
