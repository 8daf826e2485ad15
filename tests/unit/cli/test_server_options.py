"""``[server:main]``: what the web server takes from it."""

from __future__ import annotations

import socket

import pytest

from contentsvc.cli import server
from contentsvc.cli.ini import CommandError
from contentsvc.cli.server import require_free_port, server_options


def test_an_empty_section_has_defaults() -> None:
    options = server_options({})
    assert (options["host"], options["port"], options["threads"]) == ("127.0.0.1", 6543, 300)


def test_numbers_are_read_and_texts_kept() -> None:
    options = server_options({"workers": "4", "host": "::1", "forwarded_allow_ips": "10.0.0.1"})
    assert (options["workers"], options["host"], options["forwarded_allow_ips"]) == (4, "::1", "10.0.0.1")


def test_all_faults_come_together() -> None:
    with pytest.raises(CommandError) as refused:
        server_options({"thread": "4", "workers": "many"})
    assert str(refused.value).splitlines()[1:] == [
        "  - thread: unknown",
        "  - workers: a whole number is needed",
    ]


@pytest.mark.parametrize("port", ["0", "65536"])
def test_a_port_out_of_range_is_refused(port: str) -> None:
    with pytest.raises(CommandError, match="from 1 to 65535"):
        server_options({"port": port})


def test_a_taken_port_is_told_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_PORT_PATIENCE_SECONDS", 0.0)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CommandError, match=rf"Port {port} on 127\.0\.0\.1 .* port={port + 1}") as refused:
            require_free_port("127.0.0.1", port)
    assert refused.value.status == 1
    require_free_port("127.0.0.1", port)
