"""Guesses at secrets from one place: failures are counted, and too many end the guessing."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from pyramid.registry import Registry

from contentsvc.http.throttling import FailureThrottle
from contentsvc.security.passwords import verify_password
from contentsvc.settings import AuthSettings, Settings


@dataclass(frozen=True)
class Visitor:
    """Where a call without an identity comes from."""

    address: str
    user_agent: str


@dataclass(frozen=True)
class Guesses:
    """Failures of one kind from one place."""

    registry: Registry
    bucket: str
    limit: int

    def check(self) -> None:
        """Raise ApiError RATE_LIMITED after too many failures, whatever is guessed now."""
        FailureThrottle(self.registry).check(self.bucket, self.limit)

    def failed(self) -> None:
        """Count a failure; it stays counted when the request is refused."""
        FailureThrottle(self.registry).record(self.bucket)

    def password_matches(self, stored: str | None, password: str) -> bool:
        """Whether the guess is right (None: there is no such account). Slow, and without a
        transaction. Raises ApiError RATE_LIMITED."""
        self.check()
        if not verify_password(self.registry, stored, password):
            self.failed()
            return False
        # Guesses sent at the same moment all pass the first check.
        self.check()
        return True


def password_guesses(registry: Registry, username: str, address: str) -> Guesses:
    """Passwords tried for a username, existing or not, from an address."""
    # Digested: a username can be of any length here, and is sometimes a mistyped password.
    name = hashlib.sha256(username.lower().encode()).hexdigest()
    return Guesses(registry, f"password:{name}:{address}", _limits(registry).password_failures)


def code_guesses(registry: Registry, address: str) -> Guesses:
    """Invitation codes tried from an address."""
    return Guesses(registry, f"invite:{address}", _limits(registry).invite_failures)


def _limits(registry: Registry) -> AuthSettings:
    settings: Settings = registry["contentsvc.settings"]
    return settings.auth
