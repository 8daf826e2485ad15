"""The service as real processes: web servers and workers that tests start, kill and question."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

import httpx
import psycopg
from cryptography.fernet import Fernet
from psycopg import sql
from pyramid.registry import Registry
from redis import Redis
from redis.exceptions import RedisError
from sqlalchemy import func, select
from sqlalchemy.engine import make_url

from contentsvc import configure, migrations
from contentsvc.billing.invariants import check
from contentsvc.billing.models import LedgerRow
from contentsvc.bootstrap import bootstrap
from contentsvc.db.session import engine_of, transaction_scope
from contentsvc.generation.models import OPEN_STATUSES, AITask
from contentsvc.jobs.doorbell import close_doorbells
from contentsvc.jobs.models import WorkerBeat
from contentsvc.security.models import Role, User
from contentsvc.security.tokens import open_session
from tests.canary import Listening, assert_no_trace, assert_no_trace_in_file, traces_in_rows, traces_in_titles
from tests.conftest import PLUGIN_FOLDER
from tests.functional.conftest import add_team, give_keys
from tests.system.processes import Forked, Stable, eventually
from tests.system.service import free_port

Process: TypeAlias = subprocess.Popen[bytes] | Forked

START_SECONDS = 30
STOP_SECONDS = 15
# Short enough that a test sees the take-over, long enough that a busy machine renews in time.
LEASE_SECONDS = 3.0
ONLINE_SECONDS = 4.0


class RedisServer:
    """A redis-server that forgets everything when it ends; it always comes back at the same port."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self.client = Redis.from_url(self.url)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        # Older ones come with the wheel beside the interpreter, newer ones with the system.
        found = shutil.which("redis-server") or str(Path(sys.executable).parent / "redis-server")
        words = ["--port", str(self._port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self.process = subprocess.Popen(
            [found, *words, "--dir", str(self._folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
        )
        eventually(self._answers, what="redis-server answers")

    def kill(self) -> None:
        """SIGKILL, and everything in it is gone."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """It takes connections and answers nothing for the length of the block."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        self.client.close()
        self.kill()

    def _answers(self) -> bool:
        try:
            return bool(self.client.ping())
        except RedisError:
            return False


@dataclass
class Person:
    """A signed-in owner of a team, as a client of the running web server."""

    http: httpx.Client
    team_id: uuid.UUID

    def order(self, **body: Any) -> list[str]:
        """Order pictures of the fake model; the tasks' ids."""
        reply = self.try_order(**body)
        assert reply.status_code == httpx.codes.ACCEPTED, reply.text
        return [task["id"] for task in reply.json()["tasks"]]

    def try_order(self, **body: Any) -> httpx.Response:
        """The reply to an order of pictures."""
        order = {"prompt": "a quiet table", "image_model": "fake-one", **body}
        return self.http.post("/api/ai/generate-image/", json=order)

    def task(self, task_id: str) -> Any:
        """A task as the API shows it."""
        return self.http.get(f"/api/ai/tasks/{task_id}/").raise_for_status().json()

    def finished(self, task_id: str, seconds: float = START_SECONDS) -> Any:
        """The task once it is over."""

        def ended() -> Any:
            task = self.task(task_id)
            return task if task["status"] in ("succeeded", "failed") else None

        return eventually(ended, within=seconds, what=f"task {task_id} is over")


@dataclass
class Installation:
    """An ini on a database of its own, the processes started with it, and a look behind the scenes."""

    folder: Path
    ini: Path
    port: int
    registry: Registry
    processes: list[Process] = field(default_factory=list)
    stable: Stable | None = None
    clients: list[httpx.Client] = field(default_factory=list)

    def start_web(self, *words: str) -> subprocess.Popen[bytes]:
        """A web server that answers."""
        process = self._start("serve", *words)
        eventually(lambda: self._alive(process) and self._answers(), what="the web server answers")
        return process

    def start_worker(self) -> Process:
        """A worker that counts as online, forked from a process that has everything imported."""
        if self.stable is None:
            self.stable = Stable(self.ini, (), self.folder / "log", PLUGIN_FOLDER)
        process = Forked(self.stable.start_worker())
        self.processes.append(process)
        return self._online(process)

    def start_worker_command(self) -> Process:
        """The same, started as an operator would; its exit status counts."""
        return self._online(self._start("worker"))

    def is_online(self, pid: int) -> bool:
        """Whether the worker with this process id has said that it lives."""
        with transaction_scope(self.registry) as session:
            return session.scalar(select(WorkerBeat.id).where(WorkerBeat.pid == pid)) is not None

    def kill(self, process: Process) -> None:
        """SIGKILL to the process and all its children."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self, process: Process) -> int:
        """SIGTERM; the exit status."""
        process.terminate()
        return process.wait(STOP_SECONDS)

    def assert_no_trace_of_a_key(self) -> None:
        """Fail where a provider's key has got into the rows, the logs, the titles of the processes."""
        assert_no_trace("the database", traces_in_rows(engine_of(self.registry)))
        assert_no_trace("a process's title", traces_in_titles(process.pid for process in self.processes))
        assert_no_trace_in_file(self.folder / "log")

    def close(self) -> None:
        for client in self.clients:
            client.close()
        for process in self.processes:
            self.kill(process)
        if self.stable is not None:
            self.stable.close()
        close_doorbells(self.registry)
        engine_of(self.registry).dispose()

    def person(self, balance: int = 1000) -> Person:
        """A new team's owner with credit."""
        with transaction_scope(self.registry) as session:
            team = add_team(session, "System", Decimal(balance))
            user = User(
                username=f"owner-{uuid.uuid4().hex}", password_hash="", role=Role.OWNER, team_id=team.id
            )
            session.add(user)
            session.flush()
            token = open_session(session, self.registry, user, ip="127.0.0.1", user_agent="tests").token
            team_id = team.id
        client = Listening(
            base_url=f"http://127.0.0.1:{self.port}",
            headers={"Authorization": f"Token {token}"},
            timeout=60,
            trust_env=False,
        )
        self.clients.append(client)
        return Person(client, team_id)

    def ledger(self, task_id: str) -> list[str]:
        """Types of a task's ledger rows, oldest first."""
        rows = select(LedgerRow.ledger_type).where(LedgerRow.task_id == uuid.UUID(task_id))
        with transaction_scope(self.registry) as session:
            return list(session.scalars(rows.order_by(LedgerRow.id)))

    def final_status(self, task_id: str, seconds: float = START_SECONDS) -> str:
        """A task's status once it is over."""

        def ended() -> str:
            status = self._task(task_id).status
            return "" if status in OPEN_STATUSES else status

        return eventually(ended, within=seconds, what=f"task {task_id} is over")

    def metadata(self, task_id: str) -> dict[str, Any]:
        """What a task knows about itself."""
        return self._task(task_id).meta

    def statuses(self) -> dict[str, int]:
        """How many tasks are in each status."""
        counted = select(AITask.status, func.count().label("number")).group_by(AITask.status)
        with transaction_scope(self.registry) as session:
            return {row.status: row.number for row in session.execute(counted)}

    def open_tasks(self) -> int:
        """Tasks without a final status."""
        return sum(self.statuses().get(status, 0) for status in OPEN_STATUSES)

    def faults(self) -> list[str]:
        """What is wrong with the books; empty when everything adds up."""
        with transaction_scope(self.registry) as session:
            # All as of one moment: what the service still settles is no fault.
            session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
            return check(session, self.registry["contentsvc.settings"])

    def _task(self, task_id: str) -> AITask:
        with transaction_scope(self.registry) as session:
            return session.get_one(AITask, uuid.UUID(task_id))

    def _start(self, command: str, *words: str) -> subprocess.Popen[bytes]:
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("CONTENTSVC_")
        }
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "contentsvc", command, str(self.ini), *words],
                env={**environment, "PYTHONPATH": str(PLUGIN_FOLDER)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def _online(self, process: Process) -> Process:
        eventually(lambda: self._alive(process) and self.is_online(process.pid), what="the worker is online")
        return process

    def _alive(self, process: Process) -> bool:
        if (status := process.poll()) is not None:
            log = (self.folder / "log").read_text(encoding="utf-8", errors="replace")
            raise AssertionError(f"process {process.pid} ended with {status}:\n{log[-4000:]}")
        return True

    def _answers(self) -> bool:
        try:
            reply = httpx.get(f"http://127.0.0.1:{self.port}/api/health/", timeout=5, trust_env=False)
        except httpx.TransportError:
            return False
        return reply.status_code == httpx.codes.OK


@contextmanager
def installed(postgres_url: str, folder: Path, **settings: str) -> Iterator[Installation]:
    """A service with a migrated database of its own and no process yet; all are killed at the end.

    ``settings`` are those of the ini, with ``__`` for the dot: ``jobs__lease_seconds="1"``.
    """
    with _database(postgres_url) as url:
        values = _settings(url, folder) | {k.replace("__", "."): v for k, v in settings.items()}
        port = free_port()
        ini = folder / "service.ini"
        ini.write_text(_ini(values, port), encoding="utf-8")
        config = configure(None, **values)
        migrations.upgrade(engine_of(config.registry))
        bootstrap(config.registry)
        give_keys(config.registry, "fake")
        made = Installation(folder, ini, port, config.registry)
        try:
            yield made
            made.assert_no_trace_of_a_key()
        finally:
            made.close()


@contextmanager
def redis_server(folder: Path) -> Iterator[RedisServer]:
    """A running redis-server."""
    server = RedisServer(folder)
    try:
        server.start()
        yield server
    finally:
        server.close()


_numbers = itertools.count(1)


@contextmanager
def _database(postgres_url: str) -> Iterator[str]:
    name = f"service_{next(_numbers)}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield make_url(postgres_url).set(database=name).render_as_string(hide_password=False)
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _settings(url: str, folder: Path) -> dict[str, str]:
    return {
        "var_dir": str(folder),
        "database.url": url,
        "queue.backend": "postgres",
        "storage.backend": "local",
        "storage.root": str(folder / "media"),
        "uploads.temp_dir": str(folder / "uploads"),
        "secrets.keys": Fernet.generate_key().decode(),
        "billing.recharge_channels": "manual",
        "providers.allowed_networks": "127.0.0.1",
        "jobs.lease_seconds": str(LEASE_SECONDS),
        "jobs.scan_seconds": "0.3",
        "jobs.beat_seconds": "0.5",
        "jobs.online_seconds": str(ONLINE_SECONDS),
        "generation.retry_seconds": "0.2",
        "generation.poll_min_seconds": "0.2",
        "generation.poll_max_seconds": "0.5",
        "log.format": "console",
    }


def _ini(values: dict[str, str], port: int) -> str:
    lines = ["[app:main]", "use = egg:contentsvc"]
    lines += [f"{key} = {value.replace('%', '%%')}" for key, value in values.items()]
    lines += ["", "[server:main]", "host = 127.0.0.1", f"port = {port}", "workers = 1", "threads = 16"]
    return "\n".join(lines) + "\n"
