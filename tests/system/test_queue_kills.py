"""Nothing is lost and nothing settled twice, whatever dies."""

from __future__ import annotations

import random
import signal

import pytest

from tests.system.farm import Farm
from tests.system.processes import eventually, is_alive, kill


def let_die_and_finish(farm: Farm, *, jobs: int, kills: int, within: float) -> None:
    """Between orders, workers are killed in the middle of a job."""
    chance = random.Random(20)
    workers = farm.start_workers(3)
    for number in range(jobs):
        farm.order(chance.uniform(0.0, 0.5), steps=2 if number % 10 == 0 else 1)
        if number % (jobs // kills) == 0:
            busy = eventually(lambda: farm.at_work(workers), what="a worker to begin a job")
            victim = chance.choice(busy)
            kill(victim)
            workers[workers.index(victim)] = farm.start_worker()
    eventually(lambda: farm.open_jobs() == 0, within=within, every=0.2, what="all jobs to finish")


def test_100_jobs_under_10_kills_are_each_settled_once(farm: Farm) -> None:
    """Of jobs alone; 300 whole orders under 30 kills are in ``test_generation_storm``."""
    let_die_and_finish(farm, jobs=100, kills=10, within=40)
    assert (farm.settled(), farm.settled_twice()) == (100, 0)
    # 110 steps; a job may end between the look at it and the kill.
    assert farm.steps_begun() > 110 + 5, "the kills were meant to hit running jobs"


@pytest.mark.nightly
def test_5000_jobs_under_500_kills_are_each_settled_once(farm: Farm) -> None:
    let_die_and_finish(farm, jobs=5000, kills=500, within=600)
    assert (farm.settled(), farm.settled_twice()) == (5000, 0)


def test_a_job_whose_worker_dies_is_taken_over(farm: Farm) -> None:
    (first,) = farm.start_workers(1)
    order = farm.order(1.0)
    eventually(lambda: farm.scalar("SELECT begun FROM probe_order WHERE id = :id", id=order) == 1)
    kill(first)
    second = farm.start_worker()
    eventually(lambda: farm.settled() == 1, what="the job to finish")
    assert farm.scalar("SELECT pid FROM probe_order WHERE id = :id", id=order) == second
    assert farm.scalar("SELECT attempt FROM job WHERE subject_id = :id", id=order) == 2


def test_a_job_that_outlasts_its_lease_stays_with_its_worker(farm: Farm) -> None:
    farm.start_workers(2)
    order = farm.order(4.0)
    eventually(lambda: farm.settled() == 1, what="the job to finish")
    assert farm.scalar("SELECT begun FROM probe_order WHERE id = :id", id=order) == 1


def test_a_worker_told_to_stop_finishes_what_it_runs_and_takes_nothing_new(farm: Farm) -> None:
    (worker,) = farm.start_workers(1)
    running = farm.order(1.0)
    eventually(lambda: farm.scalar("SELECT begun FROM probe_order WHERE id = :id", id=running) == 1)
    kill(worker, signal.SIGTERM)
    eventually(lambda: farm.online() == 0, what="the worker to go off line")
    waiting = farm.order(0.0)
    eventually(lambda: not is_alive(worker), what="the worker to end")
    assert farm.scalar("SELECT count(*) FROM probe_effect WHERE order_id = :id", id=running) == 1
    assert farm.scalar("SELECT begun FROM probe_order WHERE id = :id", id=waiting) == 0
    farm.start_worker()
    eventually(lambda: farm.settled() == 2, what="the next worker to do it")


def test_a_second_signal_hands_running_work_over_at_once(farm: Farm) -> None:
    (worker,) = farm.start_workers(1)
    order = farm.order(60.0)
    eventually(lambda: farm.scalar("SELECT begun FROM probe_order WHERE id = :id", id=order) == 1)
    kill(worker, signal.SIGINT)
    eventually(lambda: farm.online() == 0, what="the worker to drain")
    kill(worker, signal.SIGINT)
    eventually(lambda: not is_alive(worker), within=5, what="the worker to end")
    assert farm.scalar("SELECT lease_until IS NULL AND held_by IS NULL FROM job") is True
    farm.start_worker()
    eventually(lambda: farm.scalar("SELECT begun FROM probe_order WHERE id = :id", id=order) == 2)


def test_a_commit_whose_ring_is_lost_finishes_through_the_scan(farm: Farm) -> None:
    farm.start_workers(1)
    farm.order(ring=False)
    eventually(lambda: farm.settled() == 1, within=10, what="the scan to find the job")
