"""`contentsvc up` while it runs: everything is there, and comes back when it dies."""

from __future__ import annotations

import http.client
import json
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.system.processes import ROOT, command, environment, eventually, kill
from tests.system.service import Service, free_port, service_arguments


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service on a fresh folder, ready."""
    with Service(tmp_path_factory.mktemp("up")).running() as service:
        service.wait_until_ready()
        yield service


def post(service: Service, path: str, body: Any) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=20)
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    reply = connection.getresponse()
    answer = json.loads(reply.read())
    connection.close()
    return reply.status, answer


def test_ready_means_database_tables_queue_and_worker(service: Service) -> None:
    checks = service.get("/api/health/ready/")["checks"]
    assert {"database", "migrations", "queue", "workers"} <= set(checks)
    assert {check["status"] for check in checks.values()} == {"ok"}


def test_it_says_where_to_look(service: Service) -> None:
    # It finds out that it is ready by asking, as the fixture does, and maybe after the fixture.
    eventually(lambda: "Ctrl-C stops everything" in service.output(), what="it has said where to look")
    printed = service.output()
    for line in (
        f"ready at http://127.0.0.1:{service.port}",
        f"reference: http://127.0.0.1:{service.port}/api/docs/",
        f"kept in {service.var_dir / 'admin-password'}",
    ):
        assert line in printed


def test_the_administrators_password_is_kept_for_its_owner_only(service: Service) -> None:
    path = service.var_dir / "admin-password"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    status, reply = post(
        service,
        "/api/auth/login/",
        {"username": "admin", "password": path.read_text(encoding="utf-8").strip()},
    )
    assert status == 200
    assert reply["token"]


def test_an_administrator_is_made_while_it_runs(service: Service) -> None:
    arguments = service_arguments(service.var_dir, service.port)
    made = subprocess.run(
        [sys.executable, "-m", "contentsvc", "admin", "create", *arguments, "--username", "anna"],
        cwd=ROOT,
        env=environment(),
        input="correct horse battery\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout == "Administrator anna is made.\n"
    body = {"username": "anna", "password": "correct horse battery"}
    status, reply = post(service, "/api/auth/login/", body)
    assert (status, reply["user"]["is_platform_admin"]) == (200, True)


@pytest.mark.parametrize(("name", "subcommand"), [("worker", "worker"), ("web server", "serve")])
def test_what_dies_is_started_again(service: Service, name: str, subcommand: str) -> None:
    kill(service.child(subcommand).pid)
    eventually(lambda: f"{name} ended with status -9; starting it again" in service.output())
    eventually(lambda: service.children(subcommand), what=f"the next {name}")
    service.wait_until_ready()


def test_a_second_one_in_the_same_folder_is_refused(service: Service, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with command("up", *service_arguments(service.var_dir, free_port()), log=log) as second:
        assert second.wait(20) == 1
    assert "Another `contentsvc up` runs in" in log.read_text(encoding="utf-8")


def test_a_port_that_is_taken_is_told(service: Service, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with command("up", *service_arguments(tmp_path / "var", service.port), log=log) as second:
        assert second.wait(20) == 1
    assert f"Port {service.port} on 127.0.0.1 can't be used" in log.read_text(encoding="utf-8")


def test_one_shot_commands_use_the_running_database(service: Service, tmp_path: Path) -> None:
    log = tmp_path / "log"
    arguments = [str(ROOT / "development.ini"), f"var_dir={service.var_dir}"]
    with command("plugins", "sync", *arguments, log=log) as sync:
        assert sync.wait(30) == 0
    assert "The database has what the plugins declare." in log.read_text(encoding="utf-8")
    assert service.get("/api/health/ready/")["status"] == "ready"
