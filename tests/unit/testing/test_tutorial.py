"""The tutorial's code is the example's, which passes the kit."""

from __future__ import annotations

import importlib.util
import re
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from contentsvc.providers.loading import load
from contentsvc.providers.plugins import GROUP
from contentsvc.settings import PluginSettings
from tests.unit.pages import ROOT, blocks, read

EXAMPLE = ROOT / "examples" / "contentsvc-lumen"
TUTORIAL = ROOT / "docs" / "plugins" / "tutorial.md"
FILES = [EXAMPLE / "contentsvc_lumen.py", EXAMPLE / "setup.py", EXAMPLE / "tests" / "test_conformance.py"]


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def test_its_blocks_are_the_files_in_their_order() -> None:
    shown = [line for block in blocks(TUTORIAL, "python") for line in lines(block)]
    assert shown == [line for file in FILES for line in lines(read(file))]


def test_its_provider_is_short() -> None:
    assert len(read(FILES[0]).splitlines()) < 150


def test_its_plugin_is_loaded(install_plugin: Any) -> None:
    install_plugin("contentsvc_lumen", Path(FILES[0]).read_text(encoding="utf-8"), "lumen = contentsvc_lumen")
    found = [entry for entry in entry_points(group=GROUP) if entry.name == "lumen"]
    plugins = load(PluginSettings(), found)
    assert plugins.problems == []
    assert [model.name for model in plugins.models] == ["lumen-2", "lumen-voice"]


def test_the_number_of_tests_it_shows_is_the_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    spec = importlib.util.spec_from_file_location("lumen_conformance", FILES[2])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    [mark] = module.test_conformance.pytestmark
    shown = re.search(r"^(\d+) passed", read(TUTORIAL), re.MULTILINE)
    assert shown is not None
    assert int(shown[1]) == len(mark.args[1])
