"""The command line itself."""

from __future__ import annotations

import subprocess
import sys

import pytest

from contentsvc.cli import COMMANDS, main, parser
from contentsvc.cli.ini import CommandError
from contentsvc.cli.worker import _queues
from contentsvc.jobs.models import Queue

NAMES = ["up", "serve", "worker", "migrate", "admin", "doctor", "plugins", "settings", "new-key"]


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert [name for name in NAMES if f"\n    {name} " in shown] == NAMES
    assert len(COMMANDS) == len(NAMES)


@pytest.mark.parametrize(
    "words", [[name] for name in NAMES] + [["admin", "create"], ["admin", "reset-password"]]
)
def test_every_command_teaches_by_example(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parser().parse_args([*words, "--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    command = " ".join(["contentsvc", *words])
    assert [line for line in shown.splitlines() if line.startswith("  ") and command in line]
    assert max(map(len, shown.splitlines())) <= 110


def test_an_unknown_command_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["destroy"])
    assert ended.value.code == 2
    assert "destroy" in capsys.readouterr().err


def test_a_worker_serves_all_queues_unless_told() -> None:
    assert _queues("") == list(Queue)
    assert _queues("poll, generate") == [Queue.POLL, Queue.GENERATE]
    with pytest.raises(CommandError, match="the queues are generate, poll, export"):
        _queues("paint")


def test_the_web_servers_master_imports_nothing_that_a_reload_replaces() -> None:
    script = (
        "import sys, contentsvc.cli.server, contentsvc.cli.serve, contentsvc.cli as cli; cli.parser();"
        "print(sorted(m for m in sys.modules if m.startswith('contentsvc.')"
        " and not m.startswith('contentsvc.cli')), 'pyramid' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] False"


def test_plugins_are_listed_without_an_ini(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plugins"]) == 0
    assert "contentsvc-studio" in capsys.readouterr().out


def test_sync_needs_to_know_the_ini(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plugins", "sync"]) == 2
    assert "INI" in capsys.readouterr().err


@pytest.mark.parametrize("action", ["create", "reset-password"])
def test_making_administrators_is_taught_by_example(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["admin", action, "--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert f"contentsvc admin {action} production.ini" in shown
    assert "CONTENTSVC_ADMIN_PASSWORD" in shown
