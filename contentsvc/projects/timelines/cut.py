"""Where each clip lies in the film. Pure arithmetic on a saved timeline, or on none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from contentsvc.assets.models import Asset
from contentsvc.plugin import TransitionType
from contentsvc.projects.timelines.footage import Footage
from contentsvc.projects.timelines.schemas import is_too_short


@dataclass(frozen=True)
class Cut:
    """A part of a clip and its place: ``start`` in the film, the trims in the clip, in seconds.

    ``transition_seconds`` are shared with the next cut.
    """

    footage: Footage
    asset: Asset
    trim_start: float
    trim_end: float
    volume: float = 1.0
    transition: TransitionType = TransitionType.NONE
    transition_seconds: float = 0.0
    start: float = 0.0

    @property
    def seconds(self) -> float:
        """Length of the part."""
        return self.trim_end - self.trim_start

    @property
    def end(self) -> float:
        """Where it ends in the film."""
        return self.start + self.seconds


def lay_out(footage: Sequence[Footage], timeline: Mapping[str, Any] | None) -> list[Cut]:
    """The film's cuts in order; empty when there is no clip at all.

    Clips may have been replaced since the timeline was saved: trims beyond a clip's end are
    pulled in, transitions shortened. What has no clip any more is left out, and when that
    is all of it the film is every clip in the script's order, as without a timeline.
    """
    known = {str(each.video_segment_id): each for each in footage}
    asked = timeline["clips"] if timeline else []
    cuts = [cut for clip in asked if (cut := _trimmed(known.get(clip["video_segment_id"]), clip))]
    return _placed(cuts or [_whole(each, each.asset) for each in footage if each.asset])


def _whole(footage: Footage, asset: Asset) -> Cut:
    return Cut(footage, asset, 0.0, footage.seconds)


def _trimmed(footage: Footage | None, clip: Mapping[str, Any]) -> Cut | None:
    if footage is None or footage.asset is None:
        return None
    end = footage.seconds if clip["trim_end"] is None else min(clip["trim_end"], footage.seconds)
    part = _whole(footage, footage.asset)
    if not is_too_short(clip["trim_start"], end):
        part = replace(part, trim_start=clip["trim_start"], trim_end=end)
    return replace(
        part,
        volume=clip["volume"],
        transition=TransitionType(clip["transition"]["type"]),
        transition_seconds=clip["transition"]["duration"],
    )


def _placed(cuts: Sequence[Cut]) -> list[Cut]:
    placed: list[Cut] = []
    at = before = 0.0
    for cut, following in zip_longest(cuts, cuts[1:]):
        blend = 0.0
        if following is not None and cut.transition is not TransitionType.NONE:
            blend = max(0.0, min(cut.transition_seconds, cut.seconds - before, following.seconds))
        kind = cut.transition if blend else TransitionType.NONE
        placed.append(replace(cut, start=at, transition=kind, transition_seconds=blend))
        at += cut.seconds - blend
        before = blend
    return placed
