"""The pictures of an order as Google takes them: their bytes, written into the request."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import Final

from contentsvc.plugin import MediaRef, ProviderError
from contentsvc_google.failures import UNREADABLE

KINDS: Final = frozenset({"image/png", "image/jpeg", "image/webp"})
MOST_BYTES: Final = 14_000_000
"""Of all pictures of an order together: a request has at most 20 MB, and base64 adds a third."""


class Pictures:
    """Reads pictures, and watches how much goes into one request."""

    def __init__(self) -> None:
        self._left = MOST_BYTES

    def read(self, media: MediaRef) -> bytes:
        """A picture. Raises ProviderError for what Google doesn't take."""
        if media.media_type not in KINDS:
            raise ProviderError("Google takes PNG, JPEG and WebP pictures only.")
        self._left -= media.size_bytes
        if self._left < 0:
            raise ProviderError("The pictures of this order are too large for Google.")
        with media.open() as stream:
            return stream.read()


def save(written: str, path: Path) -> Path:
    """Write a file that came in base64. Raises ProviderError where it is none."""
    try:
        data = base64.b64decode(written, validate=True)
    except (binascii.Error, ValueError):
        raise ProviderError(UNREADABLE) from None
    path.write_bytes(data)
    return path
