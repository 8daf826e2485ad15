"""Stuck tasks given up: which, once, and what becomes of work that still goes on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from pyramid.registry import Registry
from sqlalchemy import func, select

from contentsvc.jobs.models import Job
from tests.functional import boarding
from tests.functional.boarding import shown
from tests.functional.clipping import ACCEPTED
from tests.functional.conftest import Client
from tests.functional.crowds import at_once
from tests.functional.generating import Database, Studio, add_fake_models, ledger_of, order, read
from tests.functional.grouping import picture_studio
from tests.functional.projecting import add_project, add_script
from tests.functional.tasking import (
    TASKS,
    at_work,
    audited,
    chain,
    detail,
    failed_picture,
    pass_minutes,
    reap,
    retry,
    set_task,
    stuck_picture,
)


@pytest.fixture
def studio(registry: Registry, database: Database) -> Iterator[Studio]:
    with picture_studio(registry, database) as studio:
        with database() as session:
            add_fake_models(session, studio.provider.url)
        yield studio


def test_a_stuck_task_fails_and_is_refunded(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = stuck_picture(studio, owner)
    reply = reap(admin, task_id)
    assert (reply["id"], reply["status"], reply["actual_cost"], reply["reapable"]) == (
        task_id,
        "failed",
        None,
        False,
    )
    assert ledger_of(owner, task_id) == ["RESERVE", "RELEASE"]
    assert owner.get("/api/billing/summary/").json["frozen"] == "0.00"


def test_the_team_reads_why(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = stuck_picture(studio, owner)
    reap(admin, task_id)
    assert "given up" in read(owner, task_id)["error_message"]


def test_giving_up_twice_refunds_once(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = stuck_picture(studio, owner)
    reap(admin, task_id)
    assert reap(admin, task_id, status=400)["code"] == "not_reapable"
    assert ledger_of(owner, task_id) == ["RESERVE", "RELEASE"]


def test_ten_minutes_are_not_enough(studio: Studio, owner: Client, admin: Client) -> None:
    [task_id] = order(owner)
    pass_minutes(studio.registry, 9.9)
    assert reap(admin, task_id, status=400)["code"] == "not_reapable"
    assert read(owner, task_id)["status"] == "RESERVED"


@pytest.mark.parametrize("status", ["SUBMITTED", "POLLING", "succeeded", "failed"])
def test_only_reserved_tasks_are_given_up(studio: Studio, owner: Client, admin: Client, status: str) -> None:
    task_id = stuck_picture(studio, owner)
    set_task(studio.registry, task_id, status=status)
    assert detail(admin, task_id)["reapable"] is False
    assert reap(admin, task_id, status=400)["code"] == "not_reapable"


def test_an_accepted_order_is_waited_for(studio: Studio, owner: Client, admin: Client) -> None:
    studio.provider.replies.append(ACCEPTED)
    task_id = stuck_picture(studio, owner)
    studio.work()
    assert read(owner, task_id)["status"] == "succeeded"
    reap(admin, task_id, status=400)


def test_the_age_counts_from_the_latest_reservation(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = failed_picture(studio, owner)
    pass_minutes(studio.registry, 30)
    retry(admin, task_id)
    reap(admin, task_id, status=400)
    pass_minutes(studio.registry, 11)
    assert reap(admin, task_id)["status"] == "failed"


def test_a_given_up_task_can_be_tried_again(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = stuck_picture(studio, owner)
    reap(admin, task_id)
    retry(admin, task_id)
    studio.work()
    assert read(owner, task_id)["status"] == "succeeded"


def test_its_job_is_closed(studio: Studio, owner: Client, admin: Client) -> None:
    reap(admin, stuck_picture(studio, owner))
    with studio.database() as session:
        assert session.scalars(select(Job.id).where(Job.state == "open")).all() == []


def test_giving_up_is_recorded(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = stuck_picture(studio, owner)
    reap(admin, task_id)
    reap(admin, task_id, status=400)
    assert audited(studio.registry, task_id) == [("task.reap", "RESERVED", "failed")]


def test_owners_can_not_give_up(studio: Studio, owner: Client) -> None:
    reap(owner, stuck_picture(studio, owner), status=403)


def test_a_storyboards_own_task_is_never_given_up(
    studio: Studio, registry: Registry, owner: Client, admin: Client
) -> None:
    project = add_project(registry, owner.team_id)
    add_script(registry, owner.team_id, project, adopted=True)
    umbrella = boarding.generate(owner, project)["task"]["id"]
    set_task(registry, umbrella, created_at=func.now() - timedelta(days=1))
    assert detail(admin, umbrella)["reapable"] is False
    assert reap(admin, umbrella, status=400)["code"] == "not_reapable"


def test_a_shot_given_up_counts_as_failed(
    studio: Studio, registry: Registry, owner: Client, admin: Client
) -> None:
    project = add_project(registry, owner.team_id)
    add_script(registry, owner.team_id, project, segments=[{"narration": "One."}], adopted=True)
    boarding.generate(owner, project)
    [shot] = boarding.tasks(owner, project, "storyboard_image")
    pass_minutes(registry, 11)
    reap(admin, shot["id"])
    assert shown(owner, project)["status"] == "failed"
    assert boarding.tasks(owner, project, "storyboard")[0]["status"] == "failed"


# Work that still goes on


def test_a_late_result_is_kept_and_not_charged(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = stuck_picture(studio, owner)
    with at_work(studio):
        reap(admin, task_id)
    task = read(owner, task_id)
    assert (task["status"], task["actual_cost"], len(task["assets"])) == ("failed", None, 1)
    assert ledger_of(owner, task_id) == ["RESERVE", "RELEASE"]


def test_a_late_result_is_kept_though_the_task_was_ordered_anew(
    studio: Studio, owner: Client, admin: Client
) -> None:
    task_id = stuck_picture(studio, owner)
    with at_work(studio):
        reap(admin, task_id)
        retry(admin, task_id)
    studio.work()
    task = read(owner, task_id)
    assert (task["status"], [asset["metadata"].get("late") for asset in task["assets"]]) == (
        "succeeded",
        [True, None],
    )
    assert chain(owner, task_id) == [("RESERVE", 1), ("RELEASE", 1), ("RESERVE", 2), ("CHARGE", 2)]


def test_an_order_on_its_way_has_an_unknown_outcome(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = stuck_picture(studio, owner)
    with at_work(studio):
        assert reap(admin, task_id)["metadata"]["outcome_unknown"] is True


def test_an_order_that_never_went_out_has_none(studio: Studio, owner: Client, admin: Client) -> None:
    assert "outcome_unknown" not in reap(admin, stuck_picture(studio, owner))["metadata"]


def test_two_administrators_at_once_refund_once(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = stuck_picture(studio, owner)
    path = f"{TASKS}{task_id}/reap/"
    replies = at_once(*[lambda: admin.post(path, expect_errors=True).status_int] * 8)
    assert sorted(replies) == [200] + [400] * 7
    assert ledger_of(owner, task_id) == ["RESERVE", "RELEASE"]


@pytest.mark.parametrize("_time", range(4))
def test_a_worker_that_settles_at_that_moment_settles_or_is_too_late(
    studio: Studio, owner: Client, admin: Client, _time: int
) -> None:
    task_id = stuck_picture(studio, owner)
    path = f"{TASKS}{task_id}/reap/"
    with at_work(studio) as gate:
        reply, *_ = at_once(lambda: admin.post(path, expect_errors=True).status_int, lambda: gate.set() or 0)
    task = read(owner, task_id)
    ends = {200: ("failed", "RELEASE"), 400: ("succeeded", "CHARGE")}
    assert (task["status"], ledger_of(owner, task_id)[1:]) == (ends[reply][0], [ends[reply][1]])
    assert len(task["assets"]) == 1
