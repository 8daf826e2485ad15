"""Clips: ordered, answered, polled, paid by tokens."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import delete, select, update

from contentsvc.assets.models import Asset
from contentsvc.generation.admission import POLL_KIND
from contentsvc.generation.models import AITask, PromptTemplate
from contentsvc.jobs.models import Job
from contentsvc.jobs.runner import run_due
from contentsvc.plugin import BillingUnit
from contentsvc.projects.clips import orders
from contentsvc.providers.models import ModelConfig
from tests.fakes.provider import PICTURE, Reply
from tests.functional.boarding import REJECTED, standing
from tests.functional.clipping import (
    ACCEPTED,
    clip,
    clip_studio,
    filmed,
    first,
    made,
    poll,
    segments,
    submit,
    task_of,
)
from tests.functional.conftest import Client, MakeClient
from tests.functional.generating import Database, Studio, ledger_of, read
from tests.functional.projecting import act, read_project


@pytest.fixture
def studio(registry: Registry, database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[Studio]:
    with clip_studio(registry, database, monkeypatch) as studio:
        yield studio


@pytest.fixture
def project(registry: Registry, owner: Client) -> str:
    """A project of three segments without a storyboard."""
    return filmed(registry, owner)


# Orders


def test_an_order_answers_the_project(studio: Studio, owner: Client, project: str) -> None:
    found = submit(owner, project)
    assert found["id"] == project
    assert [segment["status"] for segment in found["video_segments"]] == ["generating", "empty", "empty"]


def test_an_order_is_a_task_of_the_project(studio: Studio, owner: Client, project: str) -> None:
    submit(owner, project)
    task = read(owner, task_of(owner, project))
    assert (task["task_type"], task["project"], task["status"]) == ("video_segment", project, "RESERVED")


def test_an_order_reserves_the_estimate_and_the_buffer(studio: Studio, owner: Client, project: str) -> None:
    submit(owner, project)
    assert read(owner, task_of(owner, project))["estimated_cost"] == "1.65"
    assert owner.get("/api/billing/summary/").json["frozen"] == "1.65"


@pytest.mark.parametrize(
    ("unit", "cost"),
    [
        (BillingUnit.SECOND, "1.65"),
        (BillingUnit.TASK, "0.33"),
        (BillingUnit.THOUSAND_TOKENS, "1.65"),
    ],
)
def test_an_order_is_estimated_in_the_models_unit(
    studio: Studio, owner: Client, project: str, unit: BillingUnit, cost: str
) -> None:
    with studio.database() as session:
        session.execute(update(ModelConfig).values(billing_unit=unit))
    submit(owner, project)
    assert read(owner, task_of(owner, project))["estimated_cost"] == cost


def test_a_clip_lasts_as_long_as_its_segment(studio: Studio, owner: Client, registry: Registry) -> None:
    project = filmed(registry, owner, segments=[{"visual_prompt": "a cup", "duration_seconds": 7.5}])
    made(studio, owner, project)
    [asked] = studio.provider.orders
    assert (asked["duration"], asked["ratio"]) == (7.5, "9:16")


def test_without_a_storyboard_a_clip_is_made_from_the_product(
    studio: Studio, owner: Client, project: str
) -> None:
    made(studio, owner, project)
    [asked] = studio.provider.orders
    assert (asked["first_frame"], asked["references"]) == (False, ["product"])


def test_a_clip_begins_with_its_shot(studio: Studio, owner: Client, project: str) -> None:
    act(owner, project, "generate-storyboard", status=202)
    studio.work()
    made(studio, owner, project)
    asked = studio.provider.orders[-1]
    assert (asked["first_frame"], asked["references"]) == (True, [])


def test_the_first_frame_is_the_adopted_version(
    studio: Studio, owner: Client, project: str, database: Database
) -> None:
    act(owner, project, "generate-storyboard", status=202)
    studio.work()
    shot = read_project(owner, project)["storyboard"]["shots"][0]
    act(owner, project, "rerun-storyboard-shot", {"shot_id": shot["shot_id"]}, status=202)
    studio.work()
    body = {"shot_id": shot["shot_id"], "version_id": shot["adopted_version"]}
    act(owner, project, "adopt-storyboard-shot", body)
    submit(owner, project)
    with database() as session:
        request = session.get_one(AITask, uuid.UUID(task_of(owner, project))).request
    assert request["first_frame"] == shot["versions"][0]["asset"]["id"]


def test_the_prompt_is_worded_by_the_template(
    studio: Studio, owner: Client, project: str, database: Database
) -> None:
    with database() as session:
        session.execute(
            update(PromptTemplate)
            .where(PromptTemplate.key == "video")
            .values(template="Film {prompt} slowly")
        )
    made(studio, owner, project)
    assert "Film steam rises slowly" in studio.provider.orders[0]["prompt"]


# What becomes of them


def test_a_finished_clip_is_adopted_by_itself(studio: Studio, owner: Client, project: str) -> None:
    segment = made(studio, owner, project)
    [version] = segment["versions"]
    assert (segment["status"], segment["adopted_version"]) == ("succeeded", version["id"])
    assert version["source"] == "generated"


def test_a_clip_is_filed_as_a_video_of_the_project(studio: Studio, owner: Client, project: str) -> None:
    asset = made(studio, owner, project)["versions"][0]["asset"]
    assert (asset["asset_type"], asset["category"], asset["project"]) == ("video", "", project)
    assert (asset["name"], asset["mime_type"], asset["duration_seconds"]) == ("Clip 1.mp4", "video/mp4", 1.0)


def test_the_provider_keeps_the_task_through_its_states(
    studio: Studio, owner: Client, project: str, database: Database
) -> None:
    made(studio, owner, project, Reply.json(202, {"progress": 0.4}), clip())
    with database() as session:
        timeline = session.get_one(AITask, uuid.UUID(task_of(owner, project))).timeline
    assert [step["status"] for step in timeline] == ["RESERVED", "SUBMITTED", "POLLING", "succeeded"]


def test_polls_tell_how_far_it_is(studio: Studio, owner: Client, project: str) -> None:
    before = poll(owner, project)
    studio.provider.replies.append(ACCEPTED)
    studio.provider.polls.append(Reply.json(202, {"progress": 0.4}))
    submit(owner, project)
    run_due(studio.registry)
    _ring(studio)
    run_due(studio.registry)
    meanwhile = poll(owner, project)
    assert (before["status"], before["progress"], before["task"]) == ("empty", 0.0, None)
    assert (meanwhile["status"], meanwhile["progress"], meanwhile["asset"]) == ("generating", 0.4, None)


@pytest.mark.parametrize(("due", "told"), [(12, True), (1, False), (40, False)])
def test_polls_bring_the_next_question_forward(
    studio: Studio, owner: Client, project: str, due: int, told: bool
) -> None:
    """Unless it comes anyway, or the provider has asked for a longer rest."""
    studio.provider.replies.append(ACCEPTED)
    submit(owner, project)
    run_due(studio.registry)
    asked = select(Job).where(Job.state == "open", Job.kind == POLL_KIND)
    with studio.database() as session:
        before = session.scalars(asked).one().ring_at = datetime.now(UTC) + timedelta(seconds=due)
    poll(owner, project)
    with studio.database() as session:
        after = session.scalars(asked).one().ring_at
    assert (after < before) is told
    assert after > before - timedelta(seconds=due)


def _ring(studio: Studio) -> None:
    with studio.database() as session:
        session.execute(update(Job).where(Job.state == "open").values(ring_at=Job.created_at))


def test_polls_tell_the_clip(studio: Studio, owner: Client, project: str) -> None:
    segment = made(studio, owner, project)
    polled = poll(owner, project)
    assert polled == {
        "video_segment_id": segment["video_segment_id"],
        "status": "succeeded",
        "progress": 1.0,
        "task": polled["task"],
        "version_id": segment["adopted_version"],
        "asset": segment["versions"][0]["asset"],
        "error": None,
    }


def test_a_failed_clip_fails_the_project(studio: Studio, owner: Client, project: str) -> None:
    segment = made(studio, owner, project, REJECTED)
    assert (segment["status"], segment["error"]) == ("failed", "The provider refuses this content.")
    assert standing(owner, project) == ("video", "failed")
    assert ledger_of(owner, task_of(owner, project)) == ["RESERVE", "RELEASE"]


def test_a_clip_that_fails_after_its_segment_has_left_fails_nothing_else(
    studio: Studio, owner: Client, project: str
) -> None:
    submit(owner, project)
    segment = segments(owner, project)[0]["segment_id"]
    act(owner, project, "delete-script-segment", {"segment_id": segment})
    studio.provider.replies.append(REJECTED)
    studio.work()
    assert standing(owner, project) == ("video", "in_progress")


def test_the_next_order_takes_the_project_on(studio: Studio, owner: Client, project: str) -> None:
    made(studio, owner, project, REJECTED)
    submit(owner, project, video_segment_id=segments(owner, project)[1]["video_segment_id"])
    assert standing(owner, project) == ("video", "in_progress")


def test_a_clip_that_failed_keeps_the_one_before(studio: Studio, owner: Client, project: str) -> None:
    before = made(studio, owner, project)
    after = made(studio, owner, project, REJECTED)
    assert (after["status"], after["adopted_version"]) == ("failed", before["adopted_version"])


def test_what_is_no_video_fails(studio: Studio, owner: Client, project: str) -> None:
    segment = made(studio, owner, project, Reply(body=PICTURE))
    assert segment["error"] == "The model returned a clip that can't be used."


def test_a_picture_purged_before_the_order_fails_it(
    studio: Studio, owner: Client, project: str, database: Database
) -> None:
    act(owner, project, "generate-storyboard", status=202)
    studio.work()
    submit(owner, project)
    shot = read_project(owner, project)["storyboard"]["shots"][0]
    with database() as session:
        session.execute(delete(Asset).where(Asset.id == uuid.UUID(shot["versions"][0]["asset"]["id"])))
    studio.work()
    assert poll(owner, project)["error"] == "A picture of this order has been removed for good."


def test_what_a_deleted_project_has_ordered_is_settled(studio: Studio, owner: Client, project: str) -> None:
    studio.provider.replies.append(ACCEPTED)
    studio.provider.polls.append(clip())
    submit(owner, project)
    task_id = task_of(owner, project)
    owner.delete(f"/api/projects/{project}/")
    studio.work()
    assert read(owner, task_id)["status"] == "succeeded"


# What they cost


@pytest.mark.parametrize(
    ("tokens", "charged"), [(4000, "1.20"), (5000, "1.50"), (8123, "2.44"), (None, "1.50")]
)
def test_the_real_tokens_are_charged(
    studio: Studio, owner: Client, project: str, tokens: int | None, charged: str
) -> None:
    made(studio, owner, project, clip(tokens))
    task_id = task_of(owner, project)
    assert read(owner, task_id)["actual_cost"] == charged
    assert ledger_of(owner, task_id) == ["RESERVE", "CHARGE"]
    summary = owner.get("/api/billing/summary/").json
    assert (summary["frozen"], summary["total_charged"]) == ("0.00", charged)


def test_tokens_are_charged_at_the_rates_of_the_order(
    studio: Studio, owner: Client, admin: Client, project: str, database: Database
) -> None:
    studio.provider.replies.append(ACCEPTED)
    studio.provider.polls.append(clip(6000))
    submit(owner, project)
    rates = {"exchange_rate": "2", "margin_factor": "3", "reserve_buffer": "1.5"}
    admin.patch_json("/api/admin/billing-config/", rates)
    with database() as session:
        session.execute(update(ModelConfig).values(unit_price=Decimal(9)))
    studio.work()
    assert read(owner, task_of(owner, project))["actual_cost"] == "1.80"


def test_a_charge_may_take_what_is_available_below_zero(
    studio: Studio, make_client: MakeClient, registry: Registry
) -> None:
    poor = make_client(balance=Decimal("1.65"))
    project = filmed(registry, poor)
    made(studio, poor, project, clip(8000))
    assert poor.get("/api/billing/summary/").json["available"] == "-0.75"
    assert submit(poor, project, 402)["code"] == "insufficient_balance"


def test_a_clip_is_estimated_at_what_it_reserves(
    studio: Studio, owner: Client, registry: Registry, project: str
) -> None:
    short = filmed(registry, owner, segments=[{"visual_prompt": "a cup", "duration_seconds": 2}])
    bodies = [{}, {"video_segment_id": first(owner, short)}]
    costs = [
        owner.post_json("/api/ai/estimate/", {"task_type": "video_segment", **body}).json["estimated_cost"]
        for body in bodies
    ]
    assert costs == ["1.65", "0.66"]


def test_another_teams_segment_has_no_estimate(
    studio: Studio, other: Client, owner: Client, project: str
) -> None:
    body = {"task_type": "video_segment", "video_segment_id": first(owner, project)}
    assert list(other.post_json("/api/ai/estimate/", body, status=400).json) == ["video_segment_id"]


# The provider's answer to the order


class Submitting:
    """A submit that waits in a thread while the test plays the worker."""

    def __init__(self, studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
        self._studio = studio
        monkeypatch.setattr(orders, "ANSWER_SECONDS", 20.0)

    def __call__(self, client: Client, project_id: str, status: int) -> Any:
        """The reply; meanwhile the worker runs what is due."""
        with ThreadPoolExecutor(1) as pool:
            reply = pool.submit(submit, client, project_id, status)
            while wait([reply], timeout=0.05).not_done:
                run_due(self._studio.registry, limit=1)
            return reply.result()


@pytest.fixture
def submitting(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> Submitting:
    return Submitting(studio, monkeypatch)


def test_a_refused_order_is_answered_with_the_providers_words(
    studio: Studio, owner: Client, project: str, submitting: Submitting
) -> None:
    studio.provider.replies.append(REJECTED)
    assert submitting(owner, project, 502) == {
        "code": "provider_error",
        "detail": "The provider refuses this content.",
    }
    segment = segments(owner, project)[0]
    assert (segment["status"], segment["error"]) == ("failed", "The provider refuses this content.")
    assert ledger_of(owner, task_of(owner, project)) == ["RESERVE", "RELEASE"]
    assert standing(owner, project) == ("video", "failed")


def test_an_accepted_order_is_not_waited_for_any_longer(
    studio: Studio, owner: Client, project: str, submitting: Submitting
) -> None:
    studio.provider.replies.append(ACCEPTED)
    found = submitting(owner, project, 202)
    assert found["video_segments"][0]["status"] == "generating"
    assert read(owner, task_of(owner, project))["status"] == "SUBMITTED"


def test_a_clip_that_is_made_at_once_is_answered_whole(
    studio: Studio, owner: Client, project: str, submitting: Submitting
) -> None:
    studio.provider.replies.append(clip())
    found = submitting(owner, project, 202)
    assert [version["source"] for version in found["video_segments"][0]["versions"]] == ["generated"]


def test_an_order_that_is_not_answered_in_time_is_left_to_polls(
    studio: Studio, owner: Client, project: str
) -> None:
    found = submit(owner, project)
    assert found["video_segments"][0]["status"] == "generating"
