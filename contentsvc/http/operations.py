"""What a view declares of itself, and what an upload is once it is received; plain values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from pydantic import BaseModel

from contentsvc.http.errors import ErrorCode
from contentsvc.http.permissions import Permission
from contentsvc.settings import Settings

Mark: TypeAlias = dict[str, str]
"""User, path, key and fingerprint of a call with an Idempotency-Key, as plain text."""


class Marked(Protocol):
    """A request's claim on its Idempotency-Key."""

    def mark(self) -> Mark:
        """What identifies this call, as JSON, for who files its reply later."""


@dataclass(frozen=True)
class UploadSpec:
    """What an upload route takes: text fields, and one file of at most ``max_bytes``."""

    fields: type[BaseModel]
    max_bytes: Callable[[Settings], int]


@dataclass(frozen=True)
class ReceivedUpload:
    """A received upload; the file is removed when the request ends.

    ``filename`` is the client's, without folders; ``sha256`` is of the file's bytes, hex.
    ``text`` holds the text fields as they were sent, ``fields`` the validated model.
    """

    fields: Any
    text: dict[str, str]
    path: Path
    filename: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, eq=False)
class Operation:
    """One method on one path."""

    method: str
    path: str
    permission: Permission
    summary: str
    description: str
    response: Any
    status: int
    other_statuses: tuple[int, ...]
    body: type[BaseModel] | None
    query: type[BaseModel] | None
    upload: UploadSpec | None
    subject: Callable[[Any], object] | None
    idempotent: bool
    rated: bool
    refusals: tuple[ErrorCode, ...]
    media_type: str
    service: str
    domain: str

    def __deepcopy__(self, _memo: object) -> Operation:
        return self  # Cornice copies view arguments; the document and the view share this one.
