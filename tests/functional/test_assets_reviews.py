"""Reviews of assets: what may be submitted, the verdicts, and one group a team."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from pyramid.registry import Registry
from sqlalchemy import func, select, update

from contentsvc.assets.media import media_ref
from contentsvc.assets.models import Asset, AssetReview, ReviewStatus
from contentsvc.assets.reviews import runner
from contentsvc.billing.models import LedgerRow
from contentsvc.generation.models import AITask
from tests import media_samples
from tests.fakes.provider import Reply, picture
from tests.functional.conftest import Client, MakeClient
from tests.functional.generating import Database
from tests.functional.library import add_asset, add_assets
from tests.functional.reviewing import (
    APPROVED,
    PROCESSING,
    REJECTED,
    RUNNING,
    TAKEN,
    Reviewer,
    finish_reviews,
    reviewer_of,
    status_of,
    submit,
)


@pytest.fixture
def reviewer(registry: Registry) -> Iterator[Reviewer]:
    with reviewer_of(registry) as reviewer:
        yield reviewer


@pytest.fixture
def portrait(registry: Registry, owner: Client) -> str:
    return add_asset(registry, owner.team_id, category="person", name="Mira")


# What may be submitted


@pytest.mark.parametrize("category", ["person", "tri_view", "storyboard", "model_portrait"])
def test_pictures_of_people_are_submitted(
    reviewer: Reviewer, registry: Registry, owner: Client, category: str
) -> None:
    assert submit(owner, add_asset(registry, owner.team_id, category=category)) == PROCESSING


@pytest.mark.parametrize(
    "fields",
    [
        {"category": ""},
        {"category": "product"},
        {"category": "scene"},
        {"category": "model_tryon"},
        {"category": "person", "asset_type": "video", "mime_type": "video/mp4"},
    ],
)
def test_other_assets_are_refused(
    reviewer: Reviewer, registry: Registry, owner: Client, fields: dict[str, str]
) -> None:
    asset = add_asset(registry, owner.team_id, **fields)
    assert submit(owner, asset, status=400)["code"] == "not_reviewable"
    assert status_of(owner, asset) == ""


def test_without_a_model_that_reviews_a_portrait_is_refused(
    reviewer: Reviewer, owner: Client, portrait: str
) -> None:
    reviewer.close()
    assert submit(owner, portrait, status=503)["code"] == "no_model"
    assert status_of(owner, portrait) == ""


def test_without_a_model_other_assets_are_refused_for_what_they_are(
    reviewer: Reviewer, registry: Registry, owner: Client
) -> None:
    reviewer.close()
    asset = add_asset(registry, owner.team_id)
    assert submit(owner, asset, status=400)["code"] == "not_reviewable"


def test_another_teams_portrait_does_not_exist(reviewer: Reviewer, other: Client, portrait: str) -> None:
    assert submit(other, portrait, status=404)["code"] == "not_found"


def test_a_deleted_portrait_does_not_exist(
    reviewer: Reviewer, owner: Client, portrait: str, database: Database
) -> None:
    with database() as session:
        session.execute(update(Asset).values(deleted_at=func.now()))
    submit(owner, portrait, status=404)


def test_viewers_may_not_submit(
    reviewer: Reviewer, owner: Client, make_client: MakeClient, portrait: str
) -> None:
    viewer = make_client(role="viewer", team_id=owner.team_id)
    assert submit(viewer, portrait, status=403)["code"] == "permission_denied"


def test_a_review_is_free_and_no_task(
    reviewer: Reviewer, owner: Client, portrait: str, database: Database
) -> None:
    submit(owner, portrait)
    reviewer.finish()
    with database() as session:
        assert session.scalar(select(func.count()).select_from(AITask)) == 0
        assert session.scalars(select(LedgerRow.reason)).all() == ["test credit"]


# Verdicts


def test_an_approved_picture_is_active(reviewer: Reviewer, owner: Client, portrait: str) -> None:
    submit(owner, portrait)
    reviewer.finish()
    asset = owner.get(f"/api/assets/{portrait}/").json
    assert (asset["review_status"], asset["review_error"]) == ("active", "")


def test_the_provider_is_told_the_name_and_gets_the_file(
    reviewer: Reviewer, owner: Client, portrait: str
) -> None:
    submit(owner, portrait)
    reviewer.finish()
    [order] = reviewer.provider.orders
    assert (order["name"], order["media_type"]) == ("Mira", "image/png")


def test_a_rejected_picture_has_failed_with_the_reason(
    reviewer: Reviewer, owner: Client, portrait: str
) -> None:
    reviewer.provider.default = REJECTED
    submit(owner, portrait)
    reviewer.finish()
    asset = owner.get(f"/api/assets/{portrait}/").json
    assert (asset["review_status"], asset["review_error"]) == ("failed", "Nobody can be seen.")


def test_a_rejection_without_a_reason_has_a_sentence_of_its_own(
    reviewer: Reviewer, owner: Client, portrait: str
) -> None:
    reviewer.provider.default = Reply.json(200, {"approved": False})
    submit(owner, portrait)
    reviewer.finish()
    assert owner.get(f"/api/assets/{portrait}/").json["review_error"] == runner.NOT_APPROVED


def test_a_reason_carries_no_addresses(reviewer: Reviewer, owner: Client, portrait: str) -> None:
    reason = "See https://reviewer.example/why?token=abcdefgh1234"
    reviewer.provider.default = Reply.json(200, {"approved": False, "reason": reason})
    submit(owner, portrait)
    reviewer.finish()
    assert owner.get(f"/api/assets/{portrait}/").json["review_error"] == "See [link]"


def test_the_providers_ids_of_an_approved_picture_are_kept_for_it(
    reviewer: Reviewer, registry: Registry, owner: Client, portrait: str, database: Database
) -> None:
    verdict = {"approved": True, "handles": {"face": "face-1"}}
    reviewer.provider.default = Reply.json(200, verdict)
    submit(owner, portrait)
    reviewer.finish()
    with database() as session:
        asset = session.get_one(Asset, uuid.UUID(portrait))
        assert media_ref(registry, asset, "reviewer").handles == {"face": "face-1"}
        assert media_ref(registry, asset, "fake").handles == {}


def test_the_server_asks_until_there_is_a_verdict(reviewer: Reviewer, owner: Client, portrait: str) -> None:
    reviewer.provider.replies.append(TAKEN)
    reviewer.provider.polls.extend([RUNNING, RUNNING])
    submit(owner, portrait)
    seen = []
    for _ in range(4):
        reviewer.work()
        seen.append(status_of(owner, portrait))
    assert seen == ["processing", "processing", "processing", "active"]
    assert reviewer.provider.polled == ["job-1"] * 3


def test_the_pauses_between_questions_grow_to_15_seconds(
    reviewer: Reviewer, owner: Client, portrait: str
) -> None:
    reviewer.provider.replies.append(TAKEN)
    reviewer.provider.default = RUNNING
    submit(owner, portrait)
    waits = []
    for _ in range(8):
        reviewer.work()
        waits.extend(reviewer.waits())
    assert waits == [pytest.approx(seconds, abs=0.3) for seconds in (2, 3, 4.5, 6.75, 10.1, 15, 15, 15)]


def test_a_verdict_ends_the_asking(reviewer: Reviewer, owner: Client, portrait: str) -> None:
    submit(owner, portrait)
    reviewer.finish()
    assert reviewer.waits() == []


# Again


def test_submitting_while_processing_changes_nothing(
    reviewer: Reviewer, owner: Client, portrait: str
) -> None:
    submit(owner, portrait)
    assert submit(owner, portrait) == PROCESSING
    reviewer.finish()
    assert reviewer.handed_in() == ["Mira"]


def test_an_active_picture_stays_active(reviewer: Reviewer, owner: Client, portrait: str) -> None:
    submit(owner, portrait)
    reviewer.finish()
    assert submit(owner, portrait) == {"review_status": "active", "review_error": ""}
    assert reviewer.work() == 0


def test_a_failed_picture_can_be_submitted_again(reviewer: Reviewer, owner: Client, portrait: str) -> None:
    reviewer.provider.replies.append(REJECTED)
    submit(owner, portrait)
    reviewer.finish()
    assert submit(owner, portrait) == PROCESSING
    reviewer.finish()
    assert status_of(owner, portrait) == "active"
    first, second = (order["key"] for order in reviewer.provider.orders)
    assert first != second


def test_submissions_at_the_same_moment_are_one_review(
    reviewer: Reviewer, owner: Client, portrait: str
) -> None:
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: submit(owner, portrait), range(4)))
    assert answers == [PROCESSING] * 4
    reviewer.finish()
    assert reviewer.handed_in() == ["Mira"]


# One group a team


def test_a_team_has_one_review_group(reviewer: Reviewer, registry: Registry, owner: Client) -> None:
    for asset in add_assets(registry, owner.team_id, 3, category="person"):
        submit(owner, asset)
    reviewer.finish()
    groups = [order["group"] for order in reviewer.provider.orders]
    assert len(groups) == 3
    assert len(set(groups)) == 1


def test_pictures_submitted_together_share_the_group(
    reviewer: Reviewer, registry: Registry, owner: Client
) -> None:
    gate = Event()
    reviewer.provider.replies.append(Reply(status=200, body=APPROVED.body, gate=gate))
    for asset in add_assets(registry, owner.team_id, 3, category="person"):
        submit(owner, asset)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(reviewer.work)
        assert reviewer.provider.ordered.acquire(timeout=30)
        # While the first one is on its way the others wait for their turn.
        pool.submit(reviewer.work).result(60)
        assert len(reviewer.provider.orders) == 1
        gate.set()
        first.result(60)
    reviewer.finish()
    assert len({order["group"] for order in reviewer.provider.orders}) == 1
    assert len(reviewer.provider.orders) == 3


def test_each_team_has_a_group_of_its_own(
    reviewer: Reviewer, registry: Registry, owner: Client, other: Client
) -> None:
    for client in (owner, other):
        submit(client, add_asset(registry, client.team_id, category="person"))
    reviewer.finish()
    assert len({order["group"] for order in reviewer.provider.orders}) == 2


def test_a_review_belongs_to_the_assets_team(
    reviewer: Reviewer, owner: Client, portrait: str, database: Database
) -> None:
    submit(owner, portrait)
    with database() as session:
        review = session.scalars(select(AssetReview)).one()
        assert (review.team_id, review.asset_id) == (owner.team_id, uuid.UUID(portrait))
        assert session.get_one(Asset, review.asset_id).review_status == ReviewStatus.PROCESSING


# The reviewer that comes with the service


@pytest.mark.parametrize(
    ("photo", "status"),
    [
        (media_samples.image("PNG", 300, 300), "active"),
        (media_samples.image("PNG", 300, 255), "failed"),
        (picture(300, 300), "failed"),
    ],
    ids=["lively", "small", "uniform"],
)
def test_out_of_the_box_pictures_are_reviewed_by_rule(
    registry: Registry, owner: Client, monkeypatch: pytest.MonkeyPatch, photo: bytes, status: str
) -> None:
    monkeypatch.setattr("contentsvc_studio.reviews.backend.SECONDS", 0.0)
    upload = [("file", "mira.png", photo)]
    asset = owner.post("/api/assets/upload/", {"category": "person"}, upload_files=upload).json["id"]
    submit(owner, asset)
    finish_reviews(registry)
    assert status_of(owner, asset) == status
