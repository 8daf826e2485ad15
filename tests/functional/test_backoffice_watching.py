"""What the administrator looks at: all teams' projects, integrity, workers, the audit trail."""

from __future__ import annotations

import uuid
from decimal import Decimal
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import update

from contentsvc.accounts.models import Invitation
from contentsvc.billing.models import LedgerRow, LedgerType
from contentsvc.generation.models import AITask, TaskStatus, TaskType
from contentsvc.jobs.beats import beat_once, say_goodbye
from contentsvc.jobs.clock import in_seconds
from contentsvc.jobs.models import Queue, WorkerBeat
from contentsvc.products.models import Product
from contentsvc.projects.models import ProjectStatus
from contentsvc.security.models import Team
from tests.functional.conftest import Client, MakeClient
from tests.functional.generating import Database
from tests.functional.library import add_asset
from tests.functional.projecting import add_product, add_project, set_project
from tests.functional.queries import count_queries

PROJECTS = "/api/admin/projects/"
INTEGRITY = "/api/admin/integrity/"
WORKERS = "/api/admin/workers/"
AUDIT = "/api/admin/audit/"


def listed(admin: Client, path: str) -> list[str]:
    return [row["id"] for row in admin.get(path).json["results"]]


class TestProjects:
    def test_all_teams_projects_are_listed_newest_first(
        self, registry: Registry, admin: Client, owner: Client, other: Client
    ) -> None:
        mine, theirs = add_project(registry, owner.team_id), add_project(registry, other.team_id)
        page = admin.get(PROJECTS).json
        assert [row["id"] for row in page["results"]] == [theirs, mine]
        row = page["results"][1]
        assert (row["team"], row["team_name"][:5]) == (str(owner.team_id), "Team ")
        assert set(row) == {
            "id",
            "name",
            "team",
            "team_name",
            "product",
            "product_title",
            "cover_url",
            "stage",
            "status",
            "created_at",
            "updated_at",
        }

    def test_status_and_search_filter(
        self, registry: Registry, admin: Client, owner: Client, other: Client
    ) -> None:
        failed = add_project(registry, owner.team_id, name="Spring_film", status=ProjectStatus.FAILED)
        add_project(registry, other.team_id, name="Springtime film")
        assert listed(admin, f"{PROJECTS}?status=failed") == [failed]
        assert listed(admin, f"{PROJECTS}?search=g_F") == [failed]
        name = admin.get(f"{PROJECTS}?status=failed").json["results"][0]["team_name"]
        assert listed(admin, f"{PROJECTS}?search={name}") == [failed]
        assert list(admin.get(f"{PROJECTS}?status=lost", status=400).json) == ["status"]

    def test_a_longer_list_takes_no_more_queries(
        self, registry: Registry, admin: Client, owner: Client, other: Client
    ) -> None:
        add_project(registry, owner.team_id)
        with count_queries(registry) as few:
            admin.get(PROJECTS)
        for client in (owner, other, other):
            add_project(registry, client.team_id)
        with count_queries(registry) as many:
            admin.get(PROJECTS)
        assert len(many) == len(few)


class TestIntegrity:
    def test_a_sound_platform_has_nothing_to_report(
        self, registry: Registry, admin: Client, owner: Client
    ) -> None:
        add_asset(registry, owner.team_id)
        report = admin.get(INTEGRITY).json
        assert report.pop("checked_at").endswith("Z")
        assert report == {
            "counts": {
                "teams_without_account": 0,
                "products_without_image": 0,
                "expired_invitations": 0,
                "assets_without_file": 0,
                "failed_projects": 0,
                "stuck_reserved_tasks": 0,
            },
            "totals": {"teams": 1, "users": 2, "products": 0, "projects": 0, "assets": 1, "tasks": 0},
        }

    def test_what_is_wrong_is_counted(
        self, registry: Registry, admin: Client, owner: Client, database: Database
    ) -> None:
        set_project(registry, add_project(registry, owner.team_id), status=ProjectStatus.FAILED)
        admin.post_json("/api/admin/invitations/", {})
        before = admin.get(INTEGRITY).json["counts"]
        with database() as session:
            session.add_all([Team(name="Poor"), Product(team_id=owner.team_id, title="Bare")])
            session.execute(update(Invitation).values(expires_at=in_seconds(-1)))
        after = admin.get(INTEGRITY).json["counts"]
        risen = {name for name, number in after.items() if number == before[name] + 1}
        assert risen == {"teams_without_account", "products_without_image", "expired_invitations"}
        assert after["failed_projects"] == 1

    @pytest.mark.parametrize(
        ("task_type", "status", "age", "stuck"),
        [
            (TaskType.FREE_IMAGE, TaskStatus.RESERVED, 601, 1),
            (TaskType.FREE_IMAGE, TaskStatus.RESERVED, 590, 0),
            (TaskType.FREE_VIDEO, TaskStatus.POLLING, 601, 0),
            (TaskType.STORYBOARD, TaskStatus.RESERVED, 601, 0),
        ],
    )
    def test_a_task_is_stuck_when_its_latest_reservation_is_over_ten_minutes_old(
        self,
        admin: Client,
        owner: Client,
        database: Database,
        task_type: TaskType,
        status: TaskStatus,
        age: int,
        stuck: int,
    ) -> None:
        assert owner.team_id is not None
        task = AITask(
            id=uuid.uuid4(),
            team_id=owner.team_id,
            task_type=task_type,
            status=status,
            estimated_cost=Decimal(1),
            reservation_no=2,
            created_by=owner.user_id,
        )
        with database() as session:
            session.add(task)
            for number, seconds in ((1, 9999), (2, age)):
                credit = {"amount": 1, "balance_after": 100, "frozen_after": 1}
                session.add(
                    LedgerRow(
                        ledger_type=LedgerType.RESERVE,
                        team_id=owner.team_id,
                        task_id=task.id,
                        reservation_no=number,
                        created_at=in_seconds(-seconds),
                        **credit,
                    )
                )
        assert admin.get(INTEGRITY).json["counts"]["stuck_reserved_tasks"] == stuck

    def test_it_takes_two_statements_of_its_own(self, registry: Registry, admin: Client) -> None:
        with count_queries(registry) as statements:
            admin.get(INTEGRITY)
        assert sum("count(*)" in statement for statement in statements) == 2


class TestWorkers:
    def test_live_workers_are_an_array(self, registry: Registry, admin: Client) -> None:
        assert admin.get(WORKERS).json == []
        beat_once(registry, [Queue.GENERATE, Queue.POLL])
        (worker,) = admin.get(WORKERS).json
        assert set(worker) == {"id", "host", "queues", "started_at", "last_seen_at", "running"}
        assert (worker["queues"], worker["running"]) == (["generate", "poll"], 0)
        say_goodbye(registry)
        assert admin.get(WORKERS).json == []

    def test_one_that_died_is_gone(self, registry: Registry, admin: Client, database: Database) -> None:
        beat_once(registry, [Queue.EXPORT])
        with database() as session:
            session.execute(update(WorkerBeat).values(last_seen_at=in_seconds(-16)))
        assert admin.get(WORKERS).json == []


class TestAudit:
    @pytest.fixture
    def words(self, admin: Client) -> list[dict[str, Any]]:
        return [
            admin.post_json("/api/admin/quality-words/", {"stage": "video", "text": text}).json
            for text in ("calm", "slow")
        ]

    def test_rows_are_newest_first_and_whole(self, admin: Client, words: list[dict[str, Any]]) -> None:
        page = admin.get(AUDIT).json
        assert [row["target_id"] for row in page["results"]] == [word["id"] for word in words[::-1]]
        row = page["results"][0]
        assert uuid.UUID(row.pop("id"))
        assert row.pop("created_at").endswith("Z")
        assert row == {
            "actor": str(admin.user_id),
            "action": "quality_word.create",
            "target_type": "quality_word",
            "target_id": words[1]["id"],
            "before": None,
            "after": words[1],
            "ip": "203.0.113.7",
        }

    def test_actor_action_and_target_filter(
        self, admin: Client, words: list[dict[str, Any]], make_client: MakeClient
    ) -> None:
        second = make_client(platform=True)
        second.delete(f"/api/admin/quality-words/{words[0]['id']}/")
        assert admin.get(f"{AUDIT}?actor={second.user_id}").json["count"] == 1
        assert admin.get(f"{AUDIT}?action=quality_word.create").json["count"] == 2
        assert admin.get(f"{AUDIT}?target={words[0]['id']}").json["count"] == 2
        both = admin.get(f"{AUDIT}?target={words[0]['id']}&action=quality_word.delete").json["results"]
        assert [(row["before"], row["after"]) for row in both] == [(words[0], None)]

    @pytest.mark.parametrize("field", ["actor", "target"])
    def test_a_malformed_id_is_refused(self, admin: Client, field: str) -> None:
        assert list(admin.get(f"{AUDIT}?{field}=12", status=400).json) == [field]

    def test_a_refused_change_leaves_no_row(self, admin: Client) -> None:
        admin.post_json("/api/admin/quality-words/", {"stage": "poster", "text": "calm"}, status=400)
        assert admin.get(AUDIT).json["count"] == 0


def test_products_have_their_picture_in_the_list(registry: Registry, admin: Client, owner: Client) -> None:
    product = add_product(registry, owner.team_id, title="Cup")
    add_project(registry, owner.team_id, product_id=uuid.UUID(product))
    (row,) = admin.get(PROJECTS).json["results"]
    assert (row["product"], row["product_title"]) == (product, "Cup")


@pytest.mark.parametrize("path", [PROJECTS, INTEGRITY, WORKERS, AUDIT])
def test_a_teams_owner_has_no_business_here(owner: Client, path: str) -> None:
    assert owner.get(path, status=403).json["code"] == "permission_denied"
