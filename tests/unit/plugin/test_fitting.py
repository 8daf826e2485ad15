"""Orders are fitted into what a model makes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contentsvc.plugin import fitting_resolution, nearest_ratio, whole_seconds

RATIOS = ("1:1", "3:4", "4:3", "2:3", "3:2", "9:16", "16:9")


@pytest.mark.parametrize(
    ("asked", "offered", "expected"),
    [
        ("9:16", ("1:1", "2:3", "3:2"), "2:3"),
        ("16:9", ("1:1", "2:3", "3:2"), "3:2"),
        ("3:4", ("1:1", "2:3"), "2:3"),
        ("9:16", ("1024x1024", "1152x2048"), "1152x2048"),
        ("9:16", ("1328*1328", "928*1664"), "928*1664"),
        ("1:1", ("auto", 5, None, "0:1", "1:0", "16:9"), "16:9"),
    ],
)
def test_the_nearest_shape_is_taken(asked: str, offered: tuple[object, ...], expected: str) -> None:
    assert nearest_ratio(asked, offered) == expected


@pytest.mark.parametrize(("asked", "offered"), [("4:3", ()), ("4:3", ("auto",)), ("wide", ("1:1",))])
def test_without_a_shape_that_can_be_read_there_is_none(asked: str, offered: tuple[str, ...]) -> None:
    assert nearest_ratio(asked, offered) is None


@pytest.mark.parametrize("ratio", RATIOS)
def test_each_ratio_is_nearest_to_itself(ratio: str) -> None:
    assert nearest_ratio(ratio, RATIOS) == ratio


@pytest.mark.parametrize(
    ("asked", "offered", "expected"),
    [
        ("720p", ("480p", "720p", "1080p"), "720p"),
        ("720p", ("1080p", "480p"), "480p"),
        ("480p", ("1080p", "720p"), "720p"),
        ("1080p", ("720p", "4k"), "720p"),
        ("4k", ("720p", "1080p"), "1080p"),
        ("720p", ("720P",), "720P"),
        ("720p", (), "720p"),
        ("720p", ("best",), "best"),
    ],
)
def test_the_largest_resolution_up_to_the_order_is_taken(
    asked: str, offered: tuple[str, ...], expected: str
) -> None:
    assert fitting_resolution(asked, offered) == expected


@pytest.mark.parametrize(
    ("asked", "seconds"), [(4.0, 4), (4.005, 4), (4.2, 5), (0.5, 3), (60.0, 10), (float("inf"), 10)]
)
def test_a_clip_has_whole_seconds_and_no_fewer_than_asked_for(asked: float, seconds: int) -> None:
    assert whole_seconds(asked, 3, 10) == seconds


@given(st.floats(0, 1e6), st.integers(1, 60), st.integers(1, 60))
def test_seconds_stay_between_the_two(asked: float, least: int, more: int) -> None:
    assert least <= whole_seconds(asked, least, least + more) <= least + more
