"""Reading an ini file and the overrides of a command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from contentsvc.cli.ini import CommandError, Ini, read_ini

INI = """\
[DEFAULT]
var_dir = %(here)s/var
port = 6543

[app:main]
use = egg:contentsvc
database.url = embedded
queue.backend = postgres
storage.root = %(var_dir)s/media
secrets.key_file = %(var_dir)s/secret-key
accounts.invitation_days = 3

[server:main]
threads = 100
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "service.ini"
    path.write_text(INI, encoding="utf-8")
    return path


def read(path: Path, *overrides: str) -> Ini:
    return read_ini(str(path), overrides)


def test_values_may_refer_to_the_default_section(path: Path) -> None:
    assert read(path).app["storage.root"] == f"{path.parent}/var/media"


def test_the_factory_is_no_setting(path: Path) -> None:
    assert "use" not in read(path).app


def test_the_server_listens_on_the_default_sections_port(path: Path) -> None:
    assert read(path).server == {"port": "6543", "threads": "100"}


def test_an_override_of_the_default_section_reaches_what_refers_to_it(path: Path) -> None:
    ini = read(path, "port=7000", "var_dir=/elsewhere")
    assert ini.server["port"] == "7000"
    assert ini.app["storage.root"] == "/elsewhere/media"
    assert str(ini.settings().var_dir) == "/elsewhere"


def test_an_override_by_full_name_wins_over_the_file(path: Path) -> None:
    assert read(path, "accounts.invitation_days=0").settings().accounts.invitation_days == 0


def test_an_override_may_hold_an_equals_sign(path: Path) -> None:
    url = "postgresql://somewhere/?options=-csearch_path=x"
    assert read(path, f"database.url={url}").settings().database.url == url


def test_the_environment_wins_over_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTENTSVC_ACCOUNTS_INVITATION_DAYS", "9")
    assert read(path).settings().accounts.invitation_days == 9


def test_the_command_line_wins_over_the_environment(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTENTSVC_ACCOUNTS_INVITATION_DAYS", "9")
    assert read(path, "accounts.invitation_days=1").settings().accounts.invitation_days == 1


def test_another_database_reaches_children_through_the_overrides(path: Path) -> None:
    ini = read(path, "port=7000").with_database("postgresql://there/")
    assert ini.settings().database.url == "postgresql://there/"
    assert read(path, *ini.overrides) == ini


@pytest.mark.parametrize("word", ["prot=7000", "use=something"])
def test_a_word_that_is_no_key_of_the_default_section_is_refused(path: Path, word: str) -> None:
    with pytest.raises(CommandError, match=r"no key of \[DEFAULT\]") as refused:
        read(path, word)
    assert refused.value.status == 2


def test_a_word_without_a_value_is_refused(path: Path) -> None:
    with pytest.raises(CommandError, match="write KEY=VALUE"):
        read(path, "--port")


def test_all_faults_come_together_those_of_the_command_line_too(path: Path) -> None:
    faulty = ("acounts.invitation_days=1", "auth.token_days=never", "accounts.invitation_day=1")
    with pytest.raises(CommandError) as refused:
        read(path, *faulty).settings()
    lines = str(refused.value).splitlines()
    assert [line.partition(":")[0].strip(" -") for line in lines[1:]] == [
        "auth.token_days",
        "accounts.invitation_day",
        "acounts.invitation_days",
    ]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no file"):
        read(tmp_path / "nowhere.ini")


def test_a_file_without_our_section_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.ini"
    other.write_text("[server:main]\nport = 1\n", encoding="utf-8")
    with pytest.raises(CommandError, match=r"no section \[app:main\]"):
        read(other)


def test_a_reference_to_nothing_is_told_plainly(tmp_path: Path) -> None:
    broken = tmp_path / "broken.ini"
    broken.write_text("[app:main]\nstorage.root = %(nothing)s\n", encoding="utf-8")
    with pytest.raises(CommandError, match="can't be read"):
        read(broken)
