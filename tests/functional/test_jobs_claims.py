"""Claims, fences and leases on real rows."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from pyramid.registry import Registry
from sqlalchemy import select, text

from contentsvc.db.session import transaction_scope
from contentsvc.jobs.claims import claim, renew
from contentsvc.jobs.leases import held, renew_once
from contentsvc.jobs.models import Job, JobState, Queue
from contentsvc.jobs.run import JobRun
from contentsvc.jobs.runner import run_due, run_job
from contentsvc.jobs.services import enqueue
from contentsvc.jobs.state import Runner, jobs_of

KIND = "test.claims"


@pytest.fixture
def on_run(registry: Registry) -> Iterator[Callable[[Runner], None]]:
    """``on_run(function)``: what runs the jobs of this test."""
    runners = jobs_of(registry).runners
    before = dict(runners)

    def set_runner(runner: Runner) -> None:
        runners[KIND] = (Queue.GENERATE, runner)

    set_runner(finish)
    yield set_runner
    runners.clear()
    runners.update(before)


def finish(run: JobRun) -> None:
    with transaction_scope(run.registry) as session:
        assert run.finish(session)


def new_job(registry: Registry, delay_seconds: float = 0) -> uuid.UUID:
    with transaction_scope(registry) as session:
        return enqueue(session, registry, KIND, uuid.uuid4(), delay_seconds=delay_seconds).id


def row(registry: Registry, job_id: uuid.UUID) -> Job:
    with transaction_scope(registry) as session:
        return session.scalars(select(Job).where(Job.id == job_id)).one()


def seconds_until(registry: Registry, column: str, job_id: uuid.UUID) -> float:
    with transaction_scope(registry) as session:
        query = text(f"SELECT extract(epoch FROM {column} - clock_timestamp()) FROM job WHERE id = :id")
        return float(session.execute(query, {"id": job_id}).scalar_one())


def run_lease_out(registry: Registry, job_id: uuid.UUID) -> None:
    """As after the lease's length without a word of the holder."""
    with transaction_scope(registry) as session:
        past = text("UPDATE job SET lease_until = now() - interval '1 s', ring_at = now() WHERE id = :id")
        session.execute(past, {"id": job_id})


@pytest.mark.usefixtures("on_run")
def test_a_job_runs_and_is_done(registry: Registry) -> None:
    job_id = new_job(registry)
    assert run_due(registry) == 1
    job = row(registry, job_id)
    assert (job.state, job.attempt, job.fence, job.lease_until, job.held_by) == (
        JobState.DONE,
        1,
        1,
        None,
        None,
    )
    assert job.finished_at is not None


@pytest.mark.usefixtures("on_run")
def test_a_second_ring_does_nothing(registry: Registry) -> None:
    job_id = new_job(registry)
    assert run_job(registry, job_id, 0) is True
    assert run_job(registry, job_id, 0) is False
    assert row(registry, job_id).attempt == 1


@pytest.mark.usefixtures("on_run")
def test_of_many_claims_at_once_one_succeeds(registry: Registry) -> None:
    job_id = new_job(registry)
    together = threading.Barrier(8)

    def try_it(_number: int) -> JobRun | None:
        together.wait()
        return claim(registry, job_id, 0)

    with ThreadPoolExecutor(8) as pool:
        runs = [run for run in pool.map(try_it, range(8)) if run is not None]
    assert [(run.attempt, run.fence) for run in runs] == [(1, 1)]


@pytest.mark.usefixtures("on_run")
def test_a_claim_holds_the_job_for_a_lease_in_this_processs_name(registry: Registry) -> None:
    job_id = new_job(registry)
    assert claim(registry, job_id, 0) is not None
    job = row(registry, job_id)
    assert job.held_by == jobs_of(registry).worker_id
    assert 25 < seconds_until(registry, "lease_until", job_id) <= 30
    assert run_due(registry) == 0


@pytest.mark.usefixtures("on_run")
def test_a_lease_that_ran_out_is_taken_over_and_fences_the_first_holder_out(registry: Registry) -> None:
    job_id = new_job(registry)
    first = claim(registry, job_id, 0)
    assert first is not None
    run_lease_out(registry, job_id)
    second = claim(registry, job_id, 1)
    assert second is not None
    assert (second.attempt, second.fence) == (2, 2)
    assert (first.still_held(), second.still_held()) == (False, True)
    with transaction_scope(registry) as session:
        assert first.finish(session) is False
        assert first.again(session, 5) is False
    assert row(registry, job_id).state == JobState.OPEN
    with transaction_scope(registry) as session:
        assert second.finish(session) is True


@pytest.mark.usefixtures("on_run")
def test_a_ring_for_an_earlier_claim_finds_nothing(registry: Registry) -> None:
    job_id = new_job(registry)
    assert claim(registry, job_id, 0) is not None
    run_lease_out(registry, job_id)
    assert claim(registry, job_id, 0) is None
    assert claim(registry, job_id, 1) is not None


def test_again_keeps_the_job_open_and_due_later(registry: Registry, on_run: Callable[[Runner], None]) -> None:
    def ask_again(run: JobRun) -> None:
        with transaction_scope(run.registry) as session:
            assert run.again(session, 40)

    on_run(ask_again)
    job_id = new_job(registry)
    assert run_due(registry) == 1
    job = row(registry, job_id)
    assert (job.state, job.attempt, job.lease_until, job.held_by) == (JobState.OPEN, 1, None, None)
    assert 35 < seconds_until(registry, "ring_at", job_id) <= 40


def test_attempts_count_claims_until_there_is_progress(
    registry: Registry, on_run: Callable[[Runner], None]
) -> None:
    attempts: list[int] = []

    def step(run: JobRun) -> None:
        attempts.append(run.attempt)
        with transaction_scope(run.registry) as session:
            if len(attempts) == 4:
                assert run.finish(session)
            else:
                assert run.again(session, 0, progress=len(attempts) == 2)

    on_run(step)
    new_job(registry)
    assert run_due(registry) == 4
    assert attempts == [1, 2, 1, 2]


def test_a_runner_that_raises_is_tried_again_after_a_growing_pause(
    registry: Registry, on_run: Callable[[Runner], None]
) -> None:
    def fail(_run: JobRun) -> None:
        raise RuntimeError("no luck")

    on_run(fail)
    job_id = new_job(registry)
    pauses = []
    for fence in range(3):
        assert run_job(registry, job_id, fence) is True
        pauses.append(round(seconds_until(registry, "ring_at", job_id)))
        assert row(registry, job_id).lease_until is None
    assert pauses == [2, 4, 8]


def test_what_a_raising_runner_wrote_in_its_transaction_is_gone(
    registry: Registry, on_run: Callable[[Runner], None]
) -> None:
    def fail_late(run: JobRun) -> None:
        with transaction_scope(run.registry) as session:
            assert run.finish(session)
            raise RuntimeError("after finish, before the commit")

    on_run(fail_late)
    job_id = new_job(registry)
    run_due(registry)
    job = row(registry, job_id)
    assert (job.state, job.lease_until) == (JobState.OPEN, None)


def test_a_runner_that_leaves_the_job_open_is_asked_again(
    registry: Registry, on_run: Callable[[Runner], None]
) -> None:
    on_run(lambda _run: None)
    job_id = new_job(registry)
    run_due(registry)
    assert row(registry, job_id).lease_until is None
    assert seconds_until(registry, "ring_at", job_id) > 1


@pytest.mark.usefixtures("on_run")
def test_a_delayed_job_waits(registry: Registry) -> None:
    job_id = new_job(registry, delay_seconds=60)
    assert run_due(registry) == 0
    assert seconds_until(registry, "ring_at", job_id) > 55


@pytest.mark.usefixtures("on_run")
def test_a_renewal_extends_the_lease_of_the_newest_fence_only(registry: Registry) -> None:
    job_id = new_job(registry)
    first = claim(registry, job_id, 0)
    run_lease_out(registry, job_id)
    second = claim(registry, job_id, 1)
    assert first is not None
    assert second is not None
    assert renew(registry, [first]) == set()
    assert renew(registry, [second]) == {second}


@pytest.mark.usefixtures("on_run")
def test_a_run_learns_that_its_lease_is_anothers(registry: Registry) -> None:
    job_id = new_job(registry)
    first = claim(registry, job_id, 0)
    run_lease_out(registry, job_id)
    second = claim(registry, job_id, 1)
    assert first is not None
    assert second is not None
    renew_once(registry, [first, second])
    assert (first.lost.is_set(), second.lost.is_set()) == (True, False)


@pytest.mark.usefixtures("on_run")
def test_a_run_that_finished_is_not_told_that_it_lost_its_lease(registry: Registry) -> None:
    job_id = new_job(registry)
    run = claim(registry, job_id, 0)
    assert run is not None
    with transaction_scope(registry) as session:
        assert run.finish(session)
    renew_once(registry, [run])
    assert not run.lost.is_set()


@pytest.mark.usefixtures("on_run")
def test_a_run_learns_that_its_lease_ran_out_unrenewed(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = claim(registry, new_job(registry), 0)
    assert run is not None

    def unreachable(*_args: object) -> None:
        raise ConnectionError("the database is away")

    monkeypatch.setattr("contentsvc.jobs.leases.renew", unreachable)
    renew_once(registry, [run])
    assert not run.lost.is_set()
    run.renewed_at -= 31
    renew_once(registry, [run])
    assert run.lost.is_set()


@pytest.mark.usefixtures("on_run")
def test_a_held_run_is_known_to_the_process_for_as_long_as_it_runs(registry: Registry) -> None:
    run = claim(registry, new_job(registry), 0)
    assert run is not None
    with held(run):
        assert jobs_of(registry).held == {run}
    assert jobs_of(registry).held == set()


def test_a_job_of_an_unknown_kind_stays_open_and_is_rung_again_later(registry: Registry) -> None:
    with transaction_scope(registry) as session:
        job = Job(kind="test.of-tomorrow", subject_id=uuid.uuid4(), queue=Queue.GENERATE, fence=0)
        session.add(job)
    assert run_job(registry, job.id, 0) is False
    stored = row(registry, job.id)
    assert (stored.state, stored.attempt, stored.fence) == (JobState.OPEN, 0, 0)
    assert 3 < seconds_until(registry, "ring_at", job.id) <= 5


def test_nothing_is_enqueued_that_nobody_could_run(registry: Registry) -> None:
    with transaction_scope(registry) as session, pytest.raises(LookupError, match=r"test\.of-tomorrow"):
        enqueue(session, registry, "test.of-tomorrow", uuid.uuid4())


@pytest.mark.usefixtures("on_run")
def test_a_draining_process_rings_for_others_instead_of_running(registry: Registry) -> None:
    job_id = new_job(registry)
    jobs_of(registry).draining.set()
    try:
        assert run_job(registry, job_id, 0) is False
    finally:
        jobs_of(registry).draining.clear()
    assert row(registry, job_id).attempt == 0
    with transaction_scope(registry) as session:
        rings = session.scalars(text("SELECT convert_from(data, 'UTF8') FROM huey_task ORDER BY id")).all()
    assert [str(job_id) in ring for ring in rings] == [True, True]
