"""The first start makes the platform's administrator, later ones don't."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyramid.registry import Registry
from sqlalchemy import select

from contentsvc.cli.administrator import PASSWORD_FILE, PASSWORD_VARIABLE, first_administrator
from contentsvc.cli.ini import CommandError
from contentsvc.db.session import transaction_scope
from contentsvc.security.models import User
from contentsvc.security.passwords import verify_password


@pytest.fixture
def password_file(registry: Registry) -> Iterator[Path]:
    path: Path = registry["contentsvc.settings"].var_dir / PASSWORD_FILE
    path.unlink(missing_ok=True)
    yield path
    path.unlink(missing_ok=True)


def administrators(registry: Registry) -> list[User]:
    with transaction_scope(registry) as session:
        return list(session.scalars(select(User).where(User.is_platform_admin)))


def test_a_random_password_is_told_and_kept_for_its_owner(registry: Registry, password_file: Path) -> None:
    told = first_administrator(registry)
    password = password_file.read_text(encoding="utf-8").strip()
    assert told == f"Administrator admin, password {password} (kept in {password_file})"
    assert stat.S_IMODE(password_file.stat().st_mode) == 0o600
    (admin,) = administrators(registry)
    assert admin.username == "admin"
    assert verify_password(registry, admin.password_hash, password)


def test_a_given_password_is_used_and_written_nowhere(
    registry: Registry, password_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, "correct horse battery")
    told = first_administrator(registry)
    assert told is not None
    assert "correct horse" not in told
    assert not password_file.exists()
    (admin,) = administrators(registry)
    assert verify_password(registry, admin.password_hash, "correct horse battery")


def test_a_later_start_makes_nobody(registry: Registry, password_file: Path) -> None:
    first_administrator(registry)
    kept = password_file.read_text(encoding="utf-8")
    assert first_administrator(registry) is None
    assert password_file.read_text(encoding="utf-8") == kept
    assert len(administrators(registry)) == 1


def test_a_password_against_the_rules_ends_the_command(
    registry: Registry, password_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, "123")
    with pytest.raises(CommandError) as refused:
        first_administrator(registry)
    assert "password" in str(refused.value)
    assert "123" not in str(refused.value)
    assert administrators(registry) == []
    assert not password_file.exists()
