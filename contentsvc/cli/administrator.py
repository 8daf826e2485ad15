"""The platform's first administrator, and where his password is kept."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Final

from pyramid.registry import Registry

from contentsvc.accounts.administrators import ensure_administrator
from contentsvc.cli.ini import CommandError
from contentsvc.db.session import transaction_scope
from contentsvc.settings import Settings

USERNAME: Final = "admin"
PASSWORD_VARIABLE: Final = "CONTENTSVC_ADMIN_PASSWORD"  # noqa: S105 - the variable's name
PASSWORD_FILE: Final = "admin-password"  # noqa: S105 - the file's name


def first_administrator(registry: Registry) -> str | None:
    """Make ``admin`` where the platform has no administrator; what to tell the user then.

    The password is CONTENTSVC_ADMIN_PASSWORD, or a random one that goes into
    ``<var_dir>/admin-password`` (mode 0600). Raises CommandError for a password against
    the rules.
    """
    settings: Settings = registry["contentsvc.settings"]
    given = os.environ.get(PASSWORD_VARIABLE)
    password = given or secrets.token_urlsafe(16)
    try:
        with transaction_scope(registry) as session:
            if not ensure_administrator(session, registry, USERNAME, password):
                return None
            if given:
                return f"Administrator {USERNAME} has the password of {PASSWORD_VARIABLE}."
            # Within the transaction: no administrator without a known password.
            path = _write_password(settings.var_dir / PASSWORD_FILE, password)
    except ValueError as error:
        raise CommandError(f"The administrator can't be made: {error}") from None
    return f"Administrator {USERNAME}, password {password} (kept in {path})"


def forget_password(registry: Registry, username: str) -> Path | None:
    """Remove the file that keeps the first administrator's password, when he has another one; its path."""
    settings: Settings = registry["contentsvc.settings"]
    path = settings.var_dir / PASSWORD_FILE
    if username != USERNAME or not path.exists():
        return None
    path.unlink()
    return path


def _write_password(path: Path, password: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(password + "\n")
    return path
