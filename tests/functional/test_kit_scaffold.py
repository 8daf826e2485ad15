"""``contentsvc plugins new``: what it writes works at once."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from contentsvc.cli import main
from contentsvc.cli.plugins_new import CAPABILITIES, PARTS
from contentsvc.plugin import Capability
from contentsvc.testing import Declared, Subject, cases_of, play


def new(folder: Path, name: str, *capabilities: str) -> Path:
    assert main(["plugins", "new", name, "--capability", ",".join(capabilities), "--into", str(folder)]) == 0
    return folder / f"contentsvc-{name}"


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """``imported(*capabilities)``: a new plugin of these, and the dialects of its example server."""

    def make(*capabilities: str) -> tuple[Any, tuple[Any, ...]]:
        folder = new(tmp_path, "acme", *capabilities)
        for path in (folder, folder / "tests"):
            monkeypatch.syspath_prepend(str(path))
        for name in [
            name for name in sys.modules if name.split(".")[0] in ("contentsvc_acme", "example_server")
        ]:
            monkeypatch.delitem(sys.modules, name)
        plugin = importlib.import_module("contentsvc_acme")
        return plugin, importlib.import_module("example_server").DIALECTS

    return make


def test_every_capability_can_be_asked_for() -> None:
    assert sorted(CAPABILITIES) == sorted(capability.value for capability in Capability)
    assert len({part.module for part in PARTS}) == len(PARTS)


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_a_plugin_of_one_capability_declares_it_and_does_it(imported: Any, capability: str) -> None:
    plugin, dialects = imported(capability)
    declared = Declared.of(plugin)
    [dialect] = dialects
    assert [model.capability for model in declared.models] == [Capability(capability)]
    for case in cases_of(dialect):
        if case.name in ("success", "order-401", "order-cut-taken"):
            play(Subject(declared, dialect), case)


@pytest.mark.parametrize(
    "capabilities",
    [("speech",), pytest.param(CAPABILITIES, marks=pytest.mark.nightly)],
    ids=["one", "all"],
)
def test_its_own_tests_pass(tmp_path: Path, capabilities: tuple[str, ...]) -> None:
    folder = new(tmp_path, "acme-next", *capabilities)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout


def test_what_it_writes_is_in_order(tmp_path: Path) -> None:
    folder = new(tmp_path, "acme", *CAPABILITIES)
    options = ["--isolated", "--line-length", "110"]
    for check in (["check", "--select", "E,F,I,B,UP,SIM,RUF"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *check, *options, "--no-cache", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["Acme", "--capability", "speech"], "is no name for a plugin"),
        (["../acme", "--capability", "speech"], "is no name for a plugin"),
        (["acme", "--capability", "singing"], "There is no capability 'singing'"),
        (["acme"], "--capability is missing"),
        ([], "needs one name"),
    ],
    ids=["capitals", "a path", "no such capability", "no capability", "no name"],
)
def test_what_cannot_be_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert main(["plugins", "new", *arguments, "--into", str(tmp_path)]) == 2
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_exists_stays_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = new(tmp_path, "acme", "speech")
    before = sorted(path.name for path in folder.rglob("*"))
    assert main(["plugins", "new", "acme", "--capability", "script", "--into", str(tmp_path)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert sorted(path.name for path in folder.rglob("*")) == before
