import math
from itertools import pairwise
from typing import Any

import ffmpeg_fakes as fakes
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contentsvc.plugin import ExportClip, TransitionType
from contentsvc_ffmpeg.timeline import RATES, Cut, cut_of, film_rate, lay_out

TRANSITIONS = st.sampled_from(list(TransitionType))


@st.composite
def cuts(draw: st.DrawFn) -> list[Cut]:
    """Clips of one frame to 20 seconds with transitions of any wish."""
    count = draw(st.integers(1, 12))
    return [
        Cut(
            index,
            draw(st.floats(0, 5)),
            draw(st.floats(1 / 24, 20)),
            draw(TRANSITIONS),
            draw(st.floats(0, 30)),
        )
        for index in range(count)
    ]


@given(cuts(), st.sampled_from(RATES))
def test_the_film_is_the_sum_of_its_pieces_less_their_overlaps(found: list[Cut], rate: int) -> None:
    film = lay_out(found, rate)
    assert film.frames == sum(placed.frames - placed.overlap for placed in film.placed)


@given(cuts(), st.sampled_from(RATES))
def test_each_clip_begins_where_the_overlap_with_the_one_before_begins(found: list[Cut], rate: int) -> None:
    placed = lay_out(found, rate).placed
    assert placed[0].first == 0
    assert all(after.first == before.end - before.overlap for before, after in pairwise(placed))


@given(cuts(), st.sampled_from(RATES))
def test_two_transitions_never_use_the_same_frame(found: list[Cut], rate: int) -> None:
    placed = lay_out(found, rate).placed
    leads = [0, *(before.overlap for before in placed)]
    assert all(lead + piece.overlap <= piece.frames for lead, piece in zip(leads, placed, strict=False))
    assert all(piece.overlap >= 0 and piece.frames > 0 for piece in placed)


@given(cuts(), st.sampled_from(RATES))
def test_a_transition_is_never_longer_than_wished(found: list[Cut], rate: int) -> None:
    for placed in lay_out(found, rate).placed:
        wished = 0.0 if placed.cut.transition is TransitionType.NONE else placed.cut.transition_seconds
        assert placed.overlap <= math.ceil(wished * rate)


@given(st.lists(st.floats(2, 20), min_size=1, max_size=40), st.floats(0.1, 1), st.sampled_from(RATES))
def test_long_films_do_not_drift_from_the_seconds_asked_for(
    lengths: list[float], overlap: float, rate: int
) -> None:
    film = lay_out(
        [Cut(n, 0, length, TransitionType.FADE, overlap) for n, length in enumerate(lengths)], rate
    )
    asked = sum(lengths) - overlap * (len(lengths) - 1)
    assert film.seconds == pytest.approx(asked, abs=0.51 / rate)


def test_the_last_transition_counts_for_nothing() -> None:
    film = lay_out([Cut(0, 0, 2), Cut(1, 0, 2, TransitionType.FADE, 1)], 24)
    assert film.seconds == 4


def test_transitions_that_a_clip_is_too_short_for_share_it() -> None:
    fade = TransitionType.FADE
    film = lay_out([Cut(0, 0, 5, fade, 2), Cut(1, 0, 2, fade, 2), Cut(2, 0, 5)], 24)
    assert [placed.overlap for placed in film.placed] == [24, 24, 0]


def a_clip(**changes: Any) -> ExportClip:
    return ExportClip(fakes.FakeMedia(b""), **changes)


def test_a_cut_ends_where_the_clip_ends() -> None:
    assert cut_of(3, a_clip(trim_start=1, trim_end=9), 4.0) == Cut(3, 1, 3)


def test_the_last_picture_is_held_where_the_sound_lasts_a_little_longer() -> None:
    assert cut_of(0, a_clip(trim_end=4.0625), 4.0) == Cut(0, 0, 4.0625)


def test_the_last_picture_is_held_as_long_as_the_sound_lasts() -> None:
    assert cut_of(0, a_clip(trim_end=6.5), 4.0, lasts=6.5) == Cut(0, 0, 6.5)


def test_a_cut_without_an_end_takes_the_rest() -> None:
    assert cut_of(0, a_clip(trim_start=1.5), 4.0) == Cut(0, 1.5, 2.5)


def test_a_part_of_a_twentieth_of_a_second_is_seen_at_every_rate() -> None:
    cut = cut_of(0, a_clip(trim_start=0.3, trim_end=0.35), 4.0)
    assert cut is not None
    assert all(lay_out([cut], rate).frames >= 1 for rate in RATES)


def test_a_clip_of_one_picture_is_held_for_a_frame() -> None:
    cut = cut_of(0, a_clip(), 0.04)
    assert cut is not None
    assert [lay_out([cut], rate).frames for rate in RATES] == [1, 1, 1]


def test_nothing_is_cut_behind_the_end_of_a_clip() -> None:
    assert cut_of(0, a_clip(trim_start=4), 4.0) is None


@pytest.mark.parametrize(
    ("footage", "rate"),
    [
        ([(24.0, 5.0), (30.0, 4.0)], 24),
        ([(23.976, 5.0)], 24),
        ([(24.0, 5.0), (29.97, 3.0), (59.94, 3.0)], 30),
        ([(50.0, 5.0)], 25),
        ([(12.0, 5.0)], 24),
        ([(10.0, 5.0)], 30),
        ([(0.0, 5.0)], 30),
    ],
)
def test_the_film_runs_at_the_rate_of_most_of_its_footage(
    footage: list[tuple[float, float]], rate: int
) -> None:
    assert film_rate(footage) == rate
