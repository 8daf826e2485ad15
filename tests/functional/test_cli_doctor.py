"""What `contentsvc doctor` finds, and what it says to do."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pyramid.registry import Registry
from sqlalchemy import update

from contentsvc.cli import main
from contentsvc.cli.doctor import machine, service
from contentsvc.cli.doctor.examination import examine
from contentsvc.cli.doctor.findings import Finding, Level
from contentsvc.cli.ini import Ini, read_ini
from contentsvc.db.embedded import EmbeddedPostgres
from contentsvc.http.logs import configure_logging
from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.models import Queue
from contentsvc.providers.models import ModelConfig, Provider
from contentsvc.providers.plugins import Distribution, Plugin, Problem
from contentsvc.security.secrets import SecretBox
from contentsvc.settings import LogSettings, Settings, load
from tests.conftest import FAST_AND_LOOSE
from tests.functional.calling import CANARY, drivers
from tests.functional.conftest import Client

Database = Callable[..., Any]
WriteIni = Callable[..., Ini]


@pytest.fixture(autouse=True)
def logs_as_before() -> Iterator[None]:
    """The doctor's application logs to the standard error of its test, which is closed afterwards."""
    yield
    configure_logging(LogSettings(format="console", level="warning"))


@pytest.fixture
def write_ini(app_settings: dict[str, Any], tmp_path: Path) -> WriteIni:
    """``write_ini({"queue.backend": "redis"})``: the tests' installation as an ini file."""

    def write(overrides: dict[str, str] | None = None) -> Ini:
        values = {**app_settings, **(overrides or {})}
        lines = [f"{key} = {str(value).replace('%', '%%')}" for key, value in values.items()]
        path = tmp_path / "site.ini"
        path.write_text("[app:main]\nuse = egg:contentsvc\n" + "\n".join(lines) + "\n", encoding="utf-8")
        return read_ini(str(path))

    return write


def by_name(findings: Iterable[Finding]) -> dict[str, Finding]:
    """The last finding of each name."""
    return {finding.name: finding for finding in findings}


def only(findings: Iterable[Finding]) -> Finding:
    (finding,) = findings
    return finding


@pytest.mark.usefixtures("admin")
def test_a_sound_installation_is_ok(registry: Registry, write_ini: WriteIni) -> None:
    beat_once(registry, list(Queue))
    found = list(examine(write_ini()))
    assert [str(finding) for finding in found if finding.level is not Level.OK] == []
    assert set(by_name(found)) == {
        "settings",
        "var_dir",
        "temp",
        "storage.root",
        "ffmpeg",
        "plugins",
        "storage",
        "database",
        "queue",
        "migrations",
        "secrets",
        "admin",
        "workers",
        "models",
        "driver",
        "provider",
    }


@pytest.mark.usefixtures("registry")
def test_an_installation_without_tables_is_to_be_migrated(write_ini: WriteIni, postgres_url: str) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS doctors_empty")
        connection.execute("CREATE DATABASE doctors_empty")
    empty = postgres_url.replace("/contentsvc", "/doctors_empty", 1)
    found = by_name(examine(write_ini({"database.url": empty})))
    assert found["migrations"].level is Level.FAIL
    assert "contentsvc migrate site.ini" in found["migrations"].advice
    assert not {"workers", "admin", "secrets"} & set(found)


def test_a_database_out_of_reach_is_told_without_its_password(write_ini: WriteIni) -> None:
    url = "postgresql://me:canary-word@127.0.0.1:9/none"
    redis = {"queue.backend": "redis", "queue.redis_url": "redis://:canary-word@127.0.0.1:9/0"}
    found = list(examine(write_ini({"database.url": url} | redis)))
    assert {finding.name for finding in found if finding.level is Level.FAIL} == {"database", "queue"}
    assert "database.url" in by_name(found)["database"].advice
    assert "canary-word" not in "".join(map(str, found))


def test_an_embedded_database_that_was_never_made_stays_so(write_ini: WriteIni, tmp_path: Path) -> None:
    own = tmp_path / "var"
    ini = write_ini({"database.url": "embedded", "var_dir": str(own), "storage.root": str(own / "media")})
    found = by_name(examine(ini))
    assert found["database"].level is Level.WARN
    assert found["driver"].level is Level.OK
    assert "contentsvc up site.ini" in found["database"].advice
    assert not own.exists()


def test_an_embedded_database_is_left_as_it_was_found(write_ini: WriteIni) -> None:
    # Not below pytest's own folder, which PostgreSQL's user may not enter.
    folder = Path(tempfile.mkdtemp(prefix="contentsvc-doctor-"))
    server = EmbeddedPostgres(folder / "postgres", extra_configuration=FAST_AND_LOOSE)
    ini = write_ini({"database.url": "embedded", "var_dir": str(folder)})
    try:
        server.start()
        beside = [finding.text for finding in examine(ini) if finding.name == "database"]
        assert (len(beside), server.is_running()) == (1, True)
        server.stop()
        alone = [finding.text for finding in examine(ini) if finding.name == "database"]
        assert ("started for this examination" in alone[0], alone[1]) == (True, beside[0])
        assert not server.is_running()
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


class TestService:
    """What is looked at in a database that can be used."""

    def test_nobody_to_take_work_is_a_warning(self, registry: Registry, database: Database) -> None:
        beat_once(registry, [Queue.POLL])
        with database() as session:
            found = only(service.workers(session, registry, "site.ini"))
        assert found.level is Level.WARN
        assert "none is online for generate, export" in found.text
        assert "contentsvc worker site.ini" in found.advice

    @pytest.mark.usefixtures("owner")
    def test_no_administrator_is_a_failure(self, database: Database) -> None:
        with database() as session:
            found = only(service.administrator(session, "site.ini"))
        assert (found.level, found.advice) == (Level.FAIL, "run `contentsvc admin create site.ini`")

    def test_a_capability_without_a_model_is_a_warning(self, registry: Registry, database: Database) -> None:
        with database() as session:
            session.execute(
                update(ModelConfig).where(ModelConfig.capability == "speech").values(status="inactive")
            )
            found = only(service.models(session, registry))
        assert (found.level, "for speech" in found.text) == (Level.WARN, True)

    def test_keys_that_no_configured_key_opens_are_a_failure(
        self, registry: Registry, database: Database
    ) -> None:
        from cryptography.fernet import Fernet

        stranger = SecretBox([Fernet.generate_key().decode()])
        with database() as session:
            session.add(
                Provider(
                    name="acme", display_name="A", driver="acme", api_key_encrypted=stranger.encrypt(CANARY)
                )
            )
        found = only(service.secrets(registry))
        assert (found.level, "of acme can't be read" in found.text) == (Level.FAIL, True)

    def test_a_provider_that_does_not_work_is_a_warning(self, registry: Registry, admin: Client) -> None:
        admin.post_json("/api/admin/providers/", {"name": "acme", "display_name": "Acme"})
        admin.post_json(
            "/api/admin/providers/", {"name": "closed", "display_name": "Closed", "status": "inactive"}
        )
        warned = [found.text for found in service.providers(registry) if found.level is Level.WARN]
        assert warned == ["acme: The plugin behind this provider is not installed."]

    @pytest.mark.parametrize(("key", "lack"), [(None, "an API key"), (b"sealed", "a model")])
    def test_a_provider_that_came_without_a_key_or_a_model_is_not_in_use(
        self, registry: Registry, database: Database, key: bytes | None, lack: str
    ) -> None:
        with database() as session:
            row = Provider(name="acme", display_name="A", driver="acme", declared_key="acme")
            row.api_key_encrypted = key
            session.add(row)
        with drivers(registry):
            found = [found for found in service.providers(registry) if found.text.startswith("acme")]
        assert [(finding.level, finding.text) for finding in found] == [
            (Level.OK, f"acme: not in use; {lack} is what it needs.")
        ]


def test_an_ffmpeg_that_is_set_up_and_missing_is_a_failure(write_ini: WriteIni, tmp_path: Path) -> None:
    lost = {"plugins.ffmpeg.binary": str(tmp_path / "no-ffmpeg"), "var_dir": str(tmp_path / "var")}
    found = list(examine(write_ini({"database.url": "embedded"} | lost)))
    assert [finding.text for finding in found if finding.level is Level.FAIL] == [
        "ffmpeg: The ffmpeg that is set up can't be run."
    ]


def test_a_plugins_problem_is_a_failure() -> None:
    plugin = Plugin("acme", "contentsvc-acme", "2.5")
    problem = Problem(plugin, "import", "ImportError: no module acme", datetime.now(UTC))
    empty: tuple[str, ...] = ()
    broken = Distribution("contentsvc-acme", "2.5", *[empty] * 7, problems=(problem,))
    found = only(service.plugins([broken]))
    assert (found.level, found.text) == (
        Level.FAIL,
        "contentsvc-acme 2.5, import: ImportError: no module acme",
    )


class TestFolders:
    def settings(self, app_settings: dict[str, Any], **overrides: str) -> Settings:
        return load({key: str(value) for key, value in app_settings.items()} | overrides)

    def test_one_that_cannot_be_made_is_a_failure(self, app_settings: dict[str, Any], tmp_path: Path) -> None:
        (tmp_path / "file").write_text("in the way")
        settings = self.settings(app_settings, **{"storage.root": str(tmp_path / "file" / "media")})
        assert by_name(machine.folders(settings))["storage.root"].level is Level.FAIL

    def test_one_that_is_not_there_is_left_to_the_service(
        self, app_settings: dict[str, Any], tmp_path: Path
    ) -> None:
        settings = self.settings(app_settings, **{"storage.root": str(tmp_path / "new")})
        found = by_name(machine.folders(settings))["storage.root"]
        assert (found.level, "will be made" in found.text) == (Level.OK, True)
        assert not (tmp_path / "new").exists()

    def test_a_disk_too_small_for_an_upload_is_a_failure(self, app_settings: dict[str, Any]) -> None:
        settings = self.settings(app_settings, **{"uploads.video_max_bytes": str(10**18)})
        found = by_name(machine.folders(settings))["var_dir"]
        assert (found.level, "make room" in found.advice) == (Level.FAIL, True)


class TestCommand:
    def test_a_failure_is_its_exit_status(
        self, write_ini: WriteIni, capsys: pytest.CaptureFixture[str]
    ) -> None:
        ini = write_ini({"database.url": "postgresql://127.0.0.1:9/none"})
        assert main(["doctor", str(ini.path)]) == 1
        printed = capsys.readouterr().out
        assert "\nfail  database     PostgreSQL does not answer" in printed
        assert "\n                   -> see that PostgreSQL runs" in printed
        assert printed.splitlines()[-1].startswith("1 failed, 0 to look at, ")

    def test_settings_that_cannot_be_used_are_told_with_what_to_do(
        self, write_ini: WriteIni, capsys: pytest.CaptureFixture[str]
    ) -> None:
        ini = write_ini({"http.public_url": "https://CHANGEME"})
        assert main(["doctor", str(ini.path)]) == 2
        told = capsys.readouterr().err
        assert "http.public_url: still a placeholder" in told
        assert "`contentsvc settings` says what each key means" in told
