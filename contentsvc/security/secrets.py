"""Secrets at rest: encrypted with the ini's keys, or with a key file for development."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final, cast

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from pyramid.registry import Registry

from contentsvc.settings import SecretSettings, Settings, SettingsError

_BOX: Final = "contentsvc.secret_box"


class SecretUnreadable(Exception):
    """None of the configured keys opens this secret: its key was removed, or the bytes are damaged."""


class SecretBox:
    """Encrypts with the first key and decrypts with any (Fernet: AES-CBC with an HMAC).

    To change keys: put the new one in front, run ``contentsvc migrate`` (which encrypts
    what is stored anew), then remove the old one.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        """``keys`` are 32 random bytes each, in URL-safe base64; ValueError for anything else."""
        fernets = [Fernet(key) for key in keys]
        self._newest = fernets[0]
        self._all = MultiFernet(fernets)

    def __repr__(self) -> str:
        return "<SecretBox>"

    def encrypt(self, text: str) -> bytes:
        """``text`` under the first key; another result every time."""
        return self._all.encrypt(text.encode())

    def decrypt(self, secret: bytes) -> str:
        """What :meth:`encrypt` was given. Raises SecretUnreadable."""
        try:
            return self._all.decrypt(secret).decode()
        except InvalidToken:
            raise SecretUnreadable("no configured key opens this secret") from None

    def rotate(self, secret: bytes) -> bytes:
        """The same text under the first key. Raises SecretUnreadable."""
        try:
            return self._all.rotate(secret)
        except InvalidToken:
            raise SecretUnreadable("no configured key opens this secret") from None

    def is_current(self, secret: bytes) -> bool:
        """Whether the first key opens it, so that :meth:`rotate` has nothing to do."""
        try:
            self._newest.decrypt(secret)
        except InvalidToken:
            return False
        return True


def secret_box_of(registry: Registry) -> SecretBox:
    """The application's box. Makes the key file at the first use, where one is named.

    Raises SettingsError when the key file can't be made, read or understood.
    """
    if _BOX not in registry:
        settings: Settings = registry["contentsvc.settings"]
        registry[_BOX] = SecretBox(_keys(settings.secrets))
    return cast(SecretBox, registry[_BOX])


def _keys(settings: SecretSettings) -> tuple[str, ...]:
    """The ini's keys first; a key file beside them still decrypts what it once encrypted."""
    path = settings.key_file
    if path is None or (settings.keys and not path.exists()):
        return settings.keys
    try:
        keys = settings.keys + _read_or_make(path)
        SecretBox(keys)
    except OSError as error:
        raise SettingsError([f"secrets.key_file: {error.strerror or 'it cannot be used'}"]) from None
    except (ValueError, IndexError):
        raise SettingsError(
            ["secrets.key_file: each of its lines must be 32 random bytes in URL-safe base64"]
        ) from None
    return keys


def _read_or_make(path: Path) -> tuple[str, ...]:
    if not path.exists():
        _make(path)
    return tuple(path.read_text(encoding="ascii").split())


def _make(path: Path) -> None:
    """Write a new key whole and readable by its owner only; of two processes one wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # mkstemp makes the file 0600; a hard link appears at once, complete, or not at all.
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(Fernet.generate_key() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            return
    finally:
        draft.unlink()
