"""Where clips lie in a film."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from contentsvc.assets.models import Asset
from contentsvc.projects.timelines.cut import lay_out
from contentsvc.projects.timelines.footage import Footage


def _footage(*seconds: float | None) -> list[Footage]:
    """Clips of these lengths; None has no clip."""
    return [
        Footage(
            uuid.UUID(int=index),
            index,
            {"duration_seconds": 6.0},
            None if length is None else Asset(duration_seconds=length),
        )
        for index, length in enumerate(seconds)
    ]


def _clip(index: int, start: float = 0.0, end: float | None = None, blend: float = 0.0) -> dict[str, Any]:
    return {
        "video_segment_id": str(uuid.UUID(int=index)),
        "trim_start": start,
        "trim_end": end,
        "volume": 1.0,
        "transition": {"type": "fade" if blend else "none", "duration": blend},
    }


def _places(footage: list[Footage], *clips: dict[str, Any]) -> list[tuple[int, float, float]]:
    return [(cut.footage.index, cut.start, cut.seconds) for cut in lay_out(footage, {"clips": list(clips)})]


def test_without_a_timeline_clips_follow_one_another() -> None:
    cuts = lay_out(_footage(5, 4, 3), None)
    assert [(cut.start, cut.end) for cut in cuts] == [(0, 5), (5, 9), (9, 12)]


def test_segments_without_a_clip_are_left_out() -> None:
    cuts = lay_out(_footage(5, None, 3), None)
    assert [(cut.footage.index, cut.start) for cut in cuts] == [(0, 0), (2, 5)]


def test_no_clip_at_all_is_no_film() -> None:
    assert lay_out(_footage(None), None) == []


def test_a_clip_of_unknown_length_lasts_as_the_script_says() -> None:
    [cut] = lay_out([Footage(uuid.UUID(int=0), 0, {"duration_seconds": 6.0}, Asset())], None)
    assert cut.seconds == 6


def test_a_blend_overlaps_two_clips() -> None:
    assert _places(_footage(5, 4), _clip(0, blend=1), _clip(1)) == [(0, 0, 5), (1, 4, 4)]


def test_the_last_blend_counts_for_nothing() -> None:
    [cut] = lay_out(_footage(5), {"clips": [_clip(0, blend=2)]})
    assert (cut.transition, cut.transition_seconds) == ("none", 0)


def test_trims_beyond_the_end_are_pulled_in() -> None:
    assert _places(_footage(2), _clip(0, 1, 9)) == [(0, 0, 1)]


def test_a_trim_that_leaves_nothing_leaves_all() -> None:
    assert _places(_footage(2), _clip(0, 3, 9)) == [(0, 0, 2)]


def test_blends_that_got_too_long_are_shortened() -> None:
    placed = lay_out(_footage(5, 2, 5), {"clips": [_clip(0, blend=1.5), _clip(1, blend=1.5), _clip(2)]})
    assert [(cut.start, cut.transition_seconds) for cut in placed] == [
        (0, 1.5),
        (3.5, 0.5),
        (5.0, 0),
    ]


def test_a_timeline_of_which_nothing_is_left_is_none() -> None:
    assert _places(_footage(5, 4), _clip(7)) == [(0, 0, 5), (1, 5, 4)]


@pytest.mark.parametrize("order", [(1, 0), (0, 0, 1)])
def test_the_timelines_order_counts(order: tuple[int, ...]) -> None:
    assert [place[0] for place in _places(_footage(5, 4), *map(_clip, order))] == list(order)
