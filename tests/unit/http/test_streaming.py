"""Open streams: their number, and whether their client is still there."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from contentsvc.http import ApiError
from contentsvc.http.streaming import OpenStreams, Peer


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        server, _ = listener.accept()
    with client, server:
        yield client, server


def test_no_more_streams_than_there_are_places() -> None:
    streams = OpenStreams()
    streams.limit = 2
    streams.enter()
    streams.enter()
    with pytest.raises(ApiError) as refused:
        streams.enter()
    assert (refused.value.status, refused.value.retry_after) == (503, 5)


def test_a_freed_place_is_taken_again() -> None:
    streams = OpenStreams()
    streams.limit = 1
    streams.enter().free()
    streams.enter()


def test_a_place_is_freed_once() -> None:
    streams = OpenStreams()
    streams.limit = 1
    place = streams.enter()
    place.free()
    place.free()
    streams.enter()
    with pytest.raises(ApiError):
        streams.enter()


def test_without_a_limit_there_are_always_places() -> None:
    streams = OpenStreams()
    for _ in range(1000):
        streams.enter()


def test_a_server_that_stops_has_no_place() -> None:
    streams = OpenStreams()
    streams.draining = True
    with pytest.raises(ApiError):
        streams.enter()


def test_without_a_socket_nothing_is_known() -> None:
    assert not Peer({}).is_gone()


def test_a_silent_client_is_there(ends: tuple[socket.socket, socket.socket]) -> None:
    _, server = ends
    assert not Peer({"gunicorn.socket": server}).is_gone()


def test_a_client_that_closes_is_gone(ends: tuple[socket.socket, socket.socket]) -> None:
    client, server = ends
    peer = Peer({"gunicorn.socket": server})
    client.close()
    assert peer.is_gone()


def test_looking_takes_nothing_of_the_next_request(ends: tuple[socket.socket, socket.socket]) -> None:
    client, server = ends
    client.sendall(b"GET")
    assert not Peer({"gunicorn.socket": server}).is_gone()
    assert server.recv(3) == b"GET"


def test_a_closed_socket_is_gone(ends: tuple[socket.socket, socket.socket]) -> None:
    _, server = ends
    peer = Peer({"gunicorn.socket": server})
    server.close()
    assert peer.is_gone()


def test_a_client_without_power_is_noticed_in_the_end(ends: tuple[socket.socket, socket.socket]) -> None:
    _, server = ends
    Peer({"gunicorn.socket": server})
    assert server.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
    assert server.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 20_000


def test_the_next_request_has_all_the_time_it_needs(ends: tuple[socket.socket, socket.socket]) -> None:
    _, server = ends
    Peer({"gunicorn.socket": server}).forget()
    assert server.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 0
    assert server.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 0
