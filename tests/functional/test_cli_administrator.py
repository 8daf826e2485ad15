"""The first start makes the platform's administrator; further ones come from the command line."""

from __future__ import annotations

import io
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyramid.registry import Registry
from sqlalchemy import select

from contentsvc.cli import main
from contentsvc.cli.administrator import PASSWORD_FILE, PASSWORD_VARIABLE, first_administrator
from contentsvc.cli.ini import CommandError
from contentsvc.db.session import transaction_scope
from contentsvc.security.models import User
from contentsvc.security.passwords import verify_password

INI = Path(__file__).parents[2] / "development.ini"


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


# The command


@pytest.fixture
def run(
    app_settings: dict[str, str], registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., int]:
    """``run(action, *arguments, entered="")``: the command on the tests' database; its exit status."""
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    # The command's own logging would outlive the test.
    monkeypatch.setattr("contentsvc.http.logs.configure_logging", lambda _settings: None)

    def run(action: str, *arguments: str, entered: str = "") -> int:
        monkeypatch.setattr("sys.stdin", io.StringIO(entered))
        overrides = [f"{key}={value}" for key, value in app_settings.items()]
        return main(["admin", action, str(INI), *overrides, *arguments])

    return run


def test_the_command_makes_an_administrator_of_what_it_is_given(
    run: Callable[..., int], registry: Registry, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("create", "--username", "anna", entered="correct horse battery\n") == 0

    assert capsys.readouterr().out == "Administrator anna is made.\n"
    (admin,) = administrators(registry)
    assert (admin.username, admin.team_id) == ("anna", None)
    assert verify_password(registry, admin.password_hash, "correct horse battery")


def test_the_command_sets_a_password_and_removes_the_file_of_the_old_one(
    run: Callable[..., int],
    registry: Registry,
    password_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    first_administrator(registry)
    monkeypatch.setenv(PASSWORD_VARIABLE, "new horse battery")

    assert run("reset-password", entered="not this one\n") == 0

    told = capsys.readouterr().out
    assert "Administrator admin has a new password" in told
    assert "horse" not in told
    assert not password_file.exists()
    (admin,) = administrators(registry)
    assert verify_password(registry, admin.password_hash, "new horse battery")


@pytest.mark.parametrize(
    ("action", "entered", "status", "told"),
    [
        ("create", "", 2, "There is no password"),
        ("create", "hunter2\n", 1, "8 to 256 characters"),
        ("reset-password", "correct horse battery\n", 1, "no administrator admin"),
    ],
)
def test_the_command_says_why_it_does_nothing(
    run: Callable[..., int],
    registry: Registry,
    capsys: pytest.CaptureFixture[str],
    action: str,
    entered: str,
    status: int,
    told: str,
) -> None:
    assert run(action, entered=entered) == status

    said = capsys.readouterr().err
    assert told in said
    assert "hunter2" not in said
    assert administrators(registry) == []


def test_passwords_typed_at_a_terminal_must_be_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = iter(["correct horse battery", "correct horse batterie"])
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("getpass.getpass", lambda _prompt: next(typed))

    assert main(["admin", "create", str(INI)]) == 2
    assert capsys.readouterr().err == "These were two different passwords.\n"
