"""The administrator's view of all tasks, and what he tries again."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl

import pytest
from pyramid.registry import Registry
from sqlalchemy import delete, text, update

from contentsvc.backoffice.tasks import AdminTaskQuery, _matching
from contentsvc.billing.models import BillingConfig
from contentsvc.db.session import engine_of
from contentsvc.generation.models import AITask
from contentsvc.jobs.models import WorkerBeat
from contentsvc.providers.models import ModelConfig
from tests.fakes.provider import Reply
from tests.functional import boarding
from tests.functional.boarding import REJECTED, shown, standing
from tests.functional.conftest import Client
from tests.functional.crowds import at_once
from tests.functional.generating import Database, Studio, add_fake_models, order, read, unknown_id
from tests.functional.grouping import generate, groups, picture_studio
from tests.functional.projecting import act, add_project, add_script
from tests.functional.queries import count_queries
from tests.functional.tasking import (
    TASKS,
    audited,
    chain,
    detail,
    failed_picture,
    found,
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


@pytest.fixture
def project(registry: Registry, owner: Client) -> str:
    """A project whose adopted script has three segments."""
    project_id = add_project(registry, owner.team_id)
    add_script(registry, owner.team_id, project_id, adopted=True)
    return project_id


# The list


def test_the_list_has_every_teams_tasks_newest_first(
    studio: Studio, owner: Client, other: Client, admin: Client
) -> None:
    [first], [second] = order(owner), order(other)
    rows = admin.get(TASKS).json["results"]
    assert [(row["id"], row["team"]) for row in rows] == [
        (second, str(other.team_id)),
        (first, str(owner.team_id)),
    ]


@pytest.mark.parametrize("path", [TASKS, f"{TASKS}{unknown_id()}/"])
def test_owners_do_not_see_it(owner: Client, path: str) -> None:
    assert owner.get(path, status=403).json["code"] == "permission_denied"


def test_filters_add_up(studio: Studio, owner: Client, other: Client, admin: Client) -> None:
    failed = failed_picture(studio, owner)
    order(owner)
    order(other)
    everything = {"team": str(owner.team_id), "status": "failed", "task_type": "free_image,tri_view_image"}
    assert found(admin, **everything) == [failed]
    assert found(admin, **{**everything, "task_type": "free_video"}) == []


@pytest.mark.parametrize(
    "query", [{"status": "lost"}, {"task_type": "song"}, {"anomaly": "1"}, {"team": "us"}]
)
def test_an_unknown_value_of_a_filter_is_refused(admin: Client, query: Any) -> None:
    [field] = admin.get(TASKS, query, status=400).json
    assert field.partition(".")[0] in query


def test_far_more_charged_than_estimated_is_an_anomaly(studio: Studio, owner: Client, admin: Client) -> None:
    odd, usual = order(owner, count=2)
    set_task(studio.registry, odd, actual_cost=Decimal("0.46"), estimated_cost=Decimal("0.30"))
    set_task(studio.registry, usual, actual_cost=Decimal("0.45"), estimated_cost=Decimal("0.30"))
    assert found(admin, anomaly="cost") == [odd]
    assert [detail(admin, task)["cost_anomaly"] for task in (odd, usual)] == [True, False]


def test_lost_orders_can_be_listed(studio: Studio, owner: Client, admin: Client) -> None:
    studio.provider.replies.append(Reply(cut=True))
    [lost] = order(owner)
    studio.work()
    order(owner)
    assert found(admin, anomaly="outcome_unknown") == [lost]


def test_a_reserved_task_of_eleven_minutes_is_reapable(studio: Studio, owner: Client, admin: Client) -> None:
    stuck = stuck_picture(studio, owner)
    [fresh] = order(owner)
    rows = {row["id"]: row["reapable"] for row in admin.get(TASKS).json["results"]}
    assert rows == {stuck: True, fresh: False}


def test_the_list_costs_the_same_for_one_and_for_many(
    studio: Studio, owner: Client, admin: Client, registry: Registry
) -> None:
    order(owner)
    with count_queries(registry) as one:
        found(admin)
    order(owner, count=3)
    with count_queries(registry) as many:
        found(admin)
    assert len(one) == len(many)


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("", "ix_ai_task_created_at_id"),
        ("status=failed", "ix_ai_task_status_created_at_id"),
        ("task_type=free_image", "ix_ai_task_task_type_created_at_id"),
        ("anomaly=cost", "ix_ai_task_cost_anomalies"),
        ("anomaly=outcome_unknown", "ix_ai_task_unknown_outcomes"),
    ],
)
def test_every_filter_of_the_list_has_an_index(registry: Registry, query: str, index: str) -> None:
    asked = AdminTaskQuery.model_validate(dict(parse_qsl(query)))
    with engine_of(registry).begin() as connection:
        # An empty table would be read whole, and sorted.
        connection.execute(text("SET LOCAL enable_seqscan = off"))
        connection.execute(text("SET LOCAL enable_sort = off"))
        connection.execute(text("SET LOCAL enable_bitmapscan = off"))
        statement = _matching(asked).limit(20).compile(connection, compile_kwargs={"literal_binds": True})
        plan = "".join(connection.scalars(text(f"EXPLAIN {statement}".replace(":", "\\:"))))
    assert index in plan


def test_a_task_comes_with_its_request(studio: Studio, owner: Client, admin: Client) -> None:
    [task_id] = order(owner, prompt="a quiet table")
    assert detail(admin, task_id)["request"]["brief"] == "a quiet table"


def test_an_unknown_task_is_not_found(admin: Client) -> None:
    admin.get(f"{TASKS}{unknown_id()}/", status=404)


# Trying again


def test_a_retried_picture_is_reserved_anew_and_made(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = failed_picture(studio, owner)
    assert retry(admin, task_id) == {"retried": True, "task_id": task_id}
    task = read(owner, task_id)
    assert (task["status"], task["error_message"], task["finished_at"]) == ("RESERVED", "", None)
    studio.work()
    assert read(owner, task_id)["status"] == "succeeded"
    assert chain(owner, task_id) == [("RESERVE", 1), ("RELEASE", 1), ("RESERVE", 2), ("CHARGE", 2)]


def test_a_retried_picture_can_fail_again(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = failed_picture(studio, owner)
    retry(admin, task_id)
    studio.provider.replies.append(REJECTED)
    studio.work()
    assert read(owner, task_id)["status"] == "failed"
    retry(admin, task_id)
    assert [number for _, number in chain(owner, task_id)] == [1, 1, 2, 2, 3]


def test_the_price_of_the_first_order_holds(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = failed_picture(studio, owner)
    with studio.database() as session:
        session.execute(update(ModelConfig).values(unit_price=Decimal(9)))
        session.execute(update(BillingConfig).values(margin_factor=Decimal(3)))
    retry(admin, task_id)
    studio.work()
    assert read(owner, task_id)["actual_cost"] == "0.30"


def test_a_retried_task_has_no_unknown_outcome_any_more(studio: Studio, owner: Client, admin: Client) -> None:
    studio.provider.replies.append(Reply(cut=True))
    [task_id] = order(owner)
    studio.work()
    retry(admin, task_id)
    assert "outcome_unknown" not in read(owner, task_id)["metadata"]


def test_an_order_tried_again_is_a_new_one_to_the_provider(
    studio: Studio, owner: Client, admin: Client
) -> None:
    retry(admin, failed_picture(studio, owner))
    studio.work()
    first, second = (sent["key"] for sent in studio.provider.orders)
    assert first != second


@pytest.mark.parametrize(
    ("status", "task_type"),
    [
        ("RESERVED", "free_image"),
        ("succeeded", "free_image"),
        ("failed", "free_video"),
        ("failed", "storyboard"),
    ],
)
def test_only_failed_pictures_are_tried_again(
    studio: Studio, owner: Client, admin: Client, status: str, task_type: str
) -> None:
    [task_id] = order(owner)
    set_task(studio.registry, task_id, status=status, task_type=task_type)
    assert retry(admin, task_id, status=400)["code"] == "not_retryable"
    assert audited(studio.registry, task_id) == []


def test_without_credit_nothing_is_tried_again(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = failed_picture(studio, owner)
    admin.post_json(
        "/api/admin/ledgers/adjust/", {"team": str(owner.team_id), "amount": -100, "reason": "test"}
    )
    assert retry(admin, task_id, status=402)["code"] == "insufficient_balance"
    assert read(owner, task_id)["status"] == "failed"


def test_without_a_worker_nothing_is_tried_again(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = failed_picture(studio, owner)
    with studio.database() as session:
        session.execute(delete(WorkerBeat))
    assert retry(admin, task_id, status=503)["code"] == "no_worker"


def test_without_its_model_nothing_is_tried_again(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = failed_picture(studio, owner)
    with studio.database() as session:
        session.execute(update(ModelConfig).values(status="inactive"))
    assert retry(admin, task_id, status=503)["code"] == "no_model"


def test_of_two_who_try_again_at_once_one_does(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = failed_picture(studio, owner)
    path = f"{TASKS}{task_id}/retry/"
    replies = at_once(*[lambda: admin.post(path, expect_errors=True).status_int] * 2)
    assert sorted(replies) == [200, 400]
    assert chain(owner, task_id) == [("RESERVE", 1), ("RELEASE", 1), ("RESERVE", 2)]


def test_a_retry_is_recorded(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = failed_picture(studio, owner)
    retry(admin, task_id)
    assert audited(studio.registry, task_id) == [("task.retry", "failed", "RESERVED")]


def test_owners_can_not_try_again(studio: Studio, owner: Client) -> None:
    retry(owner, failed_picture(studio, owner), status=403)


def test_a_picture_is_explained_without_a_buffer(studio: Studio, owner: Client) -> None:
    [task_id] = order(owner)
    price = owner.get(f"/api/ai/tasks/{task_id}/explain/").json["price"]
    assert (price["list"], price["multiplier"], price["buffer"], price["estimated"]) == (
        "0.30",
        "1",
        "1",
        "0.30",
    )


def test_every_reservation_is_explained(studio: Studio, owner: Client, admin: Client) -> None:
    task_id = failed_picture(studio, owner)
    retry(admin, task_id)
    studio.work()
    found = owner.get(f"/api/ai/tasks/{task_id}/explain/").json
    assert [each["outcome"] for each in found["attempts"]] == ["rejected", "succeeded"]
    assert [step["status"] for step in found["timeline"]] == ["RESERVED", "failed", "RESERVED", "succeeded"]


# What a task is part of


def _umbrella(client: Client, project: str) -> Any:
    return boarding.tasks(client, project, "storyboard")[0]


def _failed_shot(studio: Studio, client: Client, project: str) -> str:
    """A storyboard whose third shot has failed; the shot's task."""
    boarding.generate(client, project)
    studio.provider.replies.extend([Reply(), Reply(), REJECTED])
    studio.work()
    [task] = [
        task for task in boarding.tasks(client, project, "storyboard_image") if task["status"] == "failed"
    ]
    return str(task["id"])


def test_a_retried_shot_is_being_made_and_its_storyboard_with_it(
    studio: Studio, owner: Client, admin: Client, project: str
) -> None:
    retry(admin, _failed_shot(studio, owner, project))
    found = shown(owner, project)
    assert (found["status"], found["done"], found["total"]) == ("generating", 2, 3)
    assert sorted(shot["status"] for shot in found["shots"]) == ["generating", "succeeded", "succeeded"]
    assert _umbrella(owner, project)["status"] == "RESERVED"
    assert standing(owner, project) == ("storyboard", "in_progress")


def test_a_retried_shot_completes_its_storyboard(
    studio: Studio, owner: Client, admin: Client, project: str
) -> None:
    retry(admin, _failed_shot(studio, owner, project))
    studio.work()
    found = shown(owner, project)
    assert (found["status"], found["done"], found["error"]) == ("succeeded", 3, None)
    assert _umbrella(owner, project)["status"] == "succeeded"
    assert standing(owner, project) == ("video", "in_progress")


def test_a_shot_that_fails_again_fails_its_storyboard_again(
    studio: Studio, owner: Client, admin: Client, project: str
) -> None:
    retry(admin, _failed_shot(studio, owner, project))
    studio.provider.replies.append(REJECTED)
    studio.work()
    assert _umbrella(owner, project)["status"] == shown(owner, project)["status"] == "failed"
    assert standing(owner, project) == ("storyboard", "failed")


def test_a_shot_ordered_anew_since_is_left_alone(
    studio: Studio, owner: Client, admin: Client, project: str
) -> None:
    task_id = _failed_shot(studio, owner, project)
    shot = next(shot for shot in shown(owner, project)["shots"] if shot["status"] == "failed")
    act(owner, project, "rerun-storyboard-shot", {"shot_id": shot["shot_id"]}, status=202)
    studio.work()
    retry(admin, task_id)
    found = shown(owner, project)
    assert (found["status"], {shot["status"] for shot in found["shots"]}) == ("succeeded", {"succeeded"})


def test_a_retried_base_asset_joins_its_group(
    studio: Studio, owner: Client, admin: Client, project: str
) -> None:
    studio.provider.replies.append(REJECTED)
    task_id = generate(owner, project, label="Mira")["task"]["id"]
    studio.work()
    assert groups(owner, project) == []
    retry(admin, task_id)
    studio.work()
    [group] = groups(owner, project)
    assert (group["label"], len(group["candidate_assets"])) == ("Mira", 1)


def test_a_storyboards_own_task_is_explained_without_a_price(
    studio: Studio, owner: Client, project: str
) -> None:
    boarding.made(studio, owner, project)
    found = owner.get(f"/api/ai/tasks/{_umbrella(owner, project)['id']}/explain/").json
    price = found["price"]
    assert (price["unit_price"], price["estimated"], price["charged"]) == (None, "0.00", "0.00")
    assert (found["caps"], found["attempts"], found["ledgers"]) == ([], [], [])


def test_tasks_keep_their_request_to_themselves(studio: Studio, owner: Client) -> None:
    [task_id] = order(owner)
    assert "request" not in read(owner, task_id)
    with studio.database() as session:
        assert session.get_one(AITask, uuid.UUID(task_id)).request
