"""Where plugins may connect to, and an HTTP transport that keeps to it.

A name is resolved once, right before the connection is made, and the connection goes to
the address that was looked at: a name that answers something else the next time gains
nothing. One address that may not be reached spoils them all.
"""

from __future__ import annotations

import functools
import ipaddress
import math
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Final, TypeAlias, cast

import httpcore
import httpx
import structlog
from pyramid.registry import Registry

from contentsvc.settings import Settings

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolve: TypeAlias = Callable[[str, int], Sequence[str]]

_GATEWAY: Final = "contentsvc.provider_gateway"
NOT_ALLOWED: Final = "This address may not be called."
SIZE: Final = "contentsvc.max_bytes"
"""Extension of a request: most bytes of its reply."""

ERROR_BYTES: Final = 256 * 1024
"""Of an error's body: what went wrong stands at its beginning, and SDKs read all of it at once."""

# What `is_global` says differs between versions of Python, and it lets multicast, NAT64 and
# 6to4 pass: the last two carry an IPv4 address that nobody has looked at.
_REFUSED_V4: Final = tuple(
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
# All that is handed out to the public lies in the first; outside are loopback, link-local,
# unique local, multicast, NAT64 and the forms that hold an IPv4 address.
_PUBLIC_V6: Final = ipaddress.IPv6Network("2000::/3")
_REFUSED_V6: Final = tuple(
    ipaddress.IPv6Network(network)
    for network in ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
)

log = structlog.get_logger(__name__)


class AddressRefused(httpx.ConnectError):
    """The policy forbids this address; nothing was sent. The message names no address."""


class ReplyTooLarge(httpx.ReadError):
    """More came than a reply may hold; the rest was not read."""


class _Refused(httpcore.ConnectError):
    """The same below httpx."""


def _look_up(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


@dataclass(frozen=True, slots=True)
class OutboundPolicy:
    """Which addresses may be connected to: public ones, and what the ini allows on top."""

    allowed: tuple[Network, ...] = ()
    resolve: Resolve = field(default=_look_up, repr=False)

    def allows(self, address: str) -> bool:
        """Whether this IP address may be connected to."""
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return False
        if any(parsed.version == network.version and parsed in network for network in self.allowed):
            return True
        if isinstance(parsed, ipaddress.IPv4Address):
            return not any(parsed in network for network in _REFUSED_V4)
        return parsed in _PUBLIC_V6 and not any(parsed in network for network in _REFUSED_V6)

    def addresses(self, host: str, port: int) -> Sequence[str]:
        """Every address of a host. Raises AddressRefused unless all of them are allowed, OSError
        for a name that nobody knows."""
        try:
            found = self.resolve(host, port)
        except UnicodeError as error:
            raise OSError("not a host name") from error
        if not found or not all(self.allows(address) for address in found):
            log.warning("outbound_refused", host=host, addresses=list(found))
            raise AddressRefused(NOT_ALLOWED)
        return found

    def may_name(self, url: str) -> bool:
        """Whether a URL can be called, as far as that can be told without asking anybody."""
        try:
            self.check(httpx.URL(url))
        except (httpx.InvalidURL, AddressRefused):
            return False
        return True

    def check(self, url: httpx.URL) -> None:
        """Raise AddressRefused for what can be seen to be forbidden without asking anybody.

        Another scheme than http and https, credentials in the URL, and addresses that are
        written out, in any of the forms that the system's resolver takes.
        """
        if url.scheme not in ("http", "https") or url.userinfo or not url.host:
            raise AddressRefused(NOT_ALLOWED)
        try:
            found = socket.getaddrinfo(url.host, None, flags=socket.AI_NUMERICHOST)
        except (OSError, UnicodeError):
            return  # a name
        if not all(self.allows(str(address[0])) for *_, address in found):
            raise AddressRefused(NOT_ALLOWED)


@dataclass(slots=True)
class Limits:
    """What one reply may take: seconds in all, bytes."""

    seconds: float
    max_bytes: int
    ends: float = math.inf

    def begin(self) -> None:
        """A request goes out now."""
        self.ends = time.monotonic() + self.seconds

    def left(self, timeout: float | None) -> float:
        """How long one step may take. Raises httpcore.ReadTimeout where the time is over."""
        remaining = self.ends - time.monotonic()
        if remaining <= 0:
            raise httpcore.ReadTimeout("The reply took too long as a whole.")
        return remaining if timeout is None else min(timeout, remaining)


class _Network(httpcore.NetworkBackend):
    """Connects to addresses the policy allows; socket files are what the base class refuses."""

    def __init__(self, policy: OutboundPolicy, limits: Limits) -> None:
        self._policy = policy
        self._limits = limits
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        try:
            addresses = self._policy.addresses(host, port)
        except AddressRefused as error:
            raise _Refused(NOT_ALLOWED) from error
        except OSError as error:
            raise httpcore.ConnectError("The host name can't be resolved.") from error
        began = time.monotonic()
        for address in addresses[:-1]:
            try:
                return self._connect(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if timeout is not None:
                    # One time-out for all of them: a host may have many addresses that don't answer.
                    timeout = max(0.1, timeout - (time.monotonic() - began))
        return self._connect(addresses[-1], port, timeout, local_address, socket_options)

    def _connect(self, address: str, port: int, *arguments: Any) -> httpcore.NetworkStream:
        return _Stream(self._sockets.connect_tcp(address, port, *arguments), self._limits)


class _Stream(httpcore.NetworkStream):
    """A connection on which all of a reply has to come within its time, not only each piece."""

    def __init__(self, stream: httpcore.NetworkStream, limits: Limits) -> None:
        self._stream = stream
        self._limits = limits

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._limits.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._limits.left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, timeout), self._limits)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class OutboundTransport(httpx.BaseTransport):
    """Carries the requests of one call, one at a time; see :class:`OutboundPolicy`.

    Raises httpx's transport errors, AddressRefused and ReplyTooLarge among them.
    """

    def __init__(self, policy: OutboundPolicy, tls: ssl.SSLContext, limits: Limits) -> None:
        self._policy = policy
        self._limits = limits
        self._pool = httpcore.ConnectionPool(ssl_context=tls, network_backend=_Network(policy, limits))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send it and read the head of its reply."""
        self._policy.check(request.url)
        self._limits.begin()
        sent = httpcore.Request(
            method=request.method,
            url=httpcore.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        try:
            reply = self._pool.handle_request(sent)
        except Exception as error:
            raise _translated(error, request) from error
        if any(name.lower() == b"content-encoding" and value != b"identity" for name, value in reply.headers):
            reply.close()
            # Asked for plain; a few kilobytes could unfold to gigabytes.
            raise httpx.RemoteProtocolError("The reply is compressed.", request=request)
        return httpx.Response(
            status_code=reply.status,
            headers=reply.headers,
            stream=_Body(reply, request, request.extensions.get(SIZE, self._limits.max_bytes)),
            extensions=reply.extensions,
        )

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    """A reply's body, up to so many bytes. An error's ends where it has too many."""

    def __init__(self, reply: httpcore.Response, request: httpx.Request, max_bytes: int) -> None:
        self._reply = reply
        self._request = request
        self._is_error = reply.status >= httpx.codes.BAD_REQUEST
        self._most = min(max_bytes, ERROR_BYTES) if self._is_error else max_bytes

    def __iter__(self) -> Iterator[bytes]:
        read = 0
        pieces = iter(cast("Iterable[bytes]", self._reply.stream))
        while True:
            try:
                piece = next(pieces)
            except StopIteration:
                return
            except Exception as error:
                raise _translated(error, self._request) from error
            read += len(piece)
            if read > self._most:
                if not self._is_error:
                    raise ReplyTooLarge("The reply is too large.", request=self._request)
                yield piece[: self._most - read]
                return
            yield piece

    def close(self) -> None:
        self._reply.close()


class Gateway:
    """What the calls of a process share: the policy, the certificates it trusts, what a reply may take."""

    def __init__(self, policy: OutboundPolicy, reply_seconds: float, reply_max_bytes: int) -> None:
        self.policy = policy
        self._seconds = reply_seconds
        self._max_bytes = reply_max_bytes
        self._tls: ssl.SSLContext | None = None

    def client(self, read_seconds: float, **options: Any) -> httpx.Client:
        """A client that keeps to the policy; ``options`` are those of httpx.Client."""
        limits = Limits(self._seconds, self._max_bytes)
        return httpx.Client(
            transport=OutboundTransport(self.policy, self._certificates(), limits),
            timeout=httpx.Timeout(read_seconds, connect=10.0, pool=10.0),
            follow_redirects=False,
            trust_env=False,
            headers={"User-Agent": _user_agent(), "Accept-Encoding": "identity"},
            **options,
        )

    def _certificates(self) -> ssl.SSLContext:
        """Half a megabyte and some 30 ms, so one for all calls, made when it is needed."""
        if self._tls is None:
            self._tls = httpx.create_ssl_context(trust_env=False)
        return self._tls


def install_gateway(registry: Registry) -> None:
    """Make the process's gateway from the ini; once, at configuration."""
    settings: Settings = registry["contentsvc.settings"]
    providers = settings.providers
    policy = OutboundPolicy(providers.allowed_networks)
    registry[_GATEWAY] = Gateway(policy, providers.reply_seconds, providers.reply_max_bytes)


def gateway_of(registry: Registry) -> Gateway:
    """The process's gateway."""
    return cast("Gateway", registry[_GATEWAY])


@functools.cache
def _user_agent() -> str:
    return f"contentsvc/{version('contentsvc')}"


def _translated(error: Exception, request: httpx.Request) -> Exception:
    """httpx's exception for one of httpcore, which has the same names."""
    if isinstance(error, _Refused):
        return AddressRefused(NOT_ALLOWED, request=request)
    for known in type(error).__mro__:
        same = getattr(httpx, known.__name__, None)
        if known.__module__.startswith("httpcore") and isinstance(same, type):
            return cast("Exception", same(str(error), request=request))
    return error
