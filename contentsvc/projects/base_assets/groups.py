"""Groups of base assets: found, filled, adopted from, taken away. Changes need the project's lock."""

from __future__ import annotations

import uuid

from sqlalchemy import Select, delete, func, select
from sqlalchemy.orm import Session

from contentsvc.http.errors import NotFound
from contentsvc.projects.core.access import touch
from contentsvc.projects.core.metadata import AdoptState
from contentsvc.projects.models import BaseAssetCandidate, BaseAssetGroup, GroupKind, Project

CHOICES = "adopt"
"""Key of a project's metadata that holds which groups the storyboard may use."""


def group_state(project: Project, group_id: uuid.UUID) -> AdoptState:
    """Whether the storyboard may use a group; yes while nothing is said."""
    return AdoptState((project.meta.get(CHOICES) or {}).get(str(group_id), AdoptState.ADOPTED))


def get_group(session: Session, project: Project, group_id: uuid.UUID) -> BaseAssetGroup:
    """A group of the project. Raises NotFound."""
    group = session.scalar(_groups(project).where(BaseAssetGroup.id == group_id))
    if group is None:
        raise NotFound("The project has no such group.")
    return group


def ensure_group(
    session: Session, project: Project, kind: GroupKind, label: str, triview_of: uuid.UUID | None = None
) -> BaseAssetGroup:
    """The group of an entity or of a portrait's three-views, made when it is missing."""
    group = session.scalar(
        _groups(project).where(
            BaseAssetGroup.kind == kind,
            BaseAssetGroup.label == label,
            BaseAssetGroup.triview_of.is_not_distinct_from(triview_of),
        )
    )
    if group is None:
        group = BaseAssetGroup(
            team_id=project.team_id, project_id=project.id, kind=kind, label=label, triview_of=triview_of
        )
        session.add(group)
        session.flush()
    return group


def find_portrait(session: Session, project: Project, asset_id: uuid.UUID) -> BaseAssetGroup | None:
    """The character's or product's own group that has this asset as a candidate."""
    statement = (
        _groups(project)
        .join(BaseAssetCandidate, BaseAssetCandidate.group_id == BaseAssetGroup.id)
        .where(
            BaseAssetCandidate.asset_id == asset_id,
            BaseAssetGroup.triview_of.is_(None),
            BaseAssetGroup.kind.in_([GroupKind.PERSON, GroupKind.PRODUCT]),
        )
        .order_by(BaseAssetGroup.created_at, BaseAssetGroup.id)
        .limit(1)
    )
    return session.scalars(statement).first()


def add_candidate(session: Session, project: Project, group: BaseAssetGroup, asset_id: uuid.UUID) -> None:
    """Add an asset to a group, unless it is there already, and let the group use it."""
    if not _has_candidate(session, group, asset_id):
        session.add(BaseAssetCandidate(team_id=project.team_id, group_id=group.id, asset_id=asset_id))
    group.adopted_asset_id = asset_id
    touch(project)
    session.flush()


def adopt_candidate(session: Session, project: Project, group: BaseAssetGroup, asset_id: uuid.UUID) -> None:
    """Let a group use one of its candidates. Raises NotFound."""
    if not _has_candidate(session, group, asset_id):
        raise NotFound("The group has no such candidate.")
    group.adopted_asset_id = asset_id
    touch(project)
    session.flush()


def choose_group(session: Session, project: Project, group: BaseAssetGroup, state: AdoptState) -> None:
    """Say whether the storyboard may use a group."""
    choices = {**(project.meta.get(CHOICES) or {}), str(group.id): state.value}
    project.meta = {**project.meta, CHOICES: choices}
    touch(project)
    session.flush()


def delete_group(session: Session, project: Project, group: BaseAssetGroup) -> None:
    """Take a group away, with the three-views of its candidates; the assets stay."""
    shown = select(BaseAssetCandidate.asset_id).where(BaseAssetCandidate.group_id == group.id)
    doomed = [group.id]
    if group.triview_of is None:
        three_views = _groups(project).where(
            BaseAssetGroup.kind == group.kind,
            BaseAssetGroup.label == group.label,
            BaseAssetGroup.triview_of.in_(shown),
        )
        doomed += [each.id for each in session.scalars(three_views)]
    gone = {str(group_id) for group_id in doomed}
    if choices := project.meta.get(CHOICES):
        kept = {key: state for key, state in choices.items() if key not in gone}
        project.meta = {**project.meta, CHOICES: kept}
    touch(project)
    session.execute(
        delete(BaseAssetGroup).where(BaseAssetGroup.id.in_(doomed)),
        execution_options={"synchronize_session": False},
    )
    session.flush()


def _groups(project: Project) -> Select[BaseAssetGroup]:
    return select(BaseAssetGroup).where(BaseAssetGroup.project_id == project.id)


def _has_candidate(session: Session, group: BaseAssetGroup, asset_id: uuid.UUID) -> bool:
    statement = (
        select(func.count())
        .select_from(BaseAssetCandidate)
        .where(BaseAssetCandidate.group_id == group.id, BaseAssetCandidate.asset_id == asset_id)
    )
    return bool(session.scalar(statement))
