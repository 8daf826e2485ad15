"""Pictures on their way to the provider, and the names of files on their way back."""

from __future__ import annotations

import base64
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from contentsvc.plugin import MediaRef, ProviderError

_MIB = 1024 * 1024
_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".gif", ".mp4", ".webm", ".mov"})


def data_uri(media: MediaRef, max_bytes: int) -> str:
    """The picture itself as an address. Raises ProviderError for one of more bytes."""
    if media.size_bytes > max_bytes:
        raise ProviderError(f"A picture is too large for this provider: at most {max_bytes / _MIB:g} MiB.")
    with media.open() as stream:
        data = stream.read(max_bytes)
    return f"data:{media.media_type};base64,{base64.b64encode(data).decode()}"


def link_or_data(media: MediaRef, max_bytes: int) -> str:
    """The picture's public address, or the picture itself where it has none."""
    return media.public_url or data_uri(media, max_bytes)


def file_name(stem: str, link: str, default: str) -> str:
    """A plain file name with the ending of a link, as far as that is one of a picture or clip."""
    try:
        suffix = PurePosixPath(urlsplit(link).path).suffix.lower()
    except ValueError:
        suffix = ""
    return f"{stem}{suffix if suffix in _SUFFIXES else default}"
