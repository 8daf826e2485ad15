"""Who the client is behind the proxies that the ini trusts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_ADDRESS = "contentsvc.client_address"
_SCHEMES = frozenset({"http", "https"})


def client_address(environ: MutableMapping[str, Any], trusted: Iterable[Network]) -> str:
    """The address of the client: the peer's, or the nearest untrusted one it forwards for.

    ``X-Forwarded-For`` is read from its right end, and only as long as every hop is in
    ``trusted``; so a client can't choose its own address.
    """
    known = environ.get(_ADDRESS)
    if known is None:
        known = environ[_ADDRESS] = _nearest_untrusted(environ, tuple(trusted))
    return str(known)


def apply_forwarded(environ: MutableMapping[str, Any], trusted: Iterable[Network]) -> None:
    """Take scheme and host from the forwarded headers of a trusted peer."""
    if not is_trusted(environ.get("REMOTE_ADDR", ""), trusted):
        return
    scheme = _last(environ, "HTTP_X_FORWARDED_PROTO").lower()
    if scheme in _SCHEMES:
        environ["wsgi.url_scheme"] = scheme
    if host := _last(environ, "HTTP_X_FORWARDED_HOST"):
        environ["HTTP_HOST"] = host


def is_trusted(text: str, trusted: Iterable[Network]) -> bool:
    """Whether an address lies in one of the networks."""
    address = _parsed(text)
    return address is not None and any(
        address in network for network in trusted if network.version == address.version
    )


def _nearest_untrusted(environ: Mapping[str, Any], trusted: tuple[Network, ...]) -> str:
    address = _plain(environ.get("REMOTE_ADDR", ""))
    hops = [hop.strip() for hop in environ.get("HTTP_X_FORWARDED_FOR", "").split(",")]
    while hops and is_trusted(address, trusted):
        hop = _parsed(_without_port(hops.pop()))
        if hop is None:
            break
        address = str(hop)
    return address


def _last(environ: Mapping[str, Any], name: str) -> str:
    return str(environ.get(name, "")).rpartition(",")[2].strip()


def _parsed(text: str) -> Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    # A dual-stack socket shows IPv4 peers as ::ffff:a.b.c.d.
    return getattr(address, "ipv4_mapped", None) or address


def _plain(text: str) -> str:
    address = _parsed(text)
    return text if address is None else str(address)


def _without_port(text: str) -> str:
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text
