"""Storyboards of a project, ordered and read through the API."""

from __future__ import annotations

from typing import Any

from pyramid.registry import Registry

from tests.fakes.provider import Reply
from tests.functional.conftest import Client
from tests.functional.generating import Studio
from tests.functional.grouping import attached
from tests.functional.library import add_asset
from tests.functional.projecting import act, add_script, read_project

REJECTED = Reply(422)


def generate(client: Client, project_id: str, status: int = 202, **body: Any) -> Any:
    """Order a storyboard; the reply."""
    return act(client, project_id, "generate-storyboard", body, status=status).json


def made(studio: Studio, client: Client, project_id: str, *replies: Reply) -> Any:
    """A storyboard that has ended, its shots answered with these replies; as the project shows it."""
    generate(client, project_id)
    studio.provider.replies.extend(replies)
    studio.work()
    return shown(client, project_id)


def shown(client: Client, project_id: str) -> Any:
    """The storyboard as the project shows it."""
    return read_project(client, project_id)["storyboard"]


def poll(client: Client, project_id: str, status: int = 200) -> Any:
    """The reply to a poll."""
    return act(client, project_id, "poll-storyboard", status=status).json


def standing(client: Client, project_id: str) -> tuple[str, str]:
    """Stage and status of a project."""
    found = read_project(client, project_id)
    return found["stage"], found["status"]


def tasks(client: Client, project_id: str, task_type: str) -> list[Any]:
    """The project's tasks of a type, newest first."""
    query = {"project": project_id, "task_type": task_type, "page_size": 100}
    return list(client.get("/api/ai/tasks/", query).json["results"])


def cast(owner: Client, registry: Registry, project: str, refs: list[list[str]]) -> tuple[str, str]:
    """A character and a scene with pictures, named by the segments as ``refs`` say."""
    entities = [
        {"id": "mira", "type": "character", "name": "Mira"},
        {"id": "kitchen", "type": "scene", "name": "Kitchen"},
    ]
    owner.patch_json(f"/api/projects/{project}/", {"metadata": {"script_entities": entities}})
    written = [{"visual_prompt": f"shot {n}", "entity_refs": named} for n, named in enumerate(refs)]
    add_script(registry, owner.team_id, project, segments=written, adopted=True)
    person = attached(owner, project, add_asset(registry, owner.team_id), "person", "Mira")
    scene = attached(owner, project, add_asset(registry, owner.team_id), "scene", "Kitchen")
    return person, scene


def references(studio: Studio) -> list[list[str]]:
    """The roles of the pictures each order came with."""
    return [sent["references"] for sent in studio.provider.orders]
