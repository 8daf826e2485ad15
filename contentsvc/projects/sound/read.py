"""Voice and music as the API shows them; a fixed number of queries."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from contentsvc.projects.models import BackgroundMusic, Project, ScriptVersion, Voiceover, VoiceoverItem
from contentsvc.projects.scripts.segments import position
from contentsvc.projects.scripts.services import adopted


def voiceover_of(session: Session, project: Project) -> Voiceover | None:
    """The project's voice-over as the adopted script has it; None before any.

    A copy that no session knows: each item has its segment's present index, and what was
    spoken for a segment that has left the script is left out. Its assets are loaded.
    """
    statement = (
        select(Voiceover)
        .where(Voiceover.project_id == project.id)
        .options(joinedload(Voiceover.items).joinedload(VoiceoverItem.asset))
        .execution_options(populate_existing=True)
    )
    found = session.scalars(statement).unique().one_or_none()
    if found is None:
        return None
    script = adopted(session, project)
    placed = [(_place(script, item), item) for item in found.items]
    return Voiceover(
        id=found.id,
        voice_type=found.voice_type,
        speed_ratio=found.speed_ratio,
        items=[
            VoiceoverItem(index=place, text=item.text, asset_id=item.asset_id, asset=item.asset)
            for place, item in sorted(placed, key=itemgetter(0))
            if place >= 0
        ],
    )


def _place(script: ScriptVersion | None, item: VoiceoverItem) -> int:
    """Where an item's segment is in the script, below 0 where it isn't."""
    if item.segment_id is None:
        return item.index
    place = position(script.segments, item.segment_id) if script else None
    return -1 if place is None else place


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
