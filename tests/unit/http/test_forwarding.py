"""Whose address counts behind proxies."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Any

import pytest

from contentsvc.http.forwarding import apply_forwarded, client_address

TRUSTED = (ip_network("10.0.0.0/8"), ip_network("fd00::/8"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("203.0.113.7", "", "203.0.113.7"),
        ("203.0.113.7", "6.6.6.6", "203.0.113.7"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.9", "198.51.100.9"),
        ("10.0.0.1", "6.6.6.6, 198.51.100.9, 10.2.3.4", "198.51.100.9"),
        ("10.0.0.1", "10.9.9.9", "10.9.9.9"),
        ("10.0.0.1", "198.51.100.9:4711", "198.51.100.9"),
        ("fd00::1", "[2001:db8::9]:443", "2001:db8::9"),
        ("10.0.0.1", "198.51.100.9, nonsense", "10.0.0.1"),
        ("::ffff:10.0.0.1", "198.51.100.9", "198.51.100.9"),
        ("", "198.51.100.9", ""),
    ],
)
def test_the_nearest_untrusted_address_counts(peer: str, forwarded: str, expected: str) -> None:
    environ: dict[str, Any] = {"REMOTE_ADDR": peer, "HTTP_X_FORWARDED_FOR": forwarded}
    assert client_address(environ, TRUSTED) == expected


def test_without_trusted_proxies_only_the_peer_counts() -> None:
    environ: dict[str, Any] = {"REMOTE_ADDR": "10.0.0.1", "HTTP_X_FORWARDED_FOR": "6.6.6.6"}
    assert client_address(environ, ()) == "10.0.0.1"


def _environ(peer: str) -> dict[str, Any]:
    return {
        "REMOTE_ADDR": peer,
        "HTTP_HOST": "inner:8080",
        "wsgi.url_scheme": "http",
        "HTTP_X_FORWARDED_PROTO": "https",
        "HTTP_X_FORWARDED_HOST": "evil.example, shop.example",
    }


def test_a_trusted_peers_last_word_names_scheme_and_host() -> None:
    environ = _environ("10.0.0.1")
    apply_forwarded(environ, TRUSTED)
    assert (environ["wsgi.url_scheme"], environ["HTTP_HOST"]) == ("https", "shop.example")


def test_a_strangers_word_changes_nothing() -> None:
    environ = _environ("203.0.113.7")
    apply_forwarded(environ, TRUSTED)
    assert (environ["wsgi.url_scheme"], environ["HTTP_HOST"]) == ("http", "inner:8080")


def test_an_unknown_scheme_is_ignored() -> None:
    environ = {**_environ("10.0.0.1"), "HTTP_X_FORWARDED_PROTO": "javascript"}
    apply_forwarded(environ, TRUSTED)
    assert environ["wsgi.url_scheme"] == "http"
