"""Saving a timeline: what only the project itself can tell is checked here."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from contentsvc.http.errors import ApiError, ErrorCode, FieldErrors
from contentsvc.plugin import TransitionType
from contentsvc.projects.core.access import touch
from contentsvc.projects.models import BackgroundMusic, Project
from contentsvc.projects.sound.music import DEFAULT_VOLUME
from contentsvc.projects.timelines.footage import Footage, footage_of
from contentsvc.projects.timelines.schemas import TimelineClip, TimelineIn, is_too_short

SLACK = 0.05
"""Seconds by which lengths that two programs have measured may differ."""

Faults = dict[str, list[str]]


def save_timeline(session: Session, project: Project, body: TimelineIn) -> None:
    """Put the timeline of the locked project in the place of what it had.

    Raises ApiError before a script is adopted, FieldErrors on clips that the project hasn't,
    on trims outside of them and on transitions longer than what they join.
    """
    if project.adopted_script_id is None:
        raise ApiError(ErrorCode.CONFLICT, "Adopt a script first: the film follows it.", status=400)
    known = {each.video_segment_id: each for each in footage_of(session, project)}
    if faults := _clip_faults(body.clips, known) | _transition_faults(body.clips, known):
        raise FieldErrors(faults)
    document = body.model_dump(mode="json")
    for place, item in enumerate(document["subtitles"]["items"]):
        if item["index"] is None:
            item["index"] = place
    project.timeline = document
    touch(project)


def timeline(
    project: Project, music: BackgroundMusic | None, video_segments: Collection[UUID]
) -> dict[str, Any] | None:
    """The saved timeline for TimelineOut; None before any.

    ``video_segments`` are those of the adopted script: what was cut from others is not shown.
    """
    if project.timeline is None:
        return None
    known = {str(each) for each in video_segments}
    mix = project.timeline["bgm"]
    return {
        **project.timeline,
        "clips": [clip for clip in project.timeline["clips"] if clip["video_segment_id"] in known],
        "bgm": {**mix, "volume": music_volume(mix, music)},
    }


def music_volume(mix: Mapping[str, Any], music: BackgroundMusic | None) -> float:
    """How loud the music is: by the timeline, else as it was uploaded."""
    if mix.get("volume") is not None:
        return float(mix["volume"])
    return music.volume if music is not None else DEFAULT_VOLUME


def _clip_faults(clips: Sequence[TimelineClip], known: Mapping[UUID, Footage]) -> Faults:
    faults: Faults = {}
    for place, clip in enumerate(clips):
        found = known.get(clip.video_segment_id)
        if found is None:
            faults[f"clips.{place}.video_segment_id"] = ["The adopted script has no such video segment."]
        elif found.asset is not None:
            if is_too_short(clip.trim_start, found.seconds):
                faults[f"clips.{place}.trim_start"] = [f"The clip ends at {found.seconds:g} seconds."]
            if clip.trim_end is not None and clip.trim_end > found.seconds + SLACK:
                faults[f"clips.{place}.trim_end"] = [f"The clip ends at {found.seconds:g} seconds."]
    return faults


def _transition_faults(clips: Sequence[TimelineClip], known: Mapping[UUID, Footage]) -> Faults:
    faults: Faults = {}
    before = 0.0
    for place, (clip, following) in enumerate(pairwise(clips)):
        blend = clip.transition.duration if clip.transition.type is not TransitionType.NONE else 0.0
        length, next_length = _length(clip, known), _length(following, known)
        field = f"clips.{place}.transition.duration"
        if length is not None and blend > length - before + SLACK:
            faults[field] = ["The clip is too short for its transitions."]
        elif next_length is not None and blend > next_length + SLACK:
            faults[field] = ["The next clip is too short for this transition."]
        before = 0.0 if field in faults else blend
    return faults


def _length(clip: TimelineClip, known: Mapping[UUID, Footage]) -> float | None:
    """Seconds of the part that is shown; None while there is no clip to measure."""
    found = known.get(clip.video_segment_id)
    if found is None or found.asset is None:
        return None
    return (found.seconds if clip.trim_end is None else clip.trim_end) - clip.trim_start
