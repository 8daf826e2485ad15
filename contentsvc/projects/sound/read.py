"""Voice and music as the API shows them; one query each."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from contentsvc.projects.models import BackgroundMusic, Project, Voiceover, VoiceoverItem


def voiceover_of(session: Session, project: Project) -> Voiceover | None:
    """The project's voice-over with its items and their assets; None before any."""
    statement = (
        select(Voiceover)
        .where(Voiceover.project_id == project.id)
        .options(joinedload(Voiceover.items).joinedload(VoiceoverItem.asset))
        .execution_options(populate_existing=True)
    )
    return session.scalars(statement).unique().one_or_none()


def music_of(session: Session, project: Project) -> BackgroundMusic | None:
    """The project's background music with its asset; None without any."""
    statement = (
        select(BackgroundMusic)
        .where(BackgroundMusic.project_id == project.id)
        .options(joinedload(BackgroundMusic.asset))
        .execution_options(populate_existing=True)
    )
    return session.scalar(statement)


def voiceover(session: Session, project: Project) -> dict[str, Any] | None:
    """The voice-over for VoiceoverOut; None before any."""
    found = voiceover_of(session, project)
    if found is None:
        return None
    return {
        "id": found.id,
        "voice_type": found.voice_type,
        "speed_ratio": found.speed_ratio,
        "items": [_item(item) for item in found.items],
    }


def bgm(music: BackgroundMusic | None) -> dict[str, Any] | None:
    """The music for BgmOut."""
    if music is None:
        return None
    return {"asset": music.asset, "url": music.asset.file.path, "volume": music.volume}


def _item(item: VoiceoverItem) -> dict[str, Any]:
    return {
        "index": item.index,
        "text": item.text,
        "asset": item.asset,
        "url": item.asset.file.path if item.asset else None,
        "duration_seconds": item.asset.duration_seconds if item.asset else None,
    }
