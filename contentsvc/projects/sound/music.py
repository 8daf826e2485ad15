"""The background music of a project."""

from __future__ import annotations

import uuid

from sqlalchemy.orm import Session

from contentsvc.assets.models import AssetCategory, AssetSource
from contentsvc.assets.services import Assets
from contentsvc.projects.core.access import touch
from contentsvc.projects.models import BackgroundMusic, Project
from contentsvc.projects.sound.read import music_of
from contentsvc.storage.files import StoredMedia

DEFAULT_VOLUME = 0.3


def set_music(
    session: Session,
    project: Project,
    stored: StoredMedia,
    *,
    name: str,
    volume: float | None,
    created_by: uuid.UUID,
) -> BackgroundMusic:
    """File the sound and make it the music of the locked project, in place of what it had."""
    asset = Assets(session, project.team_id).create(
        stored,
        name=name,
        category=AssetCategory.BGM,
        source=AssetSource.UPLOADED,
        created_by=created_by,
        product_id=project.product_id,
        project_id=project.id,
    )
    music = music_of(session, project)
    if music is None:
        music = BackgroundMusic(team_id=project.team_id, project_id=project.id)
        session.add(music)
    music.asset = asset
    music.volume = DEFAULT_VOLUME if volume is None else volume
    touch(project)
    session.flush()
    return music
