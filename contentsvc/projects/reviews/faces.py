"""Which assets of a project show a face: characters, their three-views, and shots with a character."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import select, union
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset
from contentsvc.projects.base_assets.groups import group_state
from contentsvc.projects.core.metadata import AdoptState
from contentsvc.projects.models import (
    BaseAssetGroup,
    GroupKind,
    Project,
    ScriptVersion,
    Shot,
    ShotVersion,
    Storyboard,
)
from contentsvc.projects.storyboards.casting import shows_character


class FaceKind(StrEnum):
    """Where a face is used."""

    SHOT = "shot"
    CHARACTER = "character"


@dataclass(frozen=True)
class Face:
    """An asset that shows a face. ``segment_id`` is the script segment's of a shot."""

    kind: FaceKind
    label: str
    asset: Asset
    segment_id: uuid.UUID | None = None


def faces_of(session: Session, projects: Sequence[Project]) -> list[Face]:
    """The faces the films of these projects use; three queries, however many there are.

    The adopted assets of adopted character groups, those of their three-views, and the adopted
    pictures of shots whose segment refers to a character. Characters come first, shots in the
    script's order.
    """
    return [*_characters(session, projects), *_shots(session, projects)]


def is_face(session: Session, asset: Asset) -> bool:
    """Whether any project of the team uses an asset as a face."""
    groups = select(BaseAssetGroup.project_id).where(
        BaseAssetGroup.adopted_asset_id == asset.id, BaseAssetGroup.kind == GroupKind.PERSON
    )
    shots = (
        select(Storyboard.project_id)
        .join(Shot, Shot.storyboard_id == Storyboard.id)
        .join(ShotVersion, ShotVersion.id == Shot.adopted_version_id)
        .where(ShotVersion.asset_id == asset.id)
    )
    users = select(Project).where(Project.id.in_(union(groups, shots)), Project.deleted_at.is_(None))
    projects = session.scalars(users).all()
    return any(face.asset.id == asset.id for face in faces_of(session, projects))


def _characters(session: Session, projects: Sequence[Project]) -> list[Face]:
    owners = {project.id: project for project in projects}
    statement = (
        select(BaseAssetGroup, Asset)
        .join(Asset, Asset.id == BaseAssetGroup.adopted_asset_id)
        .where(BaseAssetGroup.project_id.in_(owners), BaseAssetGroup.kind == GroupKind.PERSON)
        .order_by(BaseAssetGroup.created_at, BaseAssetGroup.id)
    )
    used = [
        (group, asset)
        for group, asset in session.execute(statement)
        if group_state(owners[group.project_id], group.id) is AdoptState.ADOPTED
    ]
    portraits = {(group.project_id, asset.id) for group, asset in used if group.triview_of is None}
    return [
        Face(FaceKind.CHARACTER, group.label, asset)
        for group, asset in used
        if group.triview_of is None or (group.project_id, group.triview_of) in portraits
    ]


def _shots(session: Session, projects: Sequence[Project]) -> list[Face]:
    scripts = _scripts(session, projects)
    pictures = _pictures(session, projects)
    return [
        Face(FaceKind.SHOT, f"Shot {index + 1}", pictures[key], uuid.UUID(segment["segment_id"]))
        for project in projects
        if project.adopted_script_id in scripts
        for index, segment in enumerate(scripts[project.adopted_script_id].segments)
        if (key := (project.id, segment["segment_id"])) in pictures and shows_character(project, segment)
    ]


def _scripts(session: Session, projects: Sequence[Project]) -> dict[uuid.UUID | None, ScriptVersion]:
    adopted = [project.adopted_script_id for project in projects if project.adopted_script_id]
    statement = select(ScriptVersion).where(ScriptVersion.id.in_(adopted))
    return {script.id: script for script in session.scalars(statement)}


def _pictures(session: Session, projects: Sequence[Project]) -> dict[tuple[uuid.UUID, str], Asset]:
    """What the shots of each newest storyboard use, by project and segment."""
    newest = (
        select(Storyboard.id)
        .where(Storyboard.project_id.in_([project.id for project in projects]))
        .ext(distinct_on(Storyboard.project_id))
        .order_by(Storyboard.project_id, Storyboard.created_at.desc(), Storyboard.id.desc())
    )
    statement = (
        select(Storyboard.project_id, Shot.segment_id, Asset)
        .join(Shot, Shot.storyboard_id == Storyboard.id)
        .join(ShotVersion, ShotVersion.id == Shot.adopted_version_id)
        .join(Asset, Asset.id == ShotVersion.asset_id)
        .where(Storyboard.id.in_(newest))
    )
    return {
        (project_id, str(segment_id)): asset for project_id, segment_id, asset in session.execute(statement)
    }
