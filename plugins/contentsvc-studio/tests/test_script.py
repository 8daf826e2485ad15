from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import studio_fakes as fakes
from hypothesis import given, settings
from hypothesis import strategies as st

from contentsvc.plugin import (
    DialogueLine,
    ProductFacts,
    ProviderError,
    ScriptDraft,
    ScriptEvent,
    ScriptMode,
    ScriptRequest,
    ScriptResult,
    ScriptSegment,
    ScriptText,
    ScriptTool,
    SellingPoint,
)
from contentsvc_studio.scripts import backend
from contentsvc_studio.scripts.backend import StudioScripts
from contentsvc_studio.scripts.wishes import read_wishes

FACTS = replace(fakes.FACTS, target_audience="People who like it short")
FOREIGN = (
    ScriptSegment("Once there was a cup.", "A cup on a table by the sea.", 4.0),
    ScriptSegment(
        "Hello! It was red.", "A red cup.", 6.0, (DialogueLine("Hello!", "Bo"), DialogueLine("It was red."))
    ),
    ScriptSegment("It stayed.", "The cup at night.", 5.0),
)


@pytest.fixture(autouse=True)
def silence(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """No pauses in these tests; what they would have been, in seconds."""
    pauses: list[float] = []
    monkeypatch.setattr(backend.time, "sleep", pauses.append)
    return pauses


def events(mode: ScriptMode = ScriptMode.AUTO, **changes: Any) -> list[ScriptEvent]:
    values: dict[str, Any] = {"product": FACTS, "total_duration": 30.0, "seed": 3, **changes}
    return list(StudioScripts().stream(ScriptRequest(mode, **values), fakes.FakeContext(Path())))


def write(mode: ScriptMode = ScriptMode.AUTO, **changes: Any) -> tuple[ScriptSegment, ...]:
    last = events(mode, **changes)[-1]
    assert isinstance(last, ScriptResult)
    return last.segments


def total_of(segments: tuple[ScriptSegment, ...]) -> float:
    return sum(segment.duration_seconds for segment in segments)


def text_of(segments: tuple[ScriptSegment, ...]) -> str:
    return " ".join(segment.narration for segment in segments)


@settings(deadline=None, max_examples=80)
@given(
    st.floats(5, 300),
    st.integers(0, 6),
    st.sampled_from(["", "funny", "calm, at the beach", "formal, in 5 shots", "longer"]),
    st.integers(0, 10_000),
)
def test_durations_add_up_to_what_is_asked(total: float, points: int, instruction: str, seed: int) -> None:
    product = replace(
        FACTS, selling_points=(*FACTS.selling_points, *FACTS.selling_points, *FACTS.selling_points)[:points]
    )
    segments = write(
        ScriptMode.THEME, product=product, total_duration=total, instruction=instruction, seed=seed
    )
    assert abs(total_of(segments) - total) <= 0.5
    assert all(1 <= segment.duration_seconds <= 60 for segment in segments)


@pytest.mark.parametrize(
    ("total", "fewest", "most"), [(8, 3, 4), (15, 3, 4), (30, 5, 8), (40, 6, 8), (None, 4, 8)]
)
def test_a_film_has_a_sensible_number_of_segments(total: float | None, fewest: int, most: int) -> None:
    assert fewest <= len(write(total_duration=total)) <= most


def test_a_number_of_shots_in_the_instruction_is_kept() -> None:
    assert len(write(ScriptMode.THEME, instruction="a quiet evening in 4 shots")) == 4


def test_narration_can_be_spoken_in_its_time() -> None:
    for seed in range(20):
        for segment in write(seed=seed):
            assert len(segment.narration.split()) <= 2.5 * segment.duration_seconds + 1


def test_narration_is_what_the_dialogue_says() -> None:
    for segment in write():
        assert segment.narration == " ".join(line.line for line in segment.dialogue)


def test_each_selling_point_has_a_segment_of_its_own() -> None:
    segments = write()
    found = [
        next(at for at, segment in enumerate(segments) if point.title in segment.narration)
        for point in FACTS.selling_points
    ]
    assert len(set(found)) == len(FACTS.selling_points)


def test_the_specification_is_quoted_as_it_is() -> None:
    assert "volume 80 ml, material Stoneware" in text_of(write())


def test_the_last_segment_names_the_product() -> None:
    assert "Stoneware Espresso Cup" in write()[-1].narration


def test_somebody_with_a_name_speaks() -> None:
    for seed in range(10):
        assert any(
            line.speaker for segment in write(seed=seed, total_duration=20.0) for line in segment.dialogue
        )


def test_who_speaks_is_in_the_picture() -> None:
    for segment in write():
        for line in segment.dialogue:
            assert line.speaker is None or line.speaker in segment.visual_prompt


def test_no_fact_is_invented() -> None:
    text = text_of(write(product=ProductFacts(title="Cup"))).lower()
    assert not any(word in text for word in ("%", "best", "free", "guarantee", "stars", "discount", "only $"))


def test_a_nameless_product_still_gets_a_film() -> None:
    segments = write(product=ProductFacts())
    assert all(segment.narration and segment.visual_prompt for segment in segments)


def test_the_aspect_is_part_of_every_picture() -> None:
    assert all("16:9" in segment.visual_prompt for segment in write(aspect_ratio="16:9"))


def test_a_theme_opens_the_film_and_colours_its_pictures() -> None:
    segments = write(ScriptMode.THEME, instruction="The first warm evening")
    assert segments[0].narration.startswith("The first warm evening")
    assert all("The first warm evening" in segment.visual_prompt for segment in segments)


def test_a_place_in_the_theme_is_where_it_plays() -> None:
    assert any(
        "Beach" in segment.visual_prompt
        for segment in write(ScriptMode.THEME, instruction="A day at the beach")
    )


def test_the_same_request_gives_the_same_script() -> None:
    assert events() == events()


def test_seeds_vary_the_words() -> None:
    assert len({text_of(write(seed=seed)) for seed in range(12)}) >= 8


def test_the_stream_thinks_aloud_before_it_drafts() -> None:
    found = events()
    kinds = [type(event) for event in found]
    assert kinds.index(ScriptText) < kinds.index(ScriptDraft)
    assert kinds[-1] is ScriptResult
    assert kinds.count(ScriptResult) == 1


def test_every_tool_that_starts_is_done_later() -> None:
    tools = [event for event in events() if isinstance(event, ScriptTool)]
    assert [(tool.name, tool.is_done) for tool in tools] == [
        (name, done) for name in ("read_product", "plan", "write") for done in (False, True)
    ]


def test_drafts_grow_by_one_segment_up_to_the_result() -> None:
    found = events()
    drafts = [event.segments for event in found if isinstance(event, ScriptDraft)]
    assert all(len(after) == len(before) + 1 and after[:-1] == before for before, after in pairwise(drafts))
    assert isinstance(found[-1], ScriptResult)
    assert drafts[-1] == found[-1].segments


def test_all_pauses_together_stay_short(silence: list[float]) -> None:
    events(total_duration=300.0)
    assert 0 < sum(silence) <= 1.5


def test_a_cancelled_stream_ends_in_words() -> None:
    def stream() -> Iterator[ScriptEvent]:
        ctx = fakes.FakeContext(Path(), stop=lambda _: True)
        return StudioScripts().stream(ScriptRequest(ScriptMode.AUTO, FACTS), ctx)

    with pytest.raises(ProviderError, match="no longer wanted"):
        next(stream())


@pytest.mark.parametrize("at", [0, 1, 2])
def test_one_segment_is_rewritten_alone(at: int) -> None:
    (only,) = write(ScriptMode.REVISE, segments=FOREIGN, target_index=at, instruction="")
    assert only.narration != FOREIGN[at].narration
    assert only.duration_seconds == FOREIGN[at].duration_seconds


def test_an_index_out_of_range_is_refused() -> None:
    with pytest.raises(ProviderError):
        write(ScriptMode.REVISE, segments=FOREIGN, target_index=3)


def test_a_quoted_line_is_said_word_for_word() -> None:
    (only,) = write(ScriptMode.REVISE, segments=FOREIGN, target_index=1, instruction='Say "Small is enough."')
    assert only.narration == "Small is enough."


def test_revising_keeps_length_and_pictures_of_somebody_elses_script() -> None:
    revised = write(ScriptMode.REVISE, segments=FOREIGN, instruction="funnier", total_duration=None)
    assert [segment.visual_prompt for segment in revised] == [segment.visual_prompt for segment in FOREIGN]
    assert total_of(revised) == 15
    assert text_of(revised) != text_of(FOREIGN)


def test_revising_to_shorter_shortens() -> None:
    before = write()
    after = write(ScriptMode.REVISE, segments=before, instruction="shorter", total_duration=None)
    assert len(after) == len(before)
    assert total_of(after) < total_of(before)
    assert len(text_of(after).split()) < len(text_of(before).split())


@pytest.mark.parametrize("seed", range(6))
def test_revising_to_shorter_breaks_no_sentence_off(seed: int) -> None:
    hook = ScriptSegment("Wait. Look at this.", "A table", 4.0, (DialogueLine("Wait. Look at this."),))
    (after,) = write(
        ScriptMode.REVISE, segments=(hook, *FOREIGN), target_index=0, instruction="shorter", seed=seed
    )
    assert after.narration not in ("Wait. Look at.", "Wait. Look.")
    assert len(after.narration.split()) <= 3


def test_revising_to_another_number_of_shots_keeps_the_length() -> None:
    before = write()
    after = write(ScriptMode.REVISE, segments=before, instruction="make it 4 shots", total_duration=None)
    assert (len(after), total_of(after)) == (4, pytest.approx(total_of(before), abs=0.5))


def test_revising_changes_the_tone() -> None:
    before = write()
    formal, bold = (
        write(ScriptMode.REVISE, segments=before, instruction=word) for word in ("more formal", "bolder")
    )
    assert text_of(formal) != text_of(bold) != text_of(before)


def test_a_wish_for_the_picture_leaves_the_words() -> None:
    before = write()
    after = write(ScriptMode.REVISE, segments=before, instruction="Use darker colours")
    assert text_of(after) == text_of(before)
    assert all("Use darker colours" in segment.visual_prompt for segment in after)


def test_revising_keeps_the_cast() -> None:
    (only,) = write(ScriptMode.REVISE, segments=FOREIGN, target_index=1, instruction="", seed=5)
    assert {line.speaker for line in only.dialogue} <= {"Bo", None}


@pytest.mark.parametrize(
    ("text", "tone"),
    [("make it funnier", "funny"), ("more formal please", "formal"), ("cosy", "warm"), ("in blue", None)],
)
def test_tones_are_read_from_words(text: str, tone: str | None) -> None:
    assert read_wishes(text).tone == tone


def test_an_audience_is_read_after_for() -> None:
    assert read_wishes("shorter, for busy students").audience == "busy students"


def test_selling_points_longer_than_their_time_lose_their_detail_first() -> None:
    point = SellingPoint(
        "Keeps the heat", "Because the wall is nine millimetres thick all the way around the cup"
    )
    segments = write(product=replace(FACTS, selling_points=(point,)), total_duration=9.0)
    assert "Keeps the heat." in text_of(segments)
    assert "nine" not in text_of(segments)


def test_no_two_shots_of_a_short_film_look_alike() -> None:
    for seed in range(12):
        shots = [segment.visual_prompt.split(". ")[1] for segment in write(seed=seed)]
        assert len(set(shots)) == len(shots)
