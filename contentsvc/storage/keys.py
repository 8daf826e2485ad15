"""Names of stored files: made here, never by a client."""

from __future__ import annotations

import re
import secrets

_KEY = re.compile(r"[0-9a-f]{32}", re.ASCII)


def new_key() -> str:
    """A fresh key of 128 random bits; hex, so that any file system can tell two apart."""
    return secrets.token_hex(16)


def is_key(text: str) -> bool:
    """Whether ``text`` has the form of our keys (and so names no path)."""
    return _KEY.fullmatch(text) is not None


def checked_key(key: str) -> str:
    """``key`` itself. Raises ValueError for anything that :func:`new_key` can't have made."""
    if not is_key(key):
        raise ValueError("not a storage key")
    return key
