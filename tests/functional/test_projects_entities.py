"""Reading a script for whom and what it shows: ordering it, reusing it, writing down what was found."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import select, update
from webtest import TestApp

from contentsvc.generation.models import AITask
from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.models import Queue, WorkerBeat
from contentsvc.plugin import Capability
from contentsvc.projects.models import Project
from contentsvc.providers.models import ModelConfig
from tests.fakes.provider import Reply, fake_provider
from tests.functional.conftest import Client, MakeClient
from tests.functional.generating import Database, Studio, add_default_models, ledger_of, read, unknown_id
from tests.functional.projecting import act, add_project, add_script, read_project

MIRA = {"type": "character", "name": "Mira", "visual_prompt": "a baker in her thirties", "segments": [0, 2]}
KITCHEN = {"type": "scene", "name": "Kitchen", "visual_prompt": "a bright kitchen", "segments": [1]}


@pytest.fixture
def studio(registry: Registry, database: Database) -> Iterator[Studio]:
    beat_once(registry, list(Queue))
    with fake_provider() as server:
        with database() as session:
            add_default_models(session, server.url, Capability.ENTITY_EXTRACTION)
        made = Studio(registry, database, server)
        yield made
        assert made.faults() == []


@pytest.fixture
def project(registry: Registry, owner: Client) -> str:
    project_id = add_project(registry, owner.team_id)
    add_script(registry, owner.team_id, project_id)
    return project_id


def answer(studio: Studio, *entities: dict[str, Any]) -> None:
    studio.provider.replies.append(Reply.json(200, {"entities": list(entities)}))


def extract(studio: Studio, client: Client, project_id: str, *entities: dict[str, Any]) -> list[Any]:
    """A whole extraction with this answer; the entities it leaves."""
    answer(studio, *entities)
    act(client, project_id, "extract-entities", status=202)
    studio.work()
    return status(client, project_id)["entities"]


def status(client: Client, project_id: str) -> Any:
    return client.get(f"/api/projects/{project_id}/extract-status/").json


def refs(client: Client, project_id: str) -> list[list[str]]:
    return [s["entity_refs"] for s in read_project(client, project_id)["current_script"]["segments"]]


def test_an_order_is_answered_with_its_task(studio: Studio, owner: Client, project: str) -> None:
    made = act(owner, project, "extract-entities", status=202).json
    assert made["status"] == "RESERVED"
    task = read(owner, made["task_id"])
    assert (task["task_type"], task["project"]) == ("entity_extraction", project)


def test_before_any_run_there_is_no_status(owner: Client, project: str) -> None:
    assert status(owner, project) == {"running": False, "status": None, "error": None, "entities": []}


def test_before_any_run_the_entities_of_the_client_are_told(owner: Client, registry: Registry) -> None:
    entity = {"id": "e1", "type": "scene", "name": "Roof", "visual_prompt": "", "ref_index": 4}
    project = add_project(registry, owner.team_id, meta={"script_entities": [entity]})
    assert status(owner, project)["entities"] == [entity]


def test_while_it_runs_the_status_says_so(studio: Studio, owner: Client, project: str) -> None:
    act(owner, project, "extract-entities", status=202)
    seen = status(owner, project)
    assert (seen["running"], seen["status"]) == (True, "RESERVED")


def test_found_entities_are_told_in_their_order(studio: Studio, owner: Client, project: str) -> None:
    found = extract(studio, owner, project, MIRA, KITCHEN)
    assert [{k: v for k, v in entity.items() if k != "id"} for entity in found] == [
        {
            "type": "character",
            "name": "Mira",
            "visual_prompt": "a baker in her thirties",
            "ref_index": 0,
        },
        {"type": "scene", "name": "Kitchen", "visual_prompt": "a bright kitchen", "ref_index": 1},
    ]


def test_a_finished_run_has_succeeded(studio: Studio, owner: Client, project: str) -> None:
    extract(studio, owner, project, MIRA)
    seen = status(owner, project)
    assert (seen["running"], seen["status"], seen["error"]) == (False, "succeeded", None)


def test_the_entities_are_kept_in_the_projects_metadata(studio: Studio, owner: Client, project: str) -> None:
    owner.patch_json(f"/api/projects/{project}/", {"metadata": {"tone": "warm"}})
    found = extract(studio, owner, project, MIRA)
    assert read_project(owner, project)["metadata"] == {"tone": "warm", "script_entities": found}


def test_the_metadata_a_run_leaves_can_be_sent_back(studio: Studio, owner: Client, project: str) -> None:
    extract(studio, owner, project, MIRA, KITCHEN)
    metadata = read_project(owner, project)["metadata"]
    owner.patch_json(f"/api/projects/{project}/", {"metadata": metadata}, status=200)


def test_segments_refer_to_the_entities_they_show(studio: Studio, owner: Client, project: str) -> None:
    mira, kitchen = (entity["id"] for entity in extract(studio, owner, project, MIRA, KITCHEN))
    assert refs(owner, project) == [[mira], [kitchen], [mira]]


def test_the_provider_reads_script_and_product(studio: Studio, owner: Client, project: str) -> None:
    extract(studio, owner, project, MIRA)
    [asked] = studio.provider.orders
    assert asked["narrations"] == ["Mornings are grey.", "Then comes the cup.", "Order yours today."]
    assert asked["product"] == "Cup"


def test_a_known_entity_keeps_its_id(studio: Studio, owner: Client, project: str) -> None:
    [first] = extract(studio, owner, project, MIRA)
    again = extract(studio, owner, project, KITCHEN, {**MIRA, "name": "MIRA"})
    assert [entity["id"] == first["id"] for entity in again] == [False, True]


def test_a_person_and_a_place_of_one_name_differ(studio: Studio, owner: Client, project: str) -> None:
    [person] = extract(studio, owner, project, MIRA)
    [place] = extract(studio, owner, project, {**MIRA, "type": "scene"})
    assert place["id"] != person["id"]


def test_what_a_client_has_added_to_an_entity_stays(studio: Studio, owner: Client, project: str) -> None:
    [entity] = extract(studio, owner, project, MIRA)
    metadata = {"script_entities": [{**entity, "voice": "warm"}]}
    owner.patch_json(f"/api/projects/{project}/", {"metadata": metadata})
    extract(studio, owner, project, MIRA)
    assert read_project(owner, project)["metadata"]["script_entities"] == [{**entity, "voice": "warm"}]


def test_entities_named_twice_become_one(studio: Studio, owner: Client, project: str) -> None:
    twice = {**MIRA, "name": "  mira ", "segments": [1]}
    [mira] = extract(studio, owner, project, MIRA, twice)
    assert refs(owner, project) == [[mira["id"]]] * 3


def test_nameless_entities_are_left_out(studio: Studio, owner: Client, project: str) -> None:
    found = extract(studio, owner, project, {**MIRA, "name": " "}, KITCHEN)
    assert [entity["name"] for entity in found] == ["Kitchen"]


def test_segments_out_of_range_are_left_out(studio: Studio, owner: Client, project: str) -> None:
    [mira] = extract(studio, owner, project, {**MIRA, "segments": [-1, 1, 3]})
    assert refs(owner, project) == [[], [mira["id"]], []]


def test_at_most_forty_entities_are_kept(studio: Studio, owner: Client, project: str) -> None:
    found = extract(studio, owner, project, *({**MIRA, "name": f"Guest {n}"} for n in range(45)))
    assert len(found) == 40


def test_text_the_database_can_not_hold_is_cleaned(studio: Studio, owner: Client, project: str) -> None:
    [entity] = extract(studio, owner, project, {**MIRA, "name": "Mi\x00ra\n", "visual_prompt": "x" * 9000})
    assert (entity["name"], len(entity["visual_prompt"])) == ("Mira", 1000)


@pytest.mark.parametrize(
    "entity",
    [
        {**MIRA, "type": "animal"},
        {**MIRA, "name": None},
        {**MIRA, "segments": "all"},
        {**MIRA, "name": ""},
    ],
)
def test_an_unusable_answer_fails_and_is_not_charged(
    studio: Studio, owner: Client, project: str, entity: dict[str, Any]
) -> None:
    assert extract(studio, owner, project, entity) == []
    seen = status(owner, project)
    assert (seen["running"], seen["status"]) == (False, "failed")
    assert seen["error"]
    assert owner.get("/api/billing/summary/").json["total_charged"] == "0.00"


def test_a_failed_run_keeps_what_was_known(studio: Studio, owner: Client, project: str) -> None:
    found = extract(studio, owner, project, MIRA)
    assert extract(studio, owner, project, {**MIRA, "type": "animal"}) == found


def test_a_script_without_anybody_is_no_failure(studio: Studio, owner: Client, project: str) -> None:
    assert extract(studio, owner, project) == []
    assert status(owner, project)["status"] == "succeeded"


def test_a_segment_added_meanwhile_keeps_its_place(studio: Studio, owner: Client, project: str) -> None:
    answer(studio, {**MIRA, "segments": [0]})
    act(owner, project, "extract-entities", status=202)
    act(owner, project, "add-script-segment", {"narration": "A new beginning."})
    studio.work()
    [mira] = status(owner, project)["entities"]
    assert refs(owner, project) == [[], [mira["id"]], [], []]


def test_an_extraction_is_charged_once(studio: Studio, owner: Client, project: str) -> None:
    answer(studio, MIRA)
    task_id = act(owner, project, "extract-entities", status=202).json["task_id"]
    studio.work()
    assert ledger_of(owner, task_id) == ["RESERVE", "CHARGE"]
    assert read(owner, task_id)["actual_cost"] == "0.30"


def test_a_running_extraction_is_used_again(studio: Studio, owner: Client, project: str) -> None:
    first = act(owner, project, "extract-entities", status=202).json
    assert act(owner, project, "extract-entities", status=202).json == first
    assert owner.get("/api/billing/summary/").json["frozen"] == "0.30"


def test_a_running_extraction_is_used_again_without_a_worker(
    studio: Studio, owner: Client, project: str
) -> None:
    first = act(owner, project, "extract-entities", status=202).json
    with studio.database() as session:
        session.query(WorkerBeat).delete()
    assert act(owner, project, "extract-entities", status=202).json == first


def test_after_a_run_the_next_order_is_a_new_one(studio: Studio, owner: Client, project: str) -> None:
    first = act(owner, project, "extract-entities", status=202).json
    answer(studio, MIRA)
    studio.work()
    assert act(owner, project, "extract-entities", status=202).json["task_id"] != first["task_id"]


def test_orders_at_the_same_moment_share_one_task(
    studio: Studio, owner: Client, project: str, wsgi: Any
) -> None:
    together = threading.Barrier(6)

    def ask(_number: int) -> str:
        client = Client(TestApp(wsgi), owner.token, owner.user_id, owner.team_id)
        together.wait(30)
        return str(act(client, project, "extract-entities", status=202).json["task_id"])

    with ThreadPoolExecutor(6) as pool:
        tasks = set(pool.map(ask, range(6)))
    assert len(tasks) == 1
    assert owner.get("/api/billing/summary/").json["frozen"] == "0.30"


def test_each_project_has_its_own_extraction(
    studio: Studio, registry: Registry, owner: Client, project: str
) -> None:
    another = add_project(registry, owner.team_id)
    add_script(registry, owner.team_id, another)
    first = act(owner, project, "extract-entities", status=202).json
    assert act(owner, another, "extract-entities", status=202).json["task_id"] != first["task_id"]


def test_without_a_script_there_is_nothing_to_read(studio: Studio, registry: Registry, owner: Client) -> None:
    project = add_project(registry, owner.team_id)
    assert act(owner, project, "extract-entities", status=400).json["code"] == "conflict"


def test_without_a_model_nothing_is_reserved(studio: Studio, owner: Client, project: str) -> None:
    with studio.database() as session:
        session.execute(update(ModelConfig).values(status="inactive"))
    assert act(owner, project, "extract-entities", status=503).json["code"] == "no_model"


def test_without_a_worker_nothing_is_reserved(studio: Studio, owner: Client, project: str) -> None:
    with studio.database() as session:
        session.query(WorkerBeat).delete()
    assert act(owner, project, "extract-entities", status=503).json["code"] == "no_worker"
    assert owner.get("/api/billing/summary/").json["frozen"] == "0.00"


def test_without_credit_nothing_is_ordered(
    studio: Studio, registry: Registry, make_client: MakeClient
) -> None:
    poor = make_client(balance=0)
    project = add_project(registry, poor.team_id)
    add_script(registry, poor.team_id, project)
    assert act(poor, project, "extract-entities", status=402).json["code"] == "insufficient_balance"
    with studio.database() as session:
        assert session.scalars(select(AITask)).all() == []


def test_a_viewer_may_look_but_not_order(
    studio: Studio, make_client: MakeClient, owner: Client, project: str
) -> None:
    viewer = make_client("viewer", owner.team_id)
    assert act(viewer, project, "extract-entities", status=403).json["code"] == "permission_denied"
    assert status(viewer, project)["running"] is False


@pytest.mark.parametrize("method", ["post", "get"])
def test_another_teams_project_does_not_exist(
    studio: Studio, other: Client, project: str, method: str
) -> None:
    path = {"post": "extract-entities", "get": "extract-status"}[method]
    reply = getattr(other, method)(f"/api/projects/{project}/{path}/", status=404)
    assert reply.json == getattr(other, method)(f"/api/projects/{unknown_id()}/{path}/", status=404).json


def test_a_project_deleted_meanwhile_is_still_settled(studio: Studio, owner: Client, project: str) -> None:
    answer(studio, MIRA)
    task_id = act(owner, project, "extract-entities", status=202).json["task_id"]
    owner.delete(f"/api/projects/{project}/")
    studio.work()
    assert read(owner, task_id)["status"] == "succeeded"
    with studio.database() as session:
        meta = session.get_one(Project, uuid.UUID(project)).meta
    assert [entity["name"] for entity in meta["script_entities"]] == ["Mira"]


def test_the_estimate_of_an_extraction_spends_nothing(studio: Studio, owner: Client) -> None:
    told = owner.post_json("/api/ai/estimate/", {"task_type": "entity_extraction"}).json
    assert (told["estimated_cost"], told["available"]) == ("0.30", "100.00")
