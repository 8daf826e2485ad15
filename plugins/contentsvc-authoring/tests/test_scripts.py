"""An author: from a request to a question, from an answer to a script."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from authoring_calls import Author, Told, desk, told

from contentsvc.plugin import (
    DialogueLine,
    ProductFacts,
    ProviderError,
    ScriptDraft,
    ScriptMode,
    ScriptRequest,
    ScriptSegment,
    ScriptText,
    ScriptTool,
    SellingPoint,
    Usage,
)

SCRIPT = (ScriptSegment("One.", "A street", 4.0), ScriptSegment("Two.", "A cup", 5.0))
FACTS = ProductFacts(title="Cup", selling_points=(SellingPoint("Keeps the heat"),))
ORDER = ScriptRequest(ScriptMode.THEME, FACTS, instruction="a quiet morning", total_duration=9.0)
ONE = replace(ORDER, mode=ScriptMode.REVISE, segments=SCRIPT, target_index=1)


def shot(narration: str = "Grey.", **more: Any) -> dict[str, Any]:
    return {"narration": narration, "visual_prompt": f"Shot: {narration}", "duration_seconds": 4, **more}


def events(model: Told, order: ScriptRequest = ORDER, **options: Any) -> list[Any]:
    return list(Author(model).stream(order, desk(**options)))


def script(model: Told, order: ScriptRequest = ORDER) -> tuple[ScriptSegment, ...]:
    segments: tuple[ScriptSegment, ...] = events(model, order)[-1].segments
    return segments


def thoughts(model: Told, **options: Any) -> str:
    return "".join(event.text for event in events(model, **options) if isinstance(event, ScriptText))


def asked(order: ScriptRequest) -> dict[str, Any]:
    model = told({"segments": [shot()]})
    events(model, order)
    return dict(model.questions[0].matter)


def test_a_script_comes_as_step_plan_drafts_and_result() -> None:
    model = told({"plan": "Two shots.", "segments": [shot("Grey."), shot("Red.")]}, thought="Hm. ")
    model.usage = Usage(raw={"total_tokens": 7})
    first, *middle, done, result = events(model)
    assert (first, done) == (
        ScriptTool("write", "Writing the script"),
        ScriptTool("write", "Writing the script", is_done=True),
    )
    drafts = [
        [segment.narration for segment in event.segments]
        for event in middle
        if isinstance(event, ScriptDraft)
    ]
    assert drafts == [["Grey."], ["Grey.", "Red."]]
    assert (len(result.segments), result.usage) == (2, model.usage)


def test_thoughts_and_plan_are_told() -> None:
    assert thoughts(told({"plan": "A plan.", "segments": [shot()]}, thought="Hm. ")) == "Hm. A plan."


def test_thoughts_may_be_kept_from_the_customer() -> None:
    model = told({"plan": "A plan.", "segments": [shot()]}, thought="Hm. ")
    assert thoughts(model, show_reasoning=False) == "A plan."


def test_nothing_is_shown_before_the_order_is_taken() -> None:
    model = told({"segments": [shot()]})
    stream = Author(model).stream(ORDER, desk())
    assert model.questions == []
    next(stream)
    assert len(model.questions) == 1


def test_the_question_has_the_wish_and_the_facts() -> None:
    assert asked(ORDER) == {
        "task": "Write a script on the wish.",
        "wish": "a quiet morning",
        "product": {"title": "Cup", "selling_points": [{"title": "Keeps the heat", "detail": ""}]},
        "aspect_ratio": "9:16",
        "total_seconds": 9.0,
    }


@pytest.mark.parametrize(
    ("order", "task"),
    [
        (replace(ORDER, mode=ScriptMode.AUTO), "Write a script."),
        (replace(ONE, target_index=None), "Revise the script."),
        (ONE, "Revise one segment, the one at index 1 (the first is 0); answer it alone."),
    ],
    ids=["auto", "revise", "one"],
)
def test_the_task_is_named(order: ScriptRequest, task: str) -> None:
    assert asked(order)["task"] == task


def test_a_revision_gets_the_script() -> None:
    assert [segment["narration"] for segment in asked(ONE)["script"]] == ["One.", "Two."]


@pytest.mark.parametrize(
    "shots", [[shot("Better.")], [shot("One."), shot("Better.")]], ids=["alone", "in the whole script"]
)
def test_a_revision_of_one_shot_gives_one(shots: list[dict[str, Any]]) -> None:
    assert [segment.narration for segment in script(told({"segments": shots}), ONE)] == ["Better."]


def test_a_revision_of_one_shot_shows_no_drafts_of_others() -> None:
    made = events(told({"segments": [shot("One."), shot("Better.")]}), ONE)
    assert not [event for event in made if isinstance(event, ScriptDraft)]


def test_a_revision_that_leaves_open_which_shot_it_is_fails() -> None:
    with pytest.raises(ProviderError, match="not the JSON"):
        events(told({"segments": [shot("a"), shot("b"), shot("c")]}), ONE)


def test_dialogue_stands_in_for_narration() -> None:
    lines = [{"speaker": "Ann", "line": "Coffee?"}, {"speaker": None, "line": "Yes."}, {"line": ""}]
    [segment] = script(told({"segments": [shot("", dialogue=lines, visual_prompt=None)]}))
    assert segment == ScriptSegment(
        "Coffee? Yes.", "Coffee? Yes.", 4.0, (DialogueLine("Coffee?", "Ann"), DialogueLine("Yes."))
    )


def test_a_number_may_come_as_text() -> None:
    assert script(told({"segments": [shot(duration_seconds="3.5")]}))[0].duration_seconds == 3.5


@pytest.mark.parametrize(
    "answer",
    [
        {"segments": []},
        {"segments": "none"},
        {"segments": [shot(), "b"]},
        {"segments": [{"narration": 5}]},
        {"segments": [{"narration": "", "visual_prompt": ""}]},
        {"segments": [shot(duration_seconds=float("nan"))]},
        {"plan": "only"},
        "I'd rather not.",
    ],
    ids=str,
)
def test_an_answer_that_is_no_script_fails(answer: object) -> None:
    with pytest.raises(ProviderError, match="not the JSON"):
        events(told(answer))
