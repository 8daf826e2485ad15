"""Password hashing: argon2id, the same work for nobody, renewed when parameters change."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from pyramid.config import Configurator
from pyramid.registry import Registry

from contentsvc.security import passwords
from contentsvc.security.passwords import Passwords, hash_password, is_outdated, verify_password
from contentsvc.settings import AuthSettings


class _Settings:
    def __init__(self, **auth: Any) -> None:
        self.auth = AuthSettings(**{"argon2_memory_kib": 8, "argon2_time_cost": 1, **auth})


def registry_with(**auth: Any) -> Registry:
    config = Configurator()
    config.registry["contentsvc.settings"] = _Settings(**auth)
    config.include(passwords)
    return config.registry


@pytest.fixture
def registry() -> Registry:
    return registry_with()


def test_hash_is_argon2id_with_the_settings_parameters() -> None:
    stored = hash_password(registry_with(argon2_memory_kib=64, argon2_time_cost=3), "correct horse")

    assert stored.startswith("$argon2id$v=19$m=64,t=3,p=1$")


def test_two_hashes_of_a_password_differ(registry: Registry) -> None:
    assert hash_password(registry, "correct horse") != hash_password(registry, "correct horse")


def test_right_password_verifies(registry: Registry) -> None:
    assert verify_password(registry, hash_password(registry, "pässwörd ✓"), "pässwörd ✓") is True


def test_wrong_password_does_not_verify(registry: Registry) -> None:
    assert verify_password(registry, hash_password(registry, "correct horse"), "Correct horse") is False


def test_a_damaged_hash_verifies_nothing(registry: Registry) -> None:
    assert verify_password(registry, "not a hash", "correct horse") is False


def test_nobody_has_no_password_at_all(registry: Registry) -> None:
    assert verify_password(registry, None, "the password of no account") is False


def test_nobody_costs_a_verification(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    verified: list[str] = []
    real = passwords.PasswordHasher.verify
    monkeypatch.setattr(
        passwords.PasswordHasher,
        "verify",
        lambda self, stored, given: (verified.append(stored), real(self, stored, given))[1],
    )

    verify_password(registry, None, "correct horse")

    assert [stored.split("$")[1:4] for stored in verified] == [["argon2id", "v=19", "m=8,t=1,p=1"]]


def test_hash_of_todays_parameters_is_not_outdated(registry: Registry) -> None:
    assert is_outdated(registry, hash_password(registry, "correct horse")) is False


def test_hash_of_other_parameters_is_outdated(registry: Registry) -> None:
    stored = hash_password(registry_with(argon2_time_cost=2), "correct horse")

    assert is_outdated(registry, stored) is True


def test_no_more_hashes_run_at_once_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    hasher = Passwords(_Settings(hash_concurrency=2).auth)
    gate, entered = threading.Event(), threading.Semaphore(0)
    running: list[int] = []
    lock = threading.Lock()

    def slow_hash(_self: Any, _password: str) -> str:
        with lock:
            running.append(running[-1] + 1 if running else 1)
        entered.release()
        gate.wait(10)
        with lock:
            running.append(running[-1] - 1)
        return "hash"

    monkeypatch.setattr(passwords.PasswordHasher, "hash", slow_hash)
    threads = [threading.Thread(target=hasher.hash, args=("correct horse",)) for _ in range(6)]
    for thread in threads:
        thread.start()
    assert entered.acquire(timeout=10)
    assert entered.acquire(timeout=10)
    gate.set()
    for thread in threads:
        thread.join(10)

    assert max(running) == 2
    assert running[-1] == 0
