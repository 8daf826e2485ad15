"""Passwords: argon2id with the ini's parameters, a few at a time."""

from __future__ import annotations

from threading import BoundedSemaphore
from typing import Final, cast

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import Type
from pyramid.config import Configurator
from pyramid.registry import Registry

from contentsvc.settings import AuthSettings, Settings

_KEY: Final = "contentsvc.passwords"


class Passwords:
    """Hashes and verifies. At most ``auth.hash_concurrency`` run at once in a process: each
    takes ``auth.argon2_memory_kib`` of memory, and logins must not starve everything else."""

    def __init__(self, settings: AuthSettings) -> None:
        self._hasher = PasswordHasher(
            time_cost=settings.argon2_time_cost,
            memory_cost=settings.argon2_memory_kib,
            parallelism=1,
            type=Type.ID,
        )
        self._slots = BoundedSemaphore(settings.hash_concurrency)
        self._nobodys = self._hasher.hash("the password of no account")

    def hash(self, password: str) -> str:
        """The encoded hash to store, with salt and parameters in it."""
        with self._slots:
            return self._hasher.hash(password)

    def verify(self, stored: str | None, password: str) -> bool:
        """Whether the password is the stored one. Without a stored one the same work is done
        in vain, so that the time taken tells nobody which accounts exist."""
        with self._slots:
            try:
                matches = self._hasher.verify(stored or self._nobodys, password)
            except (VerificationError, InvalidHashError):
                return False
        return matches and stored is not None

    def outdated(self, stored: str) -> bool:
        """Whether a hash was made with other parameters than the ini's of today."""
        return self._hasher.check_needs_rehash(stored)


def _passwords(registry: Registry) -> Passwords:
    return cast("Passwords", registry[_KEY])


def hash_password(registry: Registry, password: str) -> str:
    """The hash of a new password, to be stored. Slow by design: call it without a transaction."""
    return _passwords(registry).hash(password)


def verify_password(registry: Registry, stored_hash: str | None, password: str) -> bool:
    """Whether ``password`` belongs to the hash; None (no such account) costs the same and is False."""
    return _passwords(registry).verify(stored_hash, password)


def is_outdated(registry: Registry, stored_hash: str) -> bool:
    """Whether the hash should be made anew at the next chance, because the parameters changed."""
    return _passwords(registry).outdated(stored_hash)


def includeme(config: Configurator) -> None:
    """The hasher, on the registry."""
    settings: Settings = config.registry["contentsvc.settings"]
    config.registry[_KEY] = Passwords(settings.auth)
