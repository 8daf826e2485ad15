"""Keys for secrets at rest: rotation, and the key file of development."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cryptography.fernet import Fernet

from contentsvc.security.secrets import SecretBox, SecretUnreadable, secret_box_of
from contentsvc.settings import SecretSettings, SettingsError

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()


def box_of(**settings: Any) -> SecretBox:
    registry: Any = {"contentsvc.settings": SimpleNamespace(secrets=SecretSettings(**settings))}
    return secret_box_of(registry)


def test_a_secret_comes_back() -> None:
    box = SecretBox([NEW])
    assert box.decrypt(box.encrypt("sk-ünïcode")) == "sk-ünïcode"


def test_the_stored_bytes_do_not_show_the_secret() -> None:
    assert b"canary" not in SecretBox([NEW]).encrypt("canary")


def test_a_new_key_in_front_still_opens_old_secrets() -> None:
    secret = SecretBox([OLD]).encrypt("sk-1")
    assert SecretBox([NEW, OLD]).decrypt(secret) == "sk-1"


def test_a_rotated_secret_needs_the_old_key_no_more() -> None:
    box = SecretBox([NEW, OLD])
    secret = SecretBox([OLD]).encrypt("sk-1")
    assert not box.is_current(secret)
    assert SecretBox([NEW]).decrypt(box.rotate(secret)) == "sk-1"


def test_a_secret_of_a_removed_key_is_unreadable() -> None:
    with pytest.raises(SecretUnreadable):
        SecretBox([NEW]).decrypt(SecretBox([OLD]).encrypt("sk-1"))


def test_the_box_does_not_show_its_keys() -> None:
    assert NEW not in repr(SecretBox([NEW]))


def test_the_key_file_is_made_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "new" / "key"
    box_of(key_file=path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_making_the_key_file_leaves_nothing_else_behind(tmp_path: Path) -> None:
    box_of(key_file=tmp_path / "key")
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_the_key_file_serves_the_next_start(tmp_path: Path) -> None:
    secret = box_of(key_file=tmp_path / "key").encrypt("sk-1")
    assert box_of(key_file=tmp_path / "key").decrypt(secret) == "sk-1"


def test_starts_at_the_same_moment_agree_on_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        boxes = list(pool.map(lambda _: box_of(key_file=tmp_path / "key"), range(8)))
    secret = boxes[0].encrypt("sk-1")
    assert {box.decrypt(secret) for box in boxes} == {"sk-1"}


def test_keys_of_the_ini_encrypt_and_the_key_file_still_decrypts(tmp_path: Path) -> None:
    secret = box_of(key_file=tmp_path / "key").encrypt("sk-1")
    both = box_of(keys=NEW, key_file=tmp_path / "key")
    assert both.decrypt(secret) == "sk-1"
    assert SecretBox([NEW]).decrypt(both.encrypt("sk-2")) == "sk-2"


def test_no_key_file_is_made_beside_keys_of_the_ini(tmp_path: Path) -> None:
    box_of(keys=NEW, key_file=tmp_path / "key")
    assert not (tmp_path / "key").exists()


@pytest.mark.parametrize("content", ["", "not a key\n", "ключ\n"])
def test_a_damaged_key_file_stops_the_start(tmp_path: Path, content: str) -> None:
    (tmp_path / "key").write_text(content, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"secrets\.key_file"):
        box_of(key_file=tmp_path / "key")
