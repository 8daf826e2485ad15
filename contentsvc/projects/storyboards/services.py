"""The newest storyboard of a project: its shots, which picture they use, when it is finished.

Shots of segments that have left the adopted script stay stored, but count for nothing. Changes
need the project's lock.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from pyramid.registry import Registry
from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from contentsvc.assets.models import Asset
from contentsvc.generation.interventions import begin_anew
from contentsvc.generation.models import AITask, TaskStatus
from contentsvc.generation.settlement import conclude, lock_open
from contentsvc.http.errors import ApiError, ErrorCode, NotFound
from contentsvc.projects.clips.services import ensure_segments
from contentsvc.projects.core.access import body_id, touch
from contentsvc.projects.models import (
    Project,
    ProjectStatus,
    ScriptVersion,
    Shot,
    ShotVersion,
    Stage,
    Storyboard,
    WorkStatus,
)
from contentsvc.projects.scripts.services import adopted


def require_adopted(session: Session, project: Project) -> ScriptVersion:
    """The script the film follows. Raises ApiError before any was adopted."""
    script = adopted(session, project)
    if script is None or not script.segments:
        raise ApiError(ErrorCode.CONFLICT, "The project has no adopted script yet.", status=400)
    return script


def newest(session: Session, project: Project) -> Storyboard | None:
    """The storyboard that counts, with its shots; None before any."""
    statement = (
        select(Storyboard)
        .where(Storyboard.project_id == project.id)
        .order_by(Storyboard.created_at.desc(), Storyboard.id.desc())
        .limit(1)
        .options(selectinload(Storyboard.shots))
        .execution_options(populate_existing=True)
    )
    return session.scalars(statement).first()


def living(storyboard: Storyboard, script: ScriptVersion | None) -> list[tuple[int, Shot]]:
    """The shots of the script's segments with the segments' indexes, in the script's order."""
    places = {segment["segment_id"]: index for index, segment in enumerate(script.segments if script else ())}
    found = [
        (places[str(shot.segment_id)], shot) for shot in storyboard.shots if str(shot.segment_id) in places
    ]
    return sorted(found, key=lambda item: item[0])


def find_shot(session: Session, project: Project, shot_id: str) -> Shot:
    """A shot of the newest storyboard. Raises NotFound."""
    wanted = body_id(shot_id)
    storyboard = newest(session, project)
    shots = living(storyboard, adopted(session, project)) if storyboard else []
    for _, shot in shots:
        if shot.id == wanted:
            return shot
    raise NotFound("The storyboard has no such shot.")


def adopt_version(session: Session, project: Project, shot: Shot, version_id: str) -> None:
    """Let a shot use one of its pictures. Raises NotFound."""
    wanted = body_id(version_id)
    known = select(ShotVersion.id).where(ShotVersion.id == wanted, ShotVersion.shot_id == shot.id)
    if session.scalar(known) is None:
        raise NotFound("The shot has no such version.")
    shot.adopted_version_id = wanted
    touch(project)
    session.flush()


def adopted_picture(session: Session, project: Project, segment_id: uuid.UUID) -> Asset | None:
    """The picture that the shot of a segment uses; None without one, or once it is purged."""
    newest_id = (
        select(Storyboard.id)
        .where(Storyboard.project_id == project.id)
        .order_by(Storyboard.created_at.desc(), Storyboard.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    statement = (
        select(Asset)
        .join(ShotVersion, ShotVersion.asset_id == Asset.id)
        .join(Shot, Shot.adopted_version_id == ShotVersion.id)
        .where(Shot.storyboard_id == newest_id, Shot.segment_id == segment_id)
    )
    return session.scalar(statement)


def skip(session: Session, project: Project) -> None:
    """Go on to the clips without a storyboard. Raises ApiError before a script is adopted."""
    script = require_adopted(session, project)
    project.stage = Stage.VIDEO
    project.status = ProjectStatus.IN_PROGRESS
    ensure_segments(session, project, [uuid.UUID(segment["segment_id"]) for segment in script.segments])
    touch(project)


def is_missing(shot: Shot) -> bool:
    """Whether a shot has no picture at all."""
    return shot.adopted_version_id is None


def is_done(shot: Shot) -> bool:
    """Whether a shot has a picture and no newer one is being made."""
    return shot.status != WorkStatus.GENERATING and not is_missing(shot)


def fault(shots: Sequence[Shot]) -> str | None:
    """What is wrong with a finished storyboard; None where every shot has a picture."""
    missing = [shot for shot in shots if is_missing(shot)]
    if not missing:
        return None
    reason = missing[0].error or ""
    return f"{len(missing)} of {len(shots)} shots could not be made. {reason}".strip()


def settle_storyboard(
    session: Session, registry: Registry, project: Project, storyboard_id: uuid.UUID
) -> None:
    """After a shot's task has ended: bring its storyboard, that one's task and the project forward."""
    session.flush()
    statement = (
        select(Storyboard)
        .where(Storyboard.id == storyboard_id)
        .options(selectinload(Storyboard.shots))
        .execution_options(populate_existing=True)
    )
    storyboard = session.scalars(statement).one()
    script = adopted(session, project)
    shots = [shot for _, shot in living(storyboard, script)] or storyboard.shots
    task = lock_open(session, storyboard.task_id)
    if any(shot.status == WorkStatus.GENERATING for shot in shots):
        _report(task, shots)
        return
    error = fault(shots)
    storyboard.status = WorkStatus.FAILED if error else WorkStatus.SUCCEEDED
    if task is not None:
        conclude(session, registry, task, error)
    session.flush()
    current = newest(session, project)
    if current is not None and current.id == storyboard.id:
        _finish(session, project, script, shots, failed=error is not None)


def forget_segment(session: Session, registry: Registry, project: Project) -> None:
    """After a segment has left the script: what only its shot held up goes on."""
    current = newest(session, project)
    if current is None or current.status == WorkStatus.SUCCEEDED:
        return
    shots = [shot for _, shot in living(current, adopted(session, project))]
    if not shots or not all(map(is_done, shots)):
        return
    if project.stage == Stage.STORYBOARD:
        project.status = ProjectStatus.IN_PROGRESS
    settle_storyboard(session, registry, project, current.id)


def reopen_shot(session: Session, project: Project, shot: Shot) -> None:
    """A failed shot is being made after all: so is its storyboard, and that one's task runs again."""
    shot.status = WorkStatus.GENERATING
    shot.error = None
    storyboard = session.get_one(Storyboard, shot.storyboard_id)
    storyboard.status = WorkStatus.GENERATING
    task = session.get(AITask, storyboard.task_id, with_for_update=True, populate_existing=True)
    if task is not None and task.status == TaskStatus.FAILED:
        begin_anew(session, task)
    session.flush()
    current = newest(session, project)
    if current is not None and current.id == storyboard.id and project.status == ProjectStatus.FAILED:
        project.status = ProjectStatus.IN_PROGRESS
    touch(project)


def _report(task: AITask | None, shots: Sequence[Shot]) -> None:
    if task is not None:
        made = sum(shot.status != WorkStatus.GENERATING for shot in shots)
        task.progress = max(task.progress, made / len(shots))


def _finish(
    session: Session, project: Project, script: ScriptVersion | None, shots: Sequence[Shot], *, failed: bool
) -> None:
    """What the end of the newest storyboard means for its project: each of its shots gets a clip's place."""
    touch(project)
    # Another script was adopted meanwhile: this storyboard is not what the project waits for.
    if script is None or project.stage in (Stage.SCRIPT, Stage.BASE_ASSETS):
        return
    if failed:
        project.status = ProjectStatus.FAILED
        return
    if project.stage == Stage.STORYBOARD:
        project.stage = Stage.VIDEO
    ensure_segments(session, project, [shot.segment_id for shot in shots])
