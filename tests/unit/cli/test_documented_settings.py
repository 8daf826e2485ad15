"""``production.ini`` and ``docs/settings.md`` say what the settings table says."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from contentsvc.cli import main
from contentsvc.cli.ini import CommandError, read_ini
from contentsvc.cli.server import DEFAULTS
from contentsvc.cli.settings import markdown
from contentsvc.settings import documented_keys, is_setting

ROOT = Path(__file__).parents[3]
PRODUCTION = ROOT / "production.ini"
DEVELOPMENT = ROOT / "development.ini"
KEY = re.compile(r"^(?P<off># )?(?P<key>[a-z0-9_]+\.[a-z0-9_]+) =(?: (?P<value>.*))?$")


def in_production_ini() -> dict[str, tuple[str, str | None, bool]]:
    """By key: the line above it, its value, and whether it is switched off."""
    lines = PRODUCTION.read_text(encoding="utf-8").splitlines()
    found = [(above, KEY.match(line)) for above, line in itertools.pairwise(lines)]
    matches = [(above, match) for above, match in found if match]
    assert len({match["key"] for _, match in matches}) == len(matches), "a key is there twice"
    return {m["key"]: (above, m["value"], bool(m["off"])) for above, m in matches}


def test_production_ini_has_every_key_in_the_tables_order() -> None:
    assert list(in_production_ini()) == [key for key, _, _ in documented_keys()]


def test_production_ini_explains_every_key() -> None:
    explained = {key: above for key, (above, _, _) in in_production_ini().items()}
    assert explained == {key: f"# {description}" for key, _, description in documented_keys()}


def test_what_is_switched_off_in_production_ini_shows_its_default() -> None:
    defaults = {key: default for key, default, _ in documented_keys()}
    shown = {key: value or "" for key, (_, value, off) in in_production_ini().items() if off}
    assert shown == {key: defaults[key] for key in shown}


def test_production_ini_as_shipped_refuses_with_all_faults_at_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["migrate", str(PRODUCTION)]) == 2
    printed = capsys.readouterr().err
    asked = [line.strip(" -").partition(":")[0] for line in printed.splitlines() if "placeholder" in line]
    assert asked == [
        "http.public_url",
        "http.metrics_token",
        "database.url",
        "queue.redis_url",
        "storage.s3_bucket",
        "secrets.keys",
    ]
    assert "CHANGEME" not in printed


def test_production_ini_limits_what_tokens_and_addresses_may_ask() -> None:
    given = in_production_ini()
    assert [given[f"http.{name}_rate"][2] for name in ("token", "address")] == [False, False]
    assert all(given[f"http.{name}_rate"][1] for name in ("token", "address"))


def test_production_ini_is_enough_once_its_placeholders_are_filled(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["new-key"]) == 0
    filled = [
        "http.public_url=https://content.example",
        "http.metrics_token=0123456789abcdef",
        "database.url=postgresql://contentsvc@db.example/contentsvc",
        "queue.redis_url=redis://redis.example:6379/0",
        "storage.s3_bucket=media",
        f"secrets.keys={capsys.readouterr().out.strip()}",
    ]
    settings = read_ini(str(PRODUCTION), filled).settings()
    assert (settings.queue.backend, settings.storage.s3_bucket) == ("redis", "media")


def test_production_ini_demands_a_secret(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CommandError, match=r"secrets\.keys: required"):
        read_ini(str(PRODUCTION), ["secrets.keys="]).settings()


def test_production_ini_shows_every_key_of_the_web_server() -> None:
    assert set(read_ini(str(PRODUCTION)).server) == set(DEFAULTS)


def test_development_ini_can_be_used_as_it_is() -> None:
    ini = read_ini(str(DEVELOPMENT))
    assert all(is_setting(key) for key in ini.app)
    assert ini.settings().database.url == "embedded"


def test_the_settings_page_is_what_the_command_prints() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert page == markdown(), "run: contentsvc settings --markdown > docs/settings.md"


def test_the_settings_command_lists_every_key(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings"]) == 0
    listed = [line.split(" ", 1)[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == [key for key, _, _ in documented_keys()]
