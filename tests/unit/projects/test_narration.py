"""When a voice speaks in a film, and how fast."""

from __future__ import annotations

import uuid

import pytest

from contentsvc.assets.models import Asset
from contentsvc.projects.exports.narration import FASTEST, narration
from contentsvc.projects.models import Voiceover, VoiceoverItem
from contentsvc.projects.timelines.cut import Cut, lay_out
from contentsvc.projects.timelines.footage import Footage


def _cuts(*seconds: float) -> list[Cut]:
    return lay_out(
        [
            Footage(uuid.UUID(int=index), index, {"duration_seconds": length}, Asset(duration_seconds=length))
            for index, length in enumerate(seconds)
        ],
        None,
    )


def _voice(**seconds: float | None) -> Voiceover:
    """Items ``at0``, ``at1``, … that last so long; None has lost its sound."""
    voice = Voiceover()
    voice.items = [
        VoiceoverItem(
            index=int(name[2:]),
            asset_id=None if lasts is None else uuid.UUID(int=7),
            asset=None if lasts is None else Asset(duration_seconds=lasts),
        )
        for name, lasts in seconds.items()
    ]
    return voice


def _heard(cuts: list[Cut], voice: Voiceover | None) -> list[tuple[float, float, float | None]]:
    return [(piece["start"], piece["speed"], piece["seconds"]) for piece in narration(cuts, voice)]


def test_pieces_that_fit_are_left_as_they_are() -> None:
    assert _heard(_cuts(5, 4), _voice(at0=5, at1=3)) == [(0, 1.0, None), (5, 1.0, None)]


def test_a_piece_that_is_a_little_long_is_spoken_faster() -> None:
    assert _heard(_cuts(5, 4), _voice(at0=5.5, at1=3))[0] == (0, 1.1, None)


def test_a_piece_that_is_much_too_long_is_cut_short_as_well() -> None:
    assert _heard(_cuts(5, 4), _voice(at0=9, at1=3))[0] == (0, FASTEST, 5)


def test_a_piece_may_last_into_a_clip_where_nobody_speaks() -> None:
    assert _heard(_cuts(5, 4, 3), _voice(at0=8, at2=2)) == [(0, 1.0, None), (9, 1.0, None)]


def test_the_last_piece_ends_with_the_film() -> None:
    assert _heard(_cuts(5, 4), _voice(at1=4.4)) == [(5, pytest.approx(1.1), None)]


def test_a_piece_without_sound_takes_nobodys_time() -> None:
    assert _heard(_cuts(5, 4), _voice(at0=8, at1=None)) == [(0, 1.0, None)]


def test_pieces_of_segments_that_are_not_in_the_film_are_left_out() -> None:
    assert _heard(_cuts(5), _voice(at0=2, at3=2)) == [(0, 1.0, None)]


def test_no_voice_over_no_pieces() -> None:
    assert _heard(_cuts(5), None) == []
