"""What a refused request still sends."""

from __future__ import annotations

import io
import socket
from collections.abc import Iterator

import pytest

from contentsvc.http import draining
from contentsvc.http.draining import drain


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(30)
        yield ours, theirs


class Broken(io.BytesIO):
    def read(self, _size: int | None = -1) -> bytes:
        raise RuntimeError("a malformed chunk")


def test_a_body_is_read_to_its_end(ends: tuple[socket.socket, socket.socket]) -> None:
    body = io.BytesIO(b"x" * 1_000_000)
    drain(body, ends[0])
    assert body.tell() == 1_000_000


def test_no_more_is_read_than_the_limit(
    ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draining, "MOST_BYTES", 100_000)
    body = io.BytesIO(b"x" * 1_000_000)
    drain(body, ends[0])
    assert body.tell() == 100_000


def test_a_client_that_sends_nothing_is_not_waited_for_long(
    ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draining, "MOST_SECONDS", 0.05)
    ours, theirs = ends
    drain(ours.makefile("rb", buffering=0), ours)
    assert ours.gettimeout() == 30
    assert theirs.send(b"still there") == 11


def test_a_body_that_can_not_be_read_is_let_go(ends: tuple[socket.socket, socket.socket]) -> None:
    drain(Broken(), ends[0])
    assert ends[0].gettimeout() == 30
