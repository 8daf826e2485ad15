"""Free videos: ordered, refused, limited, priced, listed, marked, deleted."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import delete, update

from contentsvc.generation.models import AITask
from contentsvc.jobs.models import Job, WorkerBeat
from contentsvc.plugin import BillingUnit
from contentsvc.providers.models import ModelConfig, Provider
from tests.fakes.provider import Reply
from tests.functional.clipping import clip
from tests.functional.conftest import Client, MakeClient
from tests.functional.crowds import at_once
from tests.functional.generating import Database, Studio, ledger_of, read, unknown_id
from tests.functional.library import add_asset
from tests.functional.queries import count_queries
from tests.functional.videoing import ORDERS, VIDEOS, listed, made, order_video, poll, task_of, video_studio


@pytest.fixture
def studio(registry: Registry, database: Database) -> Iterator[Studio]:
    with video_studio(registry, database) as studio:
        yield studio


def _change_model(studio: Studio, **values: Any) -> None:
    with studio.database() as session:
        session.execute(
            update(ModelConfig).where(ModelConfig.name == "fake-video_generation").values(**values)
        )


def _set_status(studio: Studio, task_id: str, status: str) -> None:
    with studio.database() as session:
        session.execute(update(AITask).where(AITask.id == uuid.UUID(task_id)).values(status=status))


# Orders


def test_an_order_answers_its_task(studio: Studio, owner: Client) -> None:
    task = order_video(owner)["task"]
    assert task == {"id": task["id"], "status": "RESERVED"}


def test_an_order_is_a_task_of_no_project(studio: Studio, owner: Client) -> None:
    task = read(owner, task_of(owner))
    assert (task["task_type"], task["project"], task["provider"]) == ("free_video", None, "fake")


def test_a_video_lasts_five_seconds_and_is_upright_unless_told(studio: Studio, owner: Client) -> None:
    order_video(owner)
    studio.work()
    [asked] = studio.provider.orders
    assert (asked["duration"], asked["ratio"]) == (5.0, "9:16")


def test_the_provider_gets_words_and_pictures(studio: Studio, registry: Registry, owner: Client) -> None:
    frame, reference = add_asset(registry, owner.team_id), add_asset(registry, owner.team_id)
    order_video(owner, first_frame_id=frame, last_frame_id=frame, reference_ids=[reference], duration=7)
    studio.work()
    [asked] = studio.provider.orders
    assert "steam rises" in asked["prompt"]
    assert (asked["duration"], asked["first_frame"], asked["references"]) == (7.0, True, ["other"])


@pytest.mark.parametrize(
    ("field", "body"),
    [
        ("prompt", {"prompt": ""}),
        ("prompt", {"prompt": "x" * 4001}),
        ("duration", {"duration": 1.9}),
        ("duration", {"duration": 15.1}),
        ("duration", {"duration": "5"}),
        ("resolution", {"resolution": "4k"}),
        ("video_model", {"video_model": "nobody's"}),
        ("reference_ids.0", {"reference_ids": [unknown_id()]}),
        ("first_frame_id", {"first_frame_id": unknown_id()}),
    ],
)
def test_a_bad_field_is_named(studio: Studio, owner: Client, field: str, body: Any) -> None:
    assert list(order_video(owner, status=400, **body)) == [field]


def test_a_last_frame_needs_a_first(studio: Studio, registry: Registry, owner: Client) -> None:
    frame = add_asset(registry, owner.team_id)
    assert list(order_video(owner, status=400, last_frame_id=frame)) == ["last_frame_id"]


def test_another_teams_picture_is_unknown(
    studio: Studio, registry: Registry, owner: Client, other: Client
) -> None:
    theirs = add_asset(registry, other.team_id)
    assert list(order_video(owner, status=400, reference_ids=[theirs])) == ["reference_ids.0"]


def test_a_video_can_not_be_a_reference(studio: Studio, registry: Registry, owner: Client) -> None:
    film = add_asset(registry, owner.team_id, asset_type="video")
    assert list(order_video(owner, status=400, first_frame_id=film)) == ["first_frame_id"]


def test_a_viewer_can_not_order(studio: Studio, owner: Client, make_client: MakeClient) -> None:
    assert order_video(make_client("viewer", owner.team_id), status=403)["code"] == "permission_denied"


def test_a_key_orders_once(studio: Studio, owner: Client) -> None:
    body, headers = {"prompt": "steam rises"}, {"Idempotency-Key": "one"}
    replies = [owner.post_json(ORDERS, body, headers=headers) for _ in range(2)]
    assert replies[0].json == replies[1].json
    assert listed(owner) == [replies[0].json["task"]["id"]]


# The order of refusals


def test_without_a_model_nothing_else_is_looked_at(studio: Studio, owner: Client) -> None:
    with studio.database() as session:
        session.execute(delete(WorkerBeat))
    _change_model(studio, is_default=False)
    assert order_video(owner, status=503)["code"] == "no_model"


def test_a_missing_worker_comes_before_a_missing_place(studio: Studio, owner: Client) -> None:
    for _ in range(3):
        order_video(owner)
    with studio.database() as session:
        session.execute(delete(WorkerBeat))
    assert order_video(owner, status=503)["code"] == "no_worker"


def test_a_missing_place_comes_before_missing_credit(studio: Studio, make_client: MakeClient) -> None:
    poor = make_client(balance=5)
    for _ in range(3):
        order_video(poor)
    reply = poor.post_json(ORDERS, {"prompt": "steam rises"}, status=429)
    assert (reply.json["code"], reply.headers["Retry-After"]) == ("too_many_running", "15")


def test_missing_credit_is_refused_last(studio: Studio, make_client: MakeClient) -> None:
    assert order_video(make_client(balance=1), status=402)["code"] == "insufficient_balance"


# The limit


def test_of_twenty_orders_at_once_three_are_taken(studio: Studio, owner: Client) -> None:
    def order() -> int:
        body = {"prompt": "steam rises"}
        return int(owner.post_json(ORDERS, body, expect_errors=True).status_int)

    statuses = sorted(at_once(*[order] * 20))
    assert statuses == [202] * 3 + [429] * 17
    assert owner.get("/api/billing/summary/").json["frozen"] == "4.95"


def test_a_finished_video_makes_place(studio: Studio, owner: Client) -> None:
    made(studio, owner)
    for _ in range(3):
        order_video(owner)


def test_the_limit_is_each_teams_own(studio: Studio, owner: Client, other: Client) -> None:
    for _ in range(3):
        order_video(owner)
    order_video(other)


# Prices


@pytest.mark.parametrize(
    ("unit", "cost"),
    [
        (BillingUnit.SECOND, "2.31"),
        (BillingUnit.THOUSAND_TOKENS, "4.62"),
        (BillingUnit.TASK, "0.33"),
    ],
)
def test_the_estimate_is_by_duration_with_the_buffer(
    studio: Studio, owner: Client, unit: BillingUnit, cost: str
) -> None:
    _change_model(studio, billing_unit=unit, options={"tokens_per_second": 2000})
    body = {"duration": 7, "prompt": "steam rises"}
    estimate = owner.post_json("/api/ai/estimate/", {"task_type": "free_video", **body}).json
    task = read(owner, task_of(owner, **body))
    assert estimate["estimated_cost"] == task["estimated_cost"] == cost


def test_without_a_reported_use_the_estimate_is_charged_without_the_buffer(
    studio: Studio, owner: Client
) -> None:
    task = read(owner, made(studio, owner))
    assert (task["estimated_cost"], task["actual_cost"]) == ("1.65", "1.50")
    assert ledger_of(owner, task["id"]) == ["RESERVE", "CHARGE"]


@pytest.mark.parametrize(("tokens", "charged"), [(4000, "1.20"), (9000, "1.65")])
def test_a_charge_is_the_real_use_but_never_more_than_was_reserved(
    studio: Studio, owner: Client, tokens: int, charged: str
) -> None:
    _change_model(studio, billing_unit=BillingUnit.THOUSAND_TOKENS, options={"tokens_per_second": 1000})
    assert read(owner, made(studio, owner, clip(tokens)))["actual_cost"] == charged


def test_a_failed_video_costs_nothing(studio: Studio, owner: Client) -> None:
    studio.provider.default = Reply(422)
    task_id = task_of(owner)
    studio.work()
    assert ledger_of(owner, task_id) == ["RESERVE", "RELEASE"]


@pytest.mark.parametrize(("named", "status"), [(False, "succeeded"), (True, "failed")])
def test_another_model_takes_over_unless_one_was_named(
    studio: Studio, owner: Client, named: bool, status: str
) -> None:
    with studio.database() as session:
        provider = session.query(Provider).filter_by(name="fake").one()
        session.add(
            ModelConfig(
                provider_id=provider.id,
                name="second",
                display_name="Second",
                capability="video_generation",
                billing_unit=BillingUnit.SECOND,
            )
        )
    _change_model(studio, options={"fallback": "second"})
    studio.provider.replies.append(Reply(400))
    studio.provider.default = clip(None)
    task_id = task_of(owner, **({"video_model": "fake-video_generation"} if named else {}))
    studio.work()
    assert read(owner, task_id)["status"] == status


# What becomes of it


def test_a_finished_video_is_a_creation_of_the_library(studio: Studio, owner: Client) -> None:
    [asset] = read(owner, made(studio, owner))["assets"]
    assert (asset["category"], asset["asset_type"], asset["in_library"]) == ("free_create", "video", True)
    found = owner.get("/api/assets/", {"tab": "creations"}).json["results"]
    assert [each["id"] for each in found] == [asset["id"]]


def test_the_poll_answers_the_tasks_with_their_assets(studio: Studio, owner: Client) -> None:
    task_id = made(studio, owner)
    [task] = poll(owner, task_id)
    assert (task["id"], task["status"], len(task["assets"])) == (task_id, "succeeded", 1)


def test_the_poll_leaves_out_what_is_no_video_of_the_team(
    studio: Studio, owner: Client, other: Client
) -> None:
    deleted, theirs = task_of(owner), task_of(other)
    owner.delete(f"{VIDEOS}{deleted}/")
    assert poll(owner, deleted, theirs, unknown_id(), "nonsense") == []


@pytest.mark.parametrize("path", [ORDERS, ORDERS + "?ids="])
def test_a_poll_without_ids_is_refused(owner: Client, path: str) -> None:
    assert list(owner.get(path, status=400).json) == ["ids"]


def test_a_poll_brings_the_next_look_forward(studio: Studio, owner: Client) -> None:
    studio.provider.replies.append(Reply.json(202, {"job": "remote-7"}))
    studio.provider.polls.extend([Reply.json(202, {"progress": 0.5})] * 20)
    task_id = task_of(owner)
    with pytest.raises(AssertionError):
        studio.work()
    before = _next_look(studio)
    poll(owner, task_id)
    assert _next_look(studio) < before


def _next_look(studio: Studio) -> Any:
    with studio.database() as session:
        return session.query(Job.ring_at).filter(Job.state == "open").scalar()


# The list


def test_the_list_has_the_newest_first(studio: Studio, owner: Client) -> None:
    first, second = task_of(owner), task_of(owner)
    assert listed(owner) == [second, first]


def test_the_list_has_only_the_teams_free_videos(studio: Studio, owner: Client, other: Client) -> None:
    order_video(other)
    assert listed(owner) == []


def test_the_list_costs_the_same_for_one_and_for_many(
    studio: Studio, registry: Registry, owner: Client
) -> None:
    order_video(owner)
    with count_queries(registry) as one:
        listed(owner)
    order_video(owner)
    with count_queries(registry) as two:
        listed(owner)
    assert len(one) == len(two)


def test_favourites_can_be_listed_alone(studio: Studio, owner: Client) -> None:
    first, _ = task_of(owner), task_of(owner)
    reply = owner.post_json(f"{VIDEOS}{first}/favorite/", {"favorited": True})
    assert (reply.json["id"], reply.json["is_favorited"]) == (first, True)
    assert listed(owner, favorited=1) == [first]


def test_a_favourite_can_be_taken_back(studio: Studio, owner: Client) -> None:
    first = task_of(owner)
    for favorited in (True, False):
        owner.post_json(f"{VIDEOS}{first}/favorite/", {"favorited": favorited})
    assert listed(owner, favorited=1) == []


def test_a_deleted_video_is_gone_from_the_list(studio: Studio, owner: Client) -> None:
    task_id = task_of(owner)
    owner.delete(f"{VIDEOS}{task_id}/", status=204)
    assert listed(owner) == []
    owner.delete(f"{VIDEOS}{task_id}/", status=404)


def test_a_deleted_videos_asset_stays(studio: Studio, owner: Client) -> None:
    task_id = made(studio, owner)
    [asset] = read(owner, task_id)["assets"]
    owner.delete(f"{VIDEOS}{task_id}/")
    assert owner.get(f"/api/assets/{asset['id']}/").json["in_library"] is True


def test_a_video_deleted_in_the_making_is_finished_and_charged(studio: Studio, owner: Client) -> None:
    studio.provider.default = clip(None)
    task_id = task_of(owner)
    owner.delete(f"{VIDEOS}{task_id}/")
    studio.work()
    task = read(owner, task_id)
    assert (task["status"], task["is_deleted"], task["actual_cost"]) == ("succeeded", True, "1.50")


def test_a_picture_can_not_be_deleted_as_a_video(studio: Studio, owner: Client) -> None:
    task_id = task_of(owner)
    with studio.database() as session:
        session.execute(update(AITask).values(task_type="free_image"))
    owner.delete(f"{VIDEOS}{task_id}/", status=404)
    with studio.database() as session:
        session.execute(update(AITask).values(task_type="free_video"))
