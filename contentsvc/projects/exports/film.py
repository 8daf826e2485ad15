"""The film a project would be exported as, frozen into its task at the moment it is ordered.

What is changed in the project afterwards concerns the next export, also while this one
still waits for a worker.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from pyramid.registry import Registry
from sqlalchemy import select
from sqlalchemy.orm import Session

from contentsvc.assets.media import media_ref
from contentsvc.assets.models import Asset
from contentsvc.generation.models import AITask
from contentsvc.plugin import (
    ExportClip,
    ExportRequest,
    MediaRef,
    Music,
    Narration,
    ProviderError,
    Subtitle,
    SubtitleStyle,
    TransitionType,
)
from contentsvc.projects.exports.narration import first_cuts, narration
from contentsvc.projects.models import Project, Voiceover
from contentsvc.projects.sound.read import music_of, voiceover_of
from contentsvc.projects.timelines.cut import Cut, lay_out
from contentsvc.projects.timelines.footage import footage_of
from contentsvc.projects.timelines.lines import lines_of
from contentsvc.projects.timelines.schemas import TimelineIn
from contentsvc.projects.timelines.services import music_volume

Document = dict[str, Any]


def film_document(session: Session, project: Project) -> Document | None:
    """The film as plain JSON: cuts, lines, voice and music by their assets' ids, in seconds.

    By the saved timeline, or the default one; None when there is no adopted clip.
    """
    cuts = lay_out(footage_of(session, project), project.timeline)
    if not cuts:
        return None
    timeline = project.timeline or TimelineIn().model_dump(mode="json")
    voice = voiceover_of(session, project) if timeline["voiceover"]["enabled"] else None
    music = music_of(session, project)
    mix = timeline["bgm"]
    return {
        "seconds": cuts[-1].end,
        "clips": [_clip(cut) for cut in cuts],
        "subtitles": _subtitles(timeline["subtitles"], cuts, voice),
        "style": timeline["subtitles"]["style"],
        "narration": narration(cuts, voice),
        "narration_volume": timeline["voiceover"]["volume"],
        "music": None
        if music is None
        else {
            "asset": str(music.asset_id),
            "volume": music_volume(mix, music),
            "fade_in": mix["fade_in"],
            "fade_out": mix["fade_out"],
        },
    }


def film_request(session: Session, registry: Registry, task: AITask) -> ExportRequest:
    """What the backend is asked; assets that were purged meanwhile are left out.

    Raises ProviderError when no clip is left.
    """
    film = task.request["film"]
    media = _Media(session, registry, task)
    clips = tuple(
        ExportClip(
            media=ref,
            trim_start=clip["trim_start"],
            trim_end=clip["trim_end"],
            volume=clip["volume"],
            transition=TransitionType(clip["transition"]),
            transition_seconds=clip["transition_seconds"],
        )
        for clip in film["clips"]
        if (ref := media.find(clip["asset"]))
    )
    if not clips:
        raise ProviderError("The clips of this film have been removed for good.")
    return ExportRequest(
        clips=clips,
        subtitles=tuple(Subtitle(**line) for line in film["subtitles"]),
        subtitle_style=SubtitleStyle(**film["style"]),
        narration=tuple(
            Narration(ref, piece["start"], piece["speed"], piece["seconds"])
            for piece in film["narration"]
            if (ref := media.find(piece["asset"]))
        ),
        narration_volume=film["narration_volume"],
        music=_music(film["music"], media),
    )


class _Media:
    """The assets of a film, found in one statement; deleted ones count until they are purged."""

    def __init__(self, session: Session, registry: Registry, task: AITask) -> None:
        self._registry = registry
        self._provider = task.provider_name
        wanted = {uuid.UUID(text) for text in _asset_ids(task.request["film"])}
        found = session.scalars(select(Asset).where(Asset.id.in_(wanted)))
        self._assets = {str(asset.id): asset for asset in found}

    def find(self, asset_id: str) -> MediaRef | None:
        asset = self._assets.get(asset_id)
        return media_ref(self._registry, asset, self._provider) if asset else None


def _asset_ids(film: Mapping[str, Any]) -> list[str]:
    parts = [*film["clips"], *film["narration"], *([film["music"]] if film["music"] else [])]
    return [part["asset"] for part in parts]


def _music(document: Mapping[str, Any] | None, media: _Media) -> Music | None:
    ref = media.find(document["asset"]) if document else None
    if document is None or ref is None:
        return None
    return Music(ref, document["volume"], document["fade_in"], document["fade_out"])


def _clip(cut: Cut) -> Document:
    return {
        "asset": str(cut.asset.id),
        "trim_start": cut.trim_start,
        "trim_end": cut.trim_end,
        "volume": cut.volume,
        "transition": cut.transition.value,
        "transition_seconds": cut.transition_seconds,
    }


def _subtitles(subtitles: Mapping[str, Any], cuts: Sequence[Cut], voice: Voiceover | None) -> list[Document]:
    if not subtitles["enabled"]:
        return []
    end = cuts[-1].end
    if subtitles["items"]:
        return [
            {"text": item["text"], "start": item["start"], "end": min(item["end"], end)}
            for item in subtitles["items"]
            if item["text"].strip() and item["start"] < end
        ]
    spoken = {
        item.index: item.asset.duration_seconds
        for item in (voice.items if voice else ())
        if item.asset is not None
    }
    lines: list[Document] = []
    for index, cut in first_cuts(cuts).items():
        seconds = min(spoken.get(index) or cut.seconds, cut.seconds)
        for text, start, stop in lines_of(cut.footage.segment["narration"], cut.start, seconds):
            lines.append({"text": text, "start": start, "end": stop})
    return lines
