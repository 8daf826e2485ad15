"""Multipart uploads: one attempt, streamed to a temporary file, limits kept while reading."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from contentsvc.http.errors import ApiError, ErrorCode
from contentsvc.http.request import ApiRequest
from contentsvc.settings import Settings


@dataclass(frozen=True)
class UploadSpec:
    """What an upload route takes: text fields, and one file of at most ``max_bytes``."""

    fields: type[BaseModel]
    max_bytes: Callable[[Settings], int]


@dataclass(frozen=True)
class ReceivedUpload:
    """A received upload; the file is removed when the request ends.

    ``filename`` is the client's, without folders; ``sha256`` is of the file's bytes, hex.
    """

    fields: Any
    path: Path
    filename: str
    size_bytes: int
    sha256: str


def receive_upload(request: ApiRequest, spec: UploadSpec) -> ReceivedUpload:
    """Read a multipart body. Raises ApiError 415, 413, or FieldErrors on ``file``."""
    raise ApiError(ErrorCode.UNSUPPORTED_MEDIA_TYPE, "Send the file as multipart/form-data.")
