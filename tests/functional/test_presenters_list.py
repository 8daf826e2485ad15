"""Listing presenters: whose, in what order, with what, at what cost."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from contentsvc.assets.models import AssetCategory
from contentsvc.presenters.models import ModelEntity
from tests.functional.library import add_asset, add_assets
from tests.functional.queries import count_queries

UNKNOWN = "01890a5d-ac96-774b-bcce-b302099a8057"


def enroll(client: Any, status: int = 201, /, **body: Any) -> Any:
    return client.post_json("/api/models/enroll-asset/", body, status=status).json


def names(client: Any, **query: str) -> list[str]:
    return [row["name"] for row in client.get("/api/models/", query).json["results"]]


@pytest.fixture
def asset(registry: Any, owner: Any) -> str:
    return add_asset(registry, owner.team_id, name="Portrait")


@pytest.fixture
def official(registry: Any, database: Any) -> str:
    """An official presenter, whose portrait no team owns."""
    portrait = add_asset(registry, None)
    with database() as session:
        presenter = ModelEntity(name="Template", is_official=True, tags=[], portrait_asset_id=portrait)
        session.add(presenter)
        session.flush()
        return str(presenter.id)


def test_list_shows_own_and_official_newest_first(owner: Any, official: str, asset: str) -> None:
    enroll(owner, asset_id=asset)

    assert names(owner) == ["Portrait", "Template"]


def test_tabs_show_one_kind(owner: Any, official: str, asset: str) -> None:
    enroll(owner, asset_id=asset)

    assert names(owner, tab="official") == ["Template"]
    assert names(owner, tab="mine") == ["Portrait"]
    assert names(owner, tab="") == ["Portrait", "Template"]


def test_official_presenters_show_their_portrait_to_every_team(owner: Any, official: str) -> None:
    row = owner.get("/api/models/?tab=official").json["results"][0]

    assert (row["id"], row["is_official"]) == (official, True)
    assert row["portrait_url"] == row["portrait"]["preview_url"]


def test_another_teams_presenters_are_not_listed(owner: Any, other: Any, asset: str) -> None:
    enroll(owner, asset_id=asset)

    assert names(other) == []


def test_deleted_presenters_are_not_listed(owner: Any, asset: str) -> None:
    owner.delete(f"/api/models/{enroll(owner, asset_id=asset)['id']}/")

    assert names(owner) == []


@pytest.mark.parametrize("query", ["tab=theirs", "page=0", "page_size=x", "q=" + "x" * 256])
def test_a_bad_query_is_refused_on_its_field(owner: Any, query: str) -> None:
    assert list(owner.get(f"/api/models/?{query}", status=400).json) == [query.partition("=")[0]]


@pytest.fixture
def crowd(owner: Any, database: Any, asset: str) -> None:
    """Presenters that differ in their texts."""
    rows = [
        {"name": "Anna Émile", "description": "", "tags": []},
        {"name": "B", "description": "50% calm_warm", "tags": []},
        {"name": "C", "description": "", "tags": ['the "quiet" one', "Élan"]},
    ]
    with database() as session:
        for row in rows:
            session.add(ModelEntity(team_id=owner.team_id, portrait_asset_id=asset, **row))


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("ANNA émile", ["Anna Émile"]),
        ("%", ["B"]),
        ("_", ["B"]),
        ('"quiet"', ["C"]),
        ("élan", ["C"]),
        ("[", []),
        (",", []),
        ("nobody", []),
    ],
)
def test_q_is_literal_text_in_name_description_and_tags(
    owner: Any, crowd: None, q: str, expected: list[str]
) -> None:
    assert names(owner, q=q) == expected


def test_list_has_pages(owner: Any, crowd: None) -> None:
    reply = owner.get("/api/models/?page=2&page_size=2").json

    assert (reply["count"], reply["page"], len(reply["results"])) == (3, 2, 1)


def test_a_viewer_may_list(owner: Any, make_client: Any, crowd: None) -> None:
    assert len(names(make_client("viewer", owner.team_id))) == 3


def test_nobody_lists_without_token_or_team(api: Any, admin: Any) -> None:
    api.get("/api/models/", status=401)
    admin.get("/api/models/", status=403)


def test_three_views_of_the_portrait_are_shown(registry: Any, owner: Any, asset: str) -> None:
    enroll(owner, asset_id=asset)
    view = {"category": AssetCategory.TRI_VIEW, "meta": {"triview_of": asset}}
    first, second = (add_asset(registry, owner.team_id, **view) for _ in range(2))
    add_asset(registry, owner.team_id, category=AssetCategory.TRI_VIEW, meta={"triview_of": UNKNOWN})
    add_asset(registry, owner.team_id, **view, deleted_at=datetime.now(UTC))

    row = owner.get("/api/models/").json["results"][0]

    assert [shown["id"] for shown in row["three_views"]] == [first, second]


def test_another_teams_three_views_are_not_shown(registry: Any, owner: Any, other: Any, asset: str) -> None:
    enroll(owner, asset_id=asset)
    add_asset(registry, other.team_id, category=AssetCategory.TRI_VIEW, meta={"triview_of": asset})

    assert owner.get("/api/models/").json["results"][0]["three_views"] == []


def test_200_presenters_take_as_many_statements_as_one(registry: Any, owner: Any, database: Any) -> None:
    def add(number: int) -> None:
        portraits = add_assets(registry, owner.team_id, number)
        for portrait in portraits[:5]:
            add_asset(registry, owner.team_id, category=AssetCategory.TRI_VIEW, meta={"triview_of": portrait})
        with database() as session:
            for portrait in portraits:
                session.add(
                    ModelEntity(team_id=owner.team_id, name="Anna", tags=[], portrait_asset_id=portrait)
                )

    add(1)
    with count_queries(registry) as for_one:
        assert len(owner.get("/api/models/?page_size=200").json["results"]) == 1
    add(199)
    with count_queries(registry) as for_many:
        assert len(owner.get("/api/models/?page_size=200").json["results"]) == 200

    assert len(for_many) == len(for_one)
