"""What goes over the wire: a request that came in, a reply that goes out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit


class Kind(StrEnum):
    """What a request to the provider is."""

    ORDER = "order"
    """Asks for work that is paid for."""

    POLL = "poll"
    """Asks after a job."""

    FILE = "file"
    """Fetches a result."""

    ASIDE = "aside"
    """Anything else, such as an upload before the order."""


class Cut(StrEnum):
    """When the connection breaks, once the request was read."""

    BEFORE = "before"
    """Before the reply."""

    INSIDE = "inside"
    """After half of the reply."""


@dataclass(frozen=True)
class Request:
    """A request as it came in. ``target`` is path and query, ``base`` the address of the server."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes
    base: str
    kind: Kind = Kind.ASIDE

    @property
    def path(self) -> str:
        """The target without its query."""
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        """The query's members; of those that come twice the last."""
        return {name: values[-1] for name, values in parse_qs(urlsplit(self.target).query).items()}

    def json(self) -> Any:
        """The body, read as JSON."""
        return json.loads(self.body)

    def says(self, text: str) -> bool:
        """Whether a text is anywhere in it."""
        return (
            text in self.target
            or any(text in value for value in self.headers.values())
            or text.encode() in self.body
        )


@dataclass(frozen=True)
class Reply:
    """What a request gets.

    ``pieces`` are sent one by one, ``pause`` seconds apart, instead of ``body``. ``delay`` is in
    seconds. ``hangs``: no reply at all, or after its pieces no end. ``endless``: what is said is said
    again and again.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: Sequence[bytes] = ()
    pause: float = 0.0
    delay: float = 0.0
    cut: Cut | None = None
    hangs: bool = False
    endless: bool = False

    @classmethod
    def json(cls, document: Any, status: int = 200, **headers: str) -> Self:
        """A JSON document; NaN goes out as it is, as careless providers send it."""
        return cls(status, _dumped(document), {"Content-Type": "application/json", **headers})

    @classmethod
    def file(cls, body: bytes, media_type: str, status: int = 200, **headers: str) -> Self:
        """A file, or any other body."""
        return cls(status, body, {"Content-Type": media_type, **headers})

    @classmethod
    def stream(cls, pieces: Sequence[bytes], media_type: str = "text/event-stream") -> Self:
        """A reply that comes piece by piece."""
        return cls(headers={"Content-Type": media_type}, pieces=tuple(pieces))

    @classmethod
    def lines(cls, *documents: Any) -> Self:
        """JSON documents, one a line, that come one by one."""
        return cls.stream([_dumped(document) + b"\n" for document in documents], "application/x-ndjson")

    @classmethod
    def events(cls, *documents: Any, end: bytes = b"data: [DONE]\n\n") -> Self:
        """JSON documents as server-sent events, and what comes after them."""
        return cls.stream([*(b"data: " + _dumped(document) + b"\n\n" for document in documents), end])

    @property
    def said(self) -> bytes:
        """All that is sent of it."""
        return b"".join(self.pieces) or self.body

    def but(self, **changes: Any) -> Self:
        """The same with other members."""
        return replace(self, **changes)


def _dumped(document: Any) -> bytes:
    return json.dumps(document).encode()
