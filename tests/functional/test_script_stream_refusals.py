"""What the script stream refuses before it begins, as JSON, with nothing reserved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import select, update

from contentsvc.http.streaming import streams_of
from contentsvc.providers.models import ConfigStatus, ModelConfig, Provider
from tests.fakes.scripts import script
from tests.functional.conftest import Client, MakeClient
from tests.functional.generating import Database, unknown_id
from tests.functional.projecting import add_project, add_script
from tests.functional.scripting import Author, author


@pytest.fixture
def studio(registry: Registry, database: Database, owner: Client) -> Iterator[Author]:
    with author(registry, database, owner) as made:
        made.provider.default = script()
        yield made
        assert made.tasks() == []
        assert made.credit()[1] == "0.00"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"mode": "poem"}, "mode"),
        ({"mode": None}, "mode"),
        ({"mode": "theme"}, "prompt"),
        ({"mode": "theme", "prompt": "   "}, "prompt"),
        ({"prompt": ""}, "prompt"),
        ({"prompt": "x" * 4001}, "prompt"),
        ({"aspect_ratio": "21:9"}, "aspect_ratio"),
        ({"total_duration": 4}, "total_duration"),
        ({"total_duration": 301}, "total_duration"),
        ({"total_duration": "30"}, "total_duration"),
        ({"total_duration": True}, "total_duration"),
        ({"target_index": 0}, "target_index"),
        ({"model_config_id": "gpt"}, "model_config_id"),
        ({"model_config_id": unknown_id()}, "model_config_id"),
        ({"base_version_id": "v1"}, "base_version_id"),
        ({"base_version_id": unknown_id()}, "base_version_id"),
        ({"selling_point_ids": ["cheap"]}, "selling_point_ids"),
        ({"selling_point_ids": [unknown_id()]}, "selling_point_ids"),
        ({"selling_point_ids": "cheap"}, "selling_point_ids"),
    ],
)
def test_a_bad_field_is_named(studio: Author, body: dict[str, Any], field: str) -> None:
    reply = studio.stream(**body)
    assert (reply.status_int, list(reply.json)) == (400, [field])


def test_a_mode_is_needed(studio: Author) -> None:
    reply = studio.post("script-agent-stream", {})
    assert (reply.status_int, list(reply.json)) == (400, ["mode"])


@pytest.mark.parametrize("index", [-1, 3, 10**20])
def test_a_target_outside_of_the_script_is_refused(studio: Author, index: int) -> None:
    add_script(studio.registry, studio.owner.team_id, studio.project)
    reply = studio.stream(mode="revise", target_index=index)
    assert (reply.status_int, list(reply.json)) == (400, ["target_index"])
    assert studio.provider.orders == []


def test_nothing_can_be_revised_before_there_is_a_script(studio: Author) -> None:
    reply = studio.stream(mode="revise")
    assert (reply.status_int, reply.json["code"]) == (400, "conflict")


def test_another_projects_version_is_no_base(studio: Author) -> None:
    elsewhere = add_project(studio.registry, studio.owner.team_id)
    version = add_script(studio.registry, studio.owner.team_id, elsewhere)
    reply = studio.stream(mode="revise", base_version_id=version["id"])
    assert (reply.status_int, list(reply.json)) == (400, ["base_version_id"])


def test_another_products_selling_point_is_unknown(studio: Author) -> None:
    elsewhere = add_project(studio.registry, studio.owner.team_id)
    product = studio.owner.get(f"/api/projects/{elsewhere}/").json["product"]
    [point] = studio.owner.patch_json(
        f"/api/products/{product}/", {"selling_points": [{"title": "warm"}]}
    ).json["selling_points"]
    reply = studio.stream(selling_point_ids=[point["id"]])
    assert (reply.status_int, list(reply.json)) == (400, ["selling_point_ids"])


def test_a_model_of_another_kind_is_refused(studio: Author, database: Database) -> None:
    with database() as session:
        other = session.scalars(select(ModelConfig.id).where(ModelConfig.capability != "script")).first()
    reply = studio.stream(model_config_id=str(other))
    assert (reply.status_int, list(reply.json)) == (400, ["model_config_id"])


def test_an_inactive_model_is_refused(studio: Author, database: Database) -> None:
    with database() as session:
        model = session.scalars(select(ModelConfig).where(ModelConfig.name == "fake-script")).one()
        model.status = ConfigStatus.INACTIVE
    reply = studio.stream(model_config_id=str(model.id))
    assert (reply.status_int, list(reply.json)) == (400, ["model_config_id"])


def test_without_any_model_there_is_no_script(studio: Author, database: Database) -> None:
    with database() as session:
        session.execute(update(ModelConfig).values(is_default=False))
    reply = studio.stream()
    assert (reply.status_int, reply.json["code"]) == (503, "no_model")


def test_a_named_model_without_its_plugin_is_not_available(studio: Author, database: Database) -> None:
    with database() as session:
        model = session.scalars(select(ModelConfig).where(ModelConfig.name == "fake-script")).one()
        session.get_one(Provider, model.provider_id).driver = "vanished"
    reply = studio.stream(model_config_id=str(model.id))
    assert (reply.status_int, reply.json["code"]) == (503, "no_model")


def test_what_can_not_be_revised_is_told_before_what_can_not_be_ordered(
    studio: Author, database: Database
) -> None:
    with database() as session:
        model = session.scalars(select(ModelConfig).where(ModelConfig.name == "fake-script")).one()
        session.get_one(Provider, model.provider_id).driver = "vanished"
    reply = studio.stream(mode="revise", model_config_id=str(model.id))
    assert (reply.status_int, reply.json["code"]) == (400, "conflict")


def test_an_empty_account_is_refused(studio: Author, database: Database) -> None:
    with database() as session:
        model = session.scalars(select(ModelConfig).where(ModelConfig.name == "fake-script")).one()
        model.unit_price = 1000
    reply = studio.stream()
    assert (reply.status_int, reply.json["code"]) == (402, "insufficient_balance")


def test_a_viewer_may_not_order(studio: Author, make_client: MakeClient) -> None:
    viewer = make_client("viewer", team_id=studio.owner.team_id)
    assert studio.stream(client=viewer).status_int == 403


def test_another_teams_project_is_unknown(studio: Author, other: Client) -> None:
    assert studio.stream(client=other).status_int == 404


def test_a_project_that_is_no_id_is_unknown(owner: Client) -> None:
    reply = owner.post_json("/api/projects/film/script-agent-stream/", {"mode": "auto"}, status=404)
    assert reply.json["code"] == "not_found"


def test_too_many_open_streams_are_refused(studio: Author) -> None:
    streams = streams_of(studio.registry)
    streams.limit = 1
    place = streams.enter()
    try:
        reply = studio.stream()
    finally:
        place.free()
        streams.limit = None
    assert (reply.status_int, reply.json["code"]) == (503, "unavailable")
    assert int(reply.headers["Retry-After"]) > 0


def test_a_server_that_stops_begins_no_stream(studio: Author) -> None:
    streams = streams_of(studio.registry)
    streams.draining = True
    try:
        reply = studio.stream()
    finally:
        streams.draining = False
    assert (reply.status_int, reply.json["code"]) == (503, "unavailable")


def test_a_bad_key_is_refused_before_anything_else(studio: Author, other: Client) -> None:
    reply = studio.post("script-agent-stream", {}, client=other, key="with space")
    assert (reply.status_int, reply.json["code"]) == (400, "malformed_json")
