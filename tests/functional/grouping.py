"""Base assets of a project, made and attached through the API."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyramid.registry import Registry
from sqlalchemy import func, update

from contentsvc.assets.models import Asset
from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.models import Queue
from contentsvc.plugin import Capability
from tests.fakes.provider import fake_provider
from tests.functional.conftest import Client
from tests.functional.generating import Database, Studio, add_default_models, read
from tests.functional.projecting import act, read_project


@contextmanager
def picture_studio(registry: Registry, database: Database) -> Iterator[Studio]:
    """A studio whose fake models are the defaults for pictures; at its end the books must add up."""
    beat_once(registry, list(Queue))
    with fake_provider() as server:
        with database() as session:
            add_default_models(session, server.url, Capability.IMAGE_GENERATION, Capability.IMAGE_EDIT)
        studio = Studio(registry, database, server)
        yield studio
        assert studio.faults() == []


def trash(database: Database, asset_id: str) -> None:
    """Put an asset into the trash."""
    with database() as session:
        mine = Asset.id == uuid.UUID(asset_id)
        session.execute(update(Asset).where(mine).values(deleted_at=func.clock_timestamp()))


def generate(client: Client, project_id: str, status: int = 202, **body: Any) -> Any:
    """Order a base asset; a person unless told."""
    full = {"kind": "person", "prompt": "a baker", **body}
    return act(client, project_id, "generate-base-asset", full, status=status).json


def groups(client: Client, project_id: str) -> list[Any]:
    """The groups as the API shows them."""
    return list(read_project(client, project_id)["base_asset_groups"])


def made(studio: Studio, client: Client, project_id: str, **body: Any) -> Any:
    """Generate a base asset; the asset it has become."""
    task_id = generate(client, project_id, **body)["task"]["id"]
    studio.work()
    return read(client, task_id)["assets"][0]


def turned(studio: Studio, client: Client, project_id: str, portrait_id: str) -> Any:
    """Generate a three-view; the asset it has become."""
    reply = act(client, project_id, "generate-triview", {"portrait_asset_id": portrait_id}, status=202)
    studio.work()
    return read(client, reply.json["task"]["id"])["assets"][0]


def attach(client: Client, project_id: str, status: int = 200, **body: Any) -> Any:
    """Attach an asset; the reply."""
    return act(client, project_id, "attach-base-asset", body, status=status).json


def attached(client: Client, project_id: str, asset: str, kind: str = "person", label: str = "Mira") -> str:
    """A group with one candidate; its id."""
    found = attach(client, project_id, asset_id=asset, kind=kind, label=label)["base_asset_groups"]
    return str(next(g for g in found if (g["kind"], g["label"]) == (kind, label))["group_id"])


def ids(assets: list[Any]) -> list[str]:
    """Ids of assets."""
    return [asset["id"] for asset in assets]
