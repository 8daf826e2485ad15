"""Projects, their scripts and storyboards, made without the routes that would make them."""

from __future__ import annotations

import uuid
from typing import Any

from pyramid.registry import Registry

from contentsvc.db.session import transaction_scope
from contentsvc.products.models import Product, ProductImage
from contentsvc.projects.core.access import lock_project
from contentsvc.projects.models import Project, ScriptVersion, Shot, ShotVersion, Storyboard, WorkStatus
from contentsvc.projects.scripts.segments import new_segment
from contentsvc.projects.scripts.services import add_version, adopt
from tests.functional.library import add_asset, add_assets

NARRATIONS = ("Mornings are grey.", "Then comes the cup.", "Order yours today.")


def add_product(registry: Registry, team_id: Any, **fields: Any) -> str:
    """A committed active product with one image (a row without bytes, see ``library``); its id."""
    asset_id = add_asset(registry, team_id)
    with transaction_scope(registry, team_id) as session:
        product = Product(team_id=team_id, **{"title": "Cup", **fields})
        product.images = [ProductImage(asset_id=uuid.UUID(asset_id), is_primary=True)]
        session.add(product)
        session.flush()
        return str(product.id)


def add_project(registry: Registry, team_id: Any, **fields: Any) -> str:
    """A committed project, of a new product unless ``product_id`` is told; its id."""
    product_id = fields.pop("product_id", None) or add_product(registry, team_id)
    with transaction_scope(registry, team_id) as session:
        project = Project(
            team_id=team_id, product_id=uuid.UUID(str(product_id)), **{"name": "Film", **fields}
        )
        session.add(project)
        session.flush()
        return str(project.id)


def add_script(
    registry: Registry,
    team_id: Any,
    project_id: str,
    *,
    segments: list[dict[str, Any]] | None = None,
    adopted: bool = False,
    **fields: Any,
) -> dict[str, Any]:
    """A committed script version, the working one: ``{"id": str, "segment_ids": [str]}``.

    Three segments of 5 seconds unless ``segments`` (keywords of ``new_segment``) are told.
    """
    written = segments or [{"narration": text, "visual_prompt": f"Shot: {text}"} for text in NARRATIONS]
    with transaction_scope(registry, team_id) as session:
        project = lock_project(session, uuid.UUID(project_id))
        version = add_version(
            session,
            project,
            segments=[new_segment(**segment) for segment in written],
            **{"mode": "auto", "aspect_ratio": "9:16", **fields},
        )
        if adopted:
            adopt(session, project, str(version.id))
        return {"id": str(version.id), "segment_ids": [item["segment_id"] for item in version.segments]}


def read_project(client: Any, project_id: str) -> Any:
    """A project as the API shows it."""
    return client.get(f"/api/projects/{project_id}/").json


def act(client: Any, project_id: str, action: str, body: dict[str, Any] | None = None, **kwargs: Any) -> Any:
    """Call one of a project's actions: ``act(owner, project, "adopt-script", {...}, status=404)``."""
    return client.post_json(f"/api/projects/{project_id}/{action}/", body or {}, **kwargs)


def stored_script(registry: Registry, version_id: str) -> ScriptVersion:
    """A script version's row."""
    with transaction_scope(registry) as session:
        found = session.get(ScriptVersion, uuid.UUID(version_id))
        assert found is not None
        return found


def set_project(registry: Any, project: str, **values: Any) -> None:
    """Set columns of a project's row."""
    with transaction_scope(registry) as session:
        row = session.get(Project, uuid.UUID(project))
        for name, value in values.items():
            setattr(row, name, value)


def adopt_script(client: Any, project: str, script: Any, **kwargs: Any) -> Any:
    """Adopt a script version, as ``add_script`` returns it; the reply."""
    return act(client, project, "adopt-script", {"script_version_id": script["id"]}, **kwargs).json


def add_storyboard(registry: Registry, client: Any, project_id: str, versions: int = 1) -> list[list[str]]:
    """A storyboard whose shots use the last of ``versions`` pictures each; the pictures by segment."""
    script = read_project(client, project_id)["current_script"]
    with transaction_scope(registry, client.team_id) as session:
        storyboard = Storyboard(
            team_id=client.team_id,
            project_id=uuid.UUID(project_id),
            script_version_id=uuid.UUID(script["id"]),
            task_id=uuid.uuid4(),
            status=WorkStatus.SUCCEEDED,
        )
        session.add(storyboard)
        session.flush()
        pictures = []
        for segment in script["segments"]:
            shot = Shot(
                team_id=client.team_id,
                storyboard_id=storyboard.id,
                segment_id=uuid.UUID(segment["segment_id"]),
                index=segment["index"],
                status=WorkStatus.SUCCEEDED,
            )
            session.add(shot)
            session.flush()
            assets = add_assets(registry, client.team_id, versions, category="storyboard")
            for asset in assets:
                version = ShotVersion(team_id=client.team_id, shot_id=shot.id, asset_id=uuid.UUID(asset))
                session.add(version)
                session.flush()
                shot.adopted_version_id = version.id
            pictures.append(assets)
    return pictures
