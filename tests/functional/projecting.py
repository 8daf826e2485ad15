"""Projects and their scripts, made without the routes that would make them."""

from __future__ import annotations

import uuid
from typing import Any

from pyramid.registry import Registry

from contentsvc.db.session import transaction_scope
from contentsvc.products.models import Product, ProductImage
from contentsvc.projects.core.access import lock_project
from contentsvc.projects.models import Project, ScriptVersion
from contentsvc.projects.scripts.segments import new_segment
from contentsvc.projects.scripts.services import add_version, adopt
from tests.functional.library import add_asset

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
