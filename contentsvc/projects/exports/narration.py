"""Where each text of a voice-over is spoken in the film, and how fast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from contentsvc.projects.models import Voiceover, VoiceoverItem
from contentsvc.projects.timelines.cut import Cut

FASTEST: Final = 1.25
"""How much faster than recorded a voice may speak before listeners mind."""

_FLOOR: Final = 0.1


def first_cuts(cuts: Sequence[Cut]) -> dict[int, Cut]:
    """Where each script segment begins, by its index; a segment may be cut into several parts."""
    first: dict[int, Cut] = {}
    for cut in cuts:
        first.setdefault(cut.footage.index, cut)
    return first


def narration(cuts: Sequence[Cut], voice: Voiceover | None) -> list[dict[str, Any]]:
    """The spoken pieces in the film's order, as plain JSON.

    A piece starts with its segment, and no two are heard at once: one that lasts longer than
    the time until the next, or until the film's end, is spoken faster and, where that isn't
    enough, faded out.
    """
    first = first_cuts(cuts)
    spoken = sorted(
        (
            (first[item.index].start, item)
            for item in (voice.items if voice else ())
            if item.index in first and item.asset_id is not None
        ),
        key=lambda piece: piece[0],
    )
    ends = [start for start, _ in spoken[1:]] + [cuts[-1].end]
    # Without a voice there is an end, and nobody to come to it.
    return [_piece(item, start, end - start) for (start, item), end in zip(spoken, ends, strict=False)]


def _piece(item: VoiceoverItem, start: float, room: float) -> dict[str, Any]:
    room = max(_FLOOR, room)
    lasts = item.asset.duration_seconds if item.asset is not None else None
    if lasts is None or lasts <= room:
        return {"asset": str(item.asset_id), "start": start, "speed": 1.0, "seconds": None}
    speed = min(FASTEST, lasts / room)
    cut_short = lasts / speed > room
    return {
        "asset": str(item.asset_id),
        "start": start,
        "speed": round(speed, 4),
        "seconds": round(room, 3) if cut_short else None,
    }
