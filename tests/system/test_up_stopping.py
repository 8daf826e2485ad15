"""`contentsvc up` when it ends: it leaves nothing behind, and can be started again."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.system.processes import eventually, is_alive, kill
from tests.system.service import Service


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Used by one start after the other, as a developer's is."""
    return tmp_path_factory.mktemp("stopping")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_everything_and_leaves_no_process(folder: Path, number: signal.Signals) -> None:
    with Service(folder).running() as service:
        service.wait_until_ready()
        tree = service.tree()
        service.process.send_signal(number)
        assert service.process.wait(30) == 0
        assert [pid for pid in tree if is_alive(pid)] == []


def test_ctrl_c_stops_everything_and_leaves_no_process(folder: Path) -> None:
    with Service(folder).running() as service:
        service.wait_until_ready()
        tree = service.tree()
        service.press_ctrl_c()
        assert service.process.wait(30) == 0
        assert [pid for pid in tree if is_alive(pid)] == []


def test_ctrl_c_while_the_first_database_is_made_leaves_no_process(tmp_path: Path) -> None:
    with Service(tmp_path).running() as service:
        folder = service.var_dir / "postgres" / "base"
        eventually(folder.exists, every=0.01, what="PostgreSQL to be made")
        tree = service.tree()
        service.press_ctrl_c()
        assert service.process.wait(30) == 0
        assert [pid for pid in tree if is_alive(pid)] == []
        assert service.postgres_pid() is None
        assert "Traceback" not in service.output()


def test_ctrl_c_during_a_start_leaves_no_process(folder: Path) -> None:
    with Service(folder).running() as service:
        eventually(service.postgres_pid, every=0.01, what="PostgreSQL to start")
        tree = service.tree()
        service.press_ctrl_c()
        assert service.process.wait(30) == 0
        assert [pid for pid in tree if is_alive(pid)] == []
        assert service.postgres_pid() is None
        assert "Traceback" not in service.output()


def test_children_that_hang_are_killed(folder: Path) -> None:
    with Service(folder).running() as service:
        service.wait_until_ready()
        tree = service.tree()
        web = service.child("serve").pid
        service.child("worker").suspend()
        service.process.send_signal(signal.SIGTERM)
        eventually(lambda: not is_alive(web), what="the web server to end")
        # A second signal: not even the worker's own patience is waited for.
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(20) == 0
        assert [pid for pid in tree if is_alive(pid)] == []
        assert "worker is killed" in service.output()


def test_after_kill_9_of_the_supervisor_its_children_end_and_the_next_start_works(folder: Path) -> None:
    first = Service(folder)
    with first.running() as service:
        service.wait_until_ready()
        children = [pid for pid in service.tree() if pid != service.postgres_pid()]
        postgres = service.postgres_pid()
        assert postgres is not None
        kill(service.process.pid)
        eventually(lambda: not any(is_alive(pid) for pid in children), what="the children to end")
        assert is_alive(postgres)
        second = Service(folder)
        second.port = first.port
        with second.running() as again:
            again.wait_until_ready()
            assert again.postgres_pid() == postgres
            again.process.send_signal(signal.SIGTERM)
            assert again.process.wait(30) == 0
            assert not is_alive(postgres)
