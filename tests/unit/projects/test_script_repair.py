"""What a model writes is made whole or refused."""

from __future__ import annotations

import math

import pytest

from contentsvc.plugin import DialogueLine, ProviderError, ScriptSegment
from contentsvc.projects.scripts.stream.repair import repaired


def segment(**fields: object) -> ScriptSegment:
    return ScriptSegment(
        **{"narration": "A cup.", "visual_prompt": "A table", "duration_seconds": 5.0, **fields}
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("written", "seconds"),
    [(0, 1), (0.999, 1), (1, 1), (7.126, 7.13), (60, 60), (61, 60), (-5, 1), (1e300, 60)],
)
def test_durations_are_clamped(written: float, seconds: float) -> None:
    assert repaired([segment(duration_seconds=written)])[0].duration_seconds == seconds


@pytest.mark.parametrize("written", [math.nan, math.inf, -math.inf])
def test_a_duration_that_is_no_number_is_the_default(written: float) -> None:
    assert repaired([segment(duration_seconds=written)])[0].duration_seconds == 5.0


def test_texts_are_trimmed_and_cut() -> None:
    [whole] = repaired([segment(narration=" " + "x" * 5000, visual_prompt="\n y \n")])
    assert (len(whole.narration), whole.visual_prompt) == (4000, "y")


def test_lines_without_words_are_dropped() -> None:
    [whole] = repaired([segment(dialogue=(DialogueLine(" "), DialogueLine("Tea?", " Ann ")))])
    assert whole.dialogue == (DialogueLine("Tea?", "Ann"),)


def test_a_speaker_without_a_name_is_the_narrator() -> None:
    [whole] = repaired([segment(dialogue=(DialogueLine("Tea?", "  "),))])
    assert whole.dialogue[0].speaker is None


@pytest.mark.parametrize("count", [0, 101])
def test_a_script_has_one_to_a_hundred_segments(count: int) -> None:
    with pytest.raises(ProviderError):
        repaired([segment()] * count)


def test_a_hundred_segments_are_kept() -> None:
    assert len(repaired([segment()] * 100)) == 100


def test_a_wrong_number_is_refused_where_one_is_wanted() -> None:
    with pytest.raises(ProviderError):
        repaired([segment(), segment()], exactly=1)
