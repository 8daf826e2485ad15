"""What reviews mean for a project: which faces hold its videos up, and how their reviews stand."""

from __future__ import annotations

import uuid

from pyramid.registry import Registry
from sqlalchemy import select
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset, ReviewStatus
from contentsvc.assets.reviews.services import review_model, submit_if_reviewable
from contentsvc.http.errors import ApiError, ErrorCode
from contentsvc.projects.models import BaseAssetCandidate, BaseAssetGroup, GroupKind, Project
from contentsvc.projects.reviews.faces import Face, faces_of
from contentsvc.projects.reviews.schemas import BlockingFace
from contentsvc.settings import Settings


def submit_face(session: Session, registry: Registry, asset: Asset) -> None:
    """Have an asset reviewed that was made for a character or shows one, unless it was already."""
    submit_if_reviewable(session, registry, asset, face_bearing=True)


def submit_faces(session: Session, registry: Registry, project: Project) -> None:
    """The same for all faces a project uses."""
    assets = [face.asset for face in faces_of(session, [project])]
    fresh = [asset for asset in assets if asset.review_status == ReviewStatus.NONE]
    if fresh and review_model(session, registry) is not None:
        for asset in fresh:
            submit_face(session, registry, asset)


def reviews(session: Session, project: Project) -> dict[uuid.UUID, ReviewStatus]:
    """Status of each face the project uses and of each candidate of a character, by asset."""
    candidates = (
        select(BaseAssetCandidate.asset_id, Asset.review_status)
        .join(Asset, Asset.id == BaseAssetCandidate.asset_id)
        .join(BaseAssetGroup, BaseAssetGroup.id == BaseAssetCandidate.group_id)
        .where(BaseAssetGroup.project_id == project.id, BaseAssetGroup.kind == GroupKind.PERSON)
        .order_by(BaseAssetCandidate.created_at, BaseAssetCandidate.id)
    )
    found = {asset_id: ReviewStatus(status) for asset_id, status in session.execute(candidates)}
    used = faces_of(session, [project])
    return found | {face.asset.id: ReviewStatus(face.asset.review_status) for face in used}


def blocking(session: Session, registry: Registry, project: Project) -> list[Face]:
    """The faces that hold the project's videos up, for BlockingFace: those that have not passed.

    Each asset once for each place it is used in. Empty where nothing backs review, unless
    ``review.required``. A fixed number of queries.
    """
    if not _is_enforced(session, registry):
        return []
    faces = faces_of(session, [project])
    return [face for face in faces if face.asset.review_status != ReviewStatus.ACTIVE]


def require_reviewed(session: Session, registry: Registry, project: Project, base_url: str) -> None:
    """Raise ApiError ``unreviewed_faces`` with the faces while any holds the project's videos up.

    ``base_url`` is the address the client knows the service by; the faces' links begin with it.
    """
    if faces := blocking(session, registry, project):
        shown = [BlockingFace.model_validate(face, context={"base_url": base_url}) for face in faces]
        raise ApiError(
            ErrorCode.UNREVIEWED_FACES,
            "Some faces in this project have not passed their review yet.",
            extra={"blocking": [face.model_dump(mode="json") for face in shown]},
        )


def _is_enforced(session: Session, registry: Registry) -> bool:
    settings: Settings = registry["contentsvc.settings"]
    return settings.review.required or review_model(session, registry) is not None
