"""The administrator's view of reviews: pictures of people, of all teams."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
from pyramid.registry import Registry
from sqlalchemy import select

from contentsvc.backoffice.models import AuditRecord
from tests.functional.conftest import Client
from tests.functional.generating import Database
from tests.functional.grouping import attach, trash
from tests.functional.library import add_asset
from tests.functional.projecting import add_project
from tests.functional.queries import count_queries
from tests.functional.reviewing import RUNNING, TAKEN, Reviewer, reviewer_of, status_of

REVIEWS = "/api/admin/asset-reviews/"
SUBMIT = f"{REVIEWS}submit/"
POLL = f"{REVIEWS}poll/"


@pytest.fixture
def reviewer(registry: Registry) -> Iterator[Reviewer]:
    with reviewer_of(registry) as reviewer:
        yield reviewer


def portrait(registry: Registry, client: Client, **fields: str) -> str:
    return add_asset(registry, client.team_id, **{"category": "person", "name": "Mira"} | fields)


def listed(admin: Client, query: str = "") -> list[str]:
    return [row["id"] for row in admin.get(f"{REVIEWS}{query}").json["results"]]


class TestList:
    def test_it_shows_people_of_all_teams_and_whose_they_are(
        self, registry: Registry, admin: Client, owner: Client, other: Client
    ) -> None:
        mine, theirs = portrait(registry, owner), portrait(registry, other, category="storyboard")
        add_asset(registry, owner.team_id, category="product")
        add_asset(registry, owner.team_id, category="person", asset_type="video", mime_type="video/mp4")
        page = admin.get(REVIEWS).json
        assert [row["id"] for row in page["results"]] == [theirs, mine]
        assert page["results"][1]["team"] == str(owner.team_id)
        assert page["results"][1]["team_name"].startswith("Team ")
        assert page["results"][1]["preview_url"].startswith("http")

    def test_what_stands_for_a_character_is_a_person(
        self, registry: Registry, admin: Client, owner: Client
    ) -> None:
        upload = add_asset(registry, owner.team_id)
        assert listed(admin) == []
        attach(owner, add_project(registry, owner.team_id), asset_id=upload, kind="person", label="Mira")
        assert listed(admin) == [upload]

    def test_the_status_filters_and_empty_is_one(
        self, registry: Registry, admin: Client, owner: Client
    ) -> None:
        fresh = portrait(registry, owner)
        passed = portrait(registry, owner, review_status="active")
        assert listed(admin, "?review_status=") == [fresh]
        assert listed(admin, "?review_status=active") == [passed]
        assert listed(admin, "?review_status=failed") == []
        assert list(admin.get(f"{REVIEWS}?review_status=good", status=400).json) == ["review_status"]

    def test_search_is_literal_text_in_the_asset_or_the_team(
        self, registry: Registry, admin: Client, owner: Client, other: Client
    ) -> None:
        mine = portrait(registry, owner, name="100% Mira")
        portrait(registry, other)
        assert listed(admin, "?search=0%25%20mi") == [mine]
        name = next(row["team_name"] for row in admin.get(REVIEWS).json["results"] if row["id"] == mine)
        assert listed(admin, f"?search={name}") == [mine]

    def test_deleted_pictures_are_left_out(
        self, registry: Registry, admin: Client, owner: Client, database: Database
    ) -> None:
        trash(database, portrait(registry, owner))
        assert listed(admin) == []

    def test_a_longer_list_takes_no_more_queries(
        self, registry: Registry, admin: Client, owner: Client, other: Client
    ) -> None:
        portrait(registry, owner)
        with count_queries(registry) as few:
            admin.get(REVIEWS)
        for client in (owner, other):
            portrait(registry, client)
        with count_queries(registry) as many:
            admin.get(REVIEWS)
        assert len(many) == len(few)


@pytest.mark.usefixtures("reviewer")
class TestSubmit:
    def test_pictures_of_several_teams_are_submitted(
        self, reviewer: Reviewer, registry: Registry, admin: Client, owner: Client, other: Client
    ) -> None:
        mine, theirs = portrait(registry, owner), portrait(registry, other)
        reply = admin.post_json(SUBMIT, {"asset_ids": [mine, theirs]}, status=200).json
        assert reply == {"submitted": 2, "statuses": {mine: "processing", theirs: "processing"}}
        reviewer.finish()
        assert (status_of(owner, mine), status_of(other, theirs)) == ("active", "active")

    def test_what_nobody_can_review_is_left_out(
        self, registry: Registry, admin: Client, owner: Client, database: Database
    ) -> None:
        gone = portrait(registry, owner)
        trash(database, gone)
        ids = [gone, add_asset(registry, owner.team_id, category="product"), str(uuid.uuid4()), "x"]
        assert admin.post_json(SUBMIT, {"asset_ids": ids}).json == {"submitted": 0, "statuses": {}}

    def test_nothing_is_submitted_twice(self, registry: Registry, admin: Client, owner: Client) -> None:
        running, passed = portrait(registry, owner), portrait(registry, owner, review_status="active")
        admin.post_json(SUBMIT, {"asset_ids": [running]})
        reply = admin.post_json(SUBMIT, {"asset_ids": [running, passed]}).json
        assert reply == {"submitted": 0, "statuses": {running: "processing", passed: "active"}}

    def test_a_failed_one_is_submitted_again(self, registry: Registry, admin: Client, owner: Client) -> None:
        failed = portrait(registry, owner, review_status="failed", review_error="Too dark.")
        assert admin.post_json(SUBMIT, {"asset_ids": [failed]}).json["submitted"] == 1

    def test_with_nothing_backing_review_it_says_so(
        self, reviewer: Reviewer, registry: Registry, admin: Client, owner: Client
    ) -> None:
        reviewer.close()
        reply = admin.post_json(SUBMIT, {"asset_ids": [portrait(registry, owner)]}, status=503)
        assert reply.json["code"] == "no_model"

    @pytest.mark.parametrize("ids", [None, "x", [5], ["x"] * 201])
    def test_bad_ids_are_refused(self, admin: Client, ids: object) -> None:
        reply = admin.post_json(SUBMIT, {"asset_ids": ids}, status=400).json
        assert [field.partition(".")[0] for field in reply] == ["asset_ids"]

    def test_ids_are_needed(self, admin: Client) -> None:
        assert list(admin.post_json(SUBMIT, {}, status=400).json) == ["asset_ids"]

    def test_each_is_audited(
        self, registry: Registry, admin: Client, owner: Client, database: Database
    ) -> None:
        asset = portrait(registry, owner)
        for _ in range(2):
            admin.post_json(SUBMIT, {"asset_ids": [asset]})
        with database() as session:
            (record,) = session.scalars(select(AuditRecord)).all()
        assert (record.action, str(record.target_id)) == ("asset_review.submit", asset)
        assert (record.before or {})["review_status"] == ""
        assert (record.after or {})["review_status"] == "processing"


@pytest.mark.usefixtures("reviewer")
class TestPoll:
    def test_only_what_is_under_review_is_polled(
        self, registry: Registry, admin: Client, owner: Client
    ) -> None:
        running, fresh = portrait(registry, owner), portrait(registry, owner)
        passed = portrait(registry, owner, review_status="active")
        admin.post_json(SUBMIT, {"asset_ids": [running]})
        reply = admin.post_json(POLL, {"asset_ids": [running, fresh, passed, "x"]}, status=200).json
        assert reply == {"polled": 1, "statuses": {running: "processing"}}

    def test_without_ids_all_are(
        self, registry: Registry, admin: Client, owner: Client, other: Client
    ) -> None:
        pictures = {portrait(registry, owner), portrait(registry, other)}
        admin.post_json(SUBMIT, {"asset_ids": list(pictures)})
        reply = admin.post(POLL, status=200).json
        assert (reply["polled"], set(reply["statuses"])) == (2, pictures)

    def test_the_provider_is_asked_sooner(
        self, reviewer: Reviewer, registry: Registry, admin: Client, owner: Client
    ) -> None:
        reviewer.provider.replies.append(TAKEN)
        reviewer.provider.default = RUNNING
        admin.post_json(SUBMIT, {"asset_ids": [portrait(registry, owner)]})
        for _ in range(3):
            reviewer.work()
        (before,) = reviewer.waits()
        admin.post(POLL)
        (after,) = reviewer.waits()
        assert after < 2.1 < before

    def test_with_nothing_backing_review_nothing_is_asked(
        self, reviewer: Reviewer, registry: Registry, admin: Client, owner: Client
    ) -> None:
        asset = portrait(registry, owner)
        admin.post_json(SUBMIT, {"asset_ids": [asset]})
        reviewer.close()
        reply = admin.post_json(POLL, {"asset_ids": [asset]}).json
        assert reply == {"polled": 0, "statuses": {}}


@pytest.mark.parametrize(("method", "path"), [("get", REVIEWS), ("post", SUBMIT), ("post", POLL)])
def test_a_teams_owner_has_no_business_here(owner: Client, method: str, path: str) -> None:
    assert getattr(owner, method)(path, status=403).json["code"] == "permission_denied"
