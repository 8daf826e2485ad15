"""The due scan, recurring rounds, beats and housekeeping on real rows."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from pyramid.registry import Registry
from sqlalchemy import select, text
from webtest import TestApp

from contentsvc.db.session import engine_of, transaction_scope
from contentsvc.http.errors import ApiError, ErrorCode
from contentsvc.jobs.beats import beat_once, say_goodbye
from contentsvc.jobs.doorbell import Ring, backlog, doorbell_of, ring
from contentsvc.jobs.housekeeping import sweep
from contentsvc.jobs.models import Job, JobState, Queue, RecurringRun, WorkerBeat
from contentsvc.jobs.recurring import run_recurring
from contentsvc.jobs.scan import SCAN_LOCK, ring_due
from contentsvc.jobs.services import enqueue, require_worker
from contentsvc.jobs.state import Recurring, jobs_of

KIND = "test.scan"


@pytest.fixture(autouse=True)
def runner(registry: Registry) -> Iterator[None]:
    """A kind of job that the tests of this file may enqueue."""
    jobs = jobs_of(registry)
    jobs.runners[KIND] = (Queue.POLL, lambda _run: None)
    yield
    del jobs.runners[KIND]
    jobs.silent_until = 0.0


def unrung_job(registry: Registry, queue: Queue = Queue.POLL) -> uuid.UUID:
    """A job that is due, committed without a ring: its server died in between."""
    with transaction_scope(registry) as session:
        job = Job(kind=KIND, subject_id=uuid.uuid4(), queue=queue, fence=0)
        session.add(job)
    return job.id


def seconds_until_due(registry: Registry, job_id: uuid.UUID) -> float:
    with transaction_scope(registry) as session:
        query = text("SELECT extract(epoch FROM ring_at - clock_timestamp()) FROM job WHERE id = :id")
        return float(session.execute(query, {"id": job_id}).scalar_one())


def test_a_commit_rings_and_a_rollback_does_not(registry: Registry) -> None:
    with transaction_scope(registry) as session:
        enqueue(session, registry, KIND, uuid.uuid4())
        session.rollback()
    assert backlog(registry, Queue.POLL) == 0
    with transaction_scope(registry) as session:
        enqueue(session, registry, KIND, uuid.uuid4())
        assert backlog(registry, Queue.POLL) == 0
    assert backlog(registry, Queue.POLL) == 1


def test_the_scan_rings_for_a_job_that_nobody_rang_for(registry: Registry) -> None:
    unrung_job(registry)
    assert ring_due(registry) == 1
    assert backlog(registry, Queue.POLL) == 1


def test_what_was_rung_is_due_again_after_a_lease(registry: Registry) -> None:
    job_id = unrung_job(registry)
    assert ring_due(registry) == 1
    assert ring_due(registry) == 0
    assert 25 < seconds_until_due(registry, job_id) <= 30


def test_the_scan_leaves_held_finished_and_future_jobs_alone(registry: Registry) -> None:
    for change in (
        "lease_until = now() + interval '1 minute'",
        "state = 'done'",
        "ring_at = now() + interval '1 minute'",
    ):
        job_id = unrung_job(registry)
        with transaction_scope(registry) as session:
            session.execute(text(f"UPDATE job SET {change} WHERE id = :id"), {"id": job_id})
    assert ring_due(registry) == 0


def test_a_lease_that_ran_out_is_rung_for(registry: Registry) -> None:
    job_id = unrung_job(registry)
    with transaction_scope(registry) as session:
        out = text("UPDATE job SET lease_until = now() - interval '1 s', fence = 3 WHERE id = :id")
        session.execute(out, {"id": job_id})
    assert ring_due(registry) == 1
    with transaction_scope(registry) as session:
        sent = session.scalars(text("SELECT convert_from(data, 'UTF8') FROM huey_task")).one()
    assert f'"args": ["{job_id}", 3]' in sent


def test_one_process_scans_at_a_time(registry: Registry) -> None:
    unrung_job(registry)
    with engine_of(registry).begin() as other:
        other.execute(text(f"SELECT pg_advisory_xact_lock({SCAN_LOCK})"))
        assert ring_due(registry) == 0
    assert ring_due(registry) == 1


def test_the_scan_passes_over_a_row_that_is_locked(registry: Registry) -> None:
    locked, free = unrung_job(registry), unrung_job(registry)
    with engine_of(registry).begin() as other:
        other.execute(text("SELECT 1 FROM job WHERE id = :id FOR UPDATE"), {"id": locked})
        assert ring_due(registry) == 1
    assert seconds_until_due(registry, free) > 20
    assert seconds_until_due(registry, locked) < 0


def test_a_full_queue_gets_no_more_rings_and_the_others_do(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contentsvc.jobs.scan.FULL_QUEUE", 2)
    for _ in range(2):
        ring(registry, Queue.POLL, [Ring(uuid.uuid4(), 0)])
    waiting, other = unrung_job(registry, Queue.POLL), unrung_job(registry, Queue.EXPORT)
    assert ring_due(registry) == 1
    assert seconds_until_due(registry, waiting) < 0
    assert seconds_until_due(registry, other) > 20


def test_a_silent_doorbell_costs_no_request_and_no_job(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = doorbell_of(registry, Queue.POLL).huey.storage
    tries: list[object] = []

    def unreachable(*args: object, **_kwargs: object) -> None:
        tries.append(args)
        raise ConnectionError("nobody there")

    monkeypatch.setattr(storage, "db", unreachable)
    with transaction_scope(registry) as session:
        first = enqueue(session, registry, KIND, uuid.uuid4())
    with transaction_scope(registry) as session:
        enqueue(session, registry, KIND, uuid.uuid4())
    assert len(tries) == 2, "one ring and its repetition; then the process is silent for a while"
    assert ring_due(registry) == 0
    assert seconds_until_due(registry, first.id) <= 0, "what couldn't be rung stays due"
    monkeypatch.undo()
    assert ring_due(registry) == 2


def test_the_first_ring_on_a_stale_connection_is_repeated(registry: Registry) -> None:
    assert ring(registry, Queue.POLL, [Ring(uuid.uuid4(), 0)])
    stale = doorbell_of(registry, Queue.POLL).huey.storage.conn.info.backend_pid
    with engine_of(registry).begin() as connection:
        connection.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": stale})
    assert ring(registry, Queue.POLL, [Ring(uuid.uuid4(), 0)])
    assert backlog(registry, Queue.POLL) == 2


def test_one_of_many_processes_does_a_round_of_recurring_work(registry: Registry) -> None:
    jobs = jobs_of(registry)
    done: list[int] = []
    jobs.recurring["test.round"] = Recurring("test.round", 86400, lambda _registry: done.append(1))
    together = threading.Barrier(4)

    def as_another_process(_number: int) -> None:
        together.wait()
        jobs.rounds.clear()
        run_recurring(registry)

    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(as_another_process, range(4)))
    finally:
        del jobs.recurring["test.round"]
        jobs.rounds.clear()
    assert done == [1]
    with transaction_scope(registry) as session:
        due = session.scalars(select(RecurringRun.due_at).where(RecurringRun.name == "test.round")).one()
    assert (due.hour, due.minute, due.second) == (0, 0, 0)


def test_recurring_work_that_raises_does_not_keep_the_rest_from_running(registry: Registry) -> None:
    jobs = jobs_of(registry)
    done: list[str] = []

    def fail(_registry: Registry) -> None:
        raise RuntimeError("no luck")

    before = dict(jobs.recurring)
    jobs.recurring.clear()
    jobs.recurring["test.fails"] = Recurring("test.fails", 60, fail)
    jobs.recurring["test.works"] = Recurring("test.works", 60, lambda _registry: done.append("works"))
    try:
        assert run_recurring(registry) == 2
    finally:
        jobs.recurring.clear()
        jobs.recurring.update(before)
        jobs.rounds.clear()
    assert done == ["works"]


def test_without_a_worker_work_is_refused_with_503(registry: Registry) -> None:
    with transaction_scope(registry) as session, pytest.raises(ApiError) as refused:
        require_worker(session, registry, Queue.GENERATE)
    assert (refused.value.code, refused.value.status) == (ErrorCode.NO_WORKER, 503)


def test_a_beat_opens_the_queues_that_the_worker_serves_and_no_other(registry: Registry) -> None:
    beat_once(registry, [Queue.GENERATE])
    with transaction_scope(registry) as session:
        require_worker(session, registry, Queue.GENERATE)
        with pytest.raises(ApiError):
            require_worker(session, registry, Queue.POLL)


def test_a_worker_that_is_silent_for_15_seconds_counts_as_gone(registry: Registry) -> None:
    beat_once(registry, list(Queue))
    for seconds, online in ((14, True), (16, False)):
        with transaction_scope(registry) as session:
            session.execute(
                text("UPDATE worker_beat SET last_seen_at = now() - make_interval(secs => :s)"),
                {"s": seconds},
            )
        with transaction_scope(registry) as session:
            if online:
                require_worker(session, registry, Queue.POLL)
            else:
                with pytest.raises(ApiError):
                    require_worker(session, registry, Queue.POLL)


def test_a_worker_beats_into_one_row_and_takes_it_along_when_it_stops(registry: Registry) -> None:
    beat_once(registry, [Queue.GENERATE])
    beat_once(registry, [Queue.GENERATE, Queue.POLL])
    with transaction_scope(registry) as session:
        assert session.scalars(select(WorkerBeat.queues)).one() == ["generate", "poll"]
    say_goodbye(registry)
    with transaction_scope(registry) as session:
        assert session.scalars(select(WorkerBeat.id)).all() == []


def test_readiness_names_the_queues_without_a_worker(registry: Registry, api: TestApp) -> None:
    beat_once(registry, [Queue.GENERATE, Queue.POLL])
    checks = api.get("/api/health/ready/").json["checks"]
    assert checks["workers"] == {"status": "ok", "detail": "no worker for export"}
    assert checks["queue"] == {"status": "ok", "detail": "postgres"}
    assert checks["migrations"] == {"status": "ok", "detail": "current"}


def test_a_server_that_came_with_a_worker_is_ready_once_that_is_online(
    registry: Registry, api: TestApp
) -> None:
    jobs_of(registry).expects_worker = True
    try:
        assert api.get("/api/health/ready/", status=503).json["checks"]["workers"]["status"] == "failing"
        beat_once(registry, list(Queue))
        api.get("/api/health/ready/", status=200)
    finally:
        jobs_of(registry).expects_worker = False


def test_the_sweep_removes_what_is_old_and_over(registry: Registry) -> None:
    with transaction_scope(registry) as session:
        for state, days in ((JobState.DONE, 8), (JobState.DONE, 6), (JobState.OPEN, 8)):
            job = Job(kind=KIND, subject_id=uuid.uuid4(), queue=Queue.POLL, fence=0, state=state)
            session.add(job)
            session.flush()
            if state == JobState.DONE:
                aged = text("UPDATE job SET finished_at = now() - make_interval(days => :d) WHERE id = :id")
                session.execute(aged, {"d": days, "id": job.id})
        session.execute(
            text("INSERT INTO recurring_run VALUES ('old', now() - interval '2 days'), ('new', now())")
        )
    sweep(registry)
    with transaction_scope(registry) as session:
        assert sorted(session.scalars(select(Job.state))) == [JobState.DONE, JobState.OPEN]
        assert session.scalars(select(RecurringRun.name)).all() == ["new"]
