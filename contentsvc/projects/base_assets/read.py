"""Groups, running pictures and entities as the API shows them."""

from __future__ import annotations

import uuid
from collections import defaultdict
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset
from contentsvc.generation.models import OPEN_STATUSES, AITask, TaskType
from contentsvc.projects.base_assets.entities import latest_extraction, stored_entities
from contentsvc.projects.base_assets.groups import group_state
from contentsvc.projects.base_assets.pictures import TASK_OF_KIND
from contentsvc.projects.models import BaseAssetCandidate, BaseAssetGroup, Project


def groups(session: Session, project: Project) -> list[dict[str, Any]]:
    """All groups of a project for BaseAssetGroupOut, oldest first; two queries."""
    own = (
        select(BaseAssetGroup)
        .where(BaseAssetGroup.project_id == project.id)
        .order_by(BaseAssetGroup.created_at, BaseAssetGroup.id)
    )
    rows = session.scalars(own).all()
    candidates = _candidates(session, project)
    return [_group_document(project, group, candidates[group.id]) for group in rows]


def _candidates(session: Session, project: Project) -> dict[uuid.UUID, list[Asset]]:
    """Candidates of each group, oldest first; assets in the trash stay, purged ones are gone."""
    statement = (
        select(BaseAssetCandidate.group_id, Asset)
        .join(Asset, Asset.id == BaseAssetCandidate.asset_id)
        .join(BaseAssetGroup, BaseAssetGroup.id == BaseAssetCandidate.group_id)
        .where(BaseAssetGroup.project_id == project.id)
        .order_by(BaseAssetCandidate.created_at, BaseAssetCandidate.id)
    )
    found: dict[uuid.UUID, list[Asset]] = defaultdict(list)
    for group_id, asset in session.execute(statement):
        found[group_id].append(asset)
    return found


def _group_document(project: Project, group: BaseAssetGroup, candidates: list[Asset]) -> dict[str, Any]:
    adopted = [asset for asset in candidates if asset.id == group.adopted_asset_id]
    return {
        "group_id": group.id,
        "kind": group.kind,
        "label": group.label,
        "state": group_state(project, group.id),
        "candidate_assets": candidates,
        "adopted_asset": adopted[0] if adopted else None,
        "metadata": {"label": group.label, "triview_of": group.triview_of},
    }


def pending(session: Session, project: Project) -> list[dict[str, Any]]:
    """The project's base assets that are being made, oldest order first; one query."""
    types = [*TASK_OF_KIND.values(), TaskType.TRI_VIEW_IMAGE]
    statement = (
        select(AITask)
        .where(
            AITask.project_id == project.id,
            AITask.task_type.in_(types),
            AITask.status.in_(OPEN_STATUSES),
        )
        .order_by(AITask.created_at, AITask.id)
    )
    return [
        {
            "id": task.id,
            "kind": task.meta["kind"],
            "label": task.meta["label"],
            "is_triview": task.task_type == TaskType.TRI_VIEW_IMAGE,
            "status": task.status,
        }
        for task in session.scalars(statement)
    ]


def extract_status(session: Session, project: Project) -> dict[str, Any]:
    """How far the newest extraction is, for ExtractStatusOut; one query."""
    task = latest_extraction(session, project)
    return {
        "running": task is not None and task.status in OPEN_STATUSES,
        "status": task.status if task else None,
        "error": (task.error_message or None) if task else None,
        "entities": stored_entities(project),
    }
