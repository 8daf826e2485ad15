"""Each test here gives a key away in one place; ``test_canary.py`` runs them, nobody else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from contentsvc.db.session import engine_of
from contentsvc.testing import Reply, serving
from tests.canary import Listening, key_of
from tests.system.installation import Installation, installed
from tests.system.processes import command

KEY = key_of("a-leak")


def in_a_log(service: Installation) -> None:
    (service.folder / "log").write_text(f"calling with {KEY}\n", encoding="utf-8")


def in_a_row(service: Installation) -> None:
    with engine_of(service.registry).begin() as connection:
        connection.execute(text("UPDATE provider SET display_name = :key"), {"key": KEY})


def in_a_title(service: Installation) -> None:
    words = [sys.executable, "-c", "input()", f"--key={KEY}"]
    service.processes.append(subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True))


def nowhere(_service: Installation) -> None:
    pass


@pytest.mark.parametrize("leak", [nowhere, in_a_log, in_a_row, in_a_title], ids=lambda leak: leak.__name__)
def test_of_a_service(postgres_url: str, tmp_path: Path, leak: Callable[[Installation], None]) -> None:
    with installed(postgres_url, tmp_path) as service:
        leak(service)


def test_in_a_reply() -> None:
    reply = Reply(200, KEY.encode())
    with serving(lambda _request: reply) as server, Listening(trust_env=False) as client:
        client.get(server.url)


def test_in_a_header_of_a_stream() -> None:
    reply = Reply(200, b"", {"X-Key": KEY})
    with (
        serving(lambda _request: reply) as server,
        Listening(trust_env=False) as client,
        client.stream("GET", server.url),
    ):
        pass


def test_in_what_a_command_prints(tmp_path: Path) -> None:
    with command(KEY, log=tmp_path / "log") as process:
        process.wait()
