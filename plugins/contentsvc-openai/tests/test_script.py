from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from openai_endpoint import KEY, Endpoint, caller, chunk, error, said, shots, streamed

from contentsvc.plugin import (
    BillingUnit,
    Capability,
    ContentRejected,
    DialogueLine,
    ProductFacts,
    ProviderError,
    ScriptDraft,
    ScriptMode,
    ScriptRequest,
    ScriptResult,
    ScriptSegment,
    ScriptText,
    SellingPoint,
)
from contentsvc.testing import Caller, Reply

ORDER = ScriptRequest(
    ScriptMode.THEME,
    ProductFacts(title="Cup", selling_points=(SellingPoint("Keeps the heat"),)),
    instruction="a quiet morning",
    total_duration=8.0,
)
ANSWER = {"plan": "First “grey” \\ then\ncolour: ☕ 😀.", "segments": shots("Grey.", "Then the cup.")}
REFUSED = "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."


@pytest.fixture
def author(endpoint: Endpoint, tmp_path: Path) -> Caller:
    return caller(endpoint, Capability.SCRIPT, tmp_path)


def events(author: Caller, order: ScriptRequest = ORDER) -> list[Any]:
    """The events of an order that went well."""
    outcome = author.start(order)
    assert outcome.error is None, outcome
    answer: list[Any] = outcome.answer
    return answer


def failure(author: Caller, order: ScriptRequest = ORDER) -> ProviderError:
    """The error of an order that failed."""
    error = author.start(order).error
    assert error is not None
    return error


def test_the_result_is_the_script(author: Caller, endpoint: Endpoint) -> None:
    endpoint.says(said(ANSWER))
    result = events(author)[-1]
    assert result.segments == tuple(
        ScriptSegment(text, f"Shot: {text}", 4.0, (DialogueLine(text),))
        for text in ("Grey.", "Then the cup.")
    )


def test_usage_is_weighted_tokens(author: Caller, endpoint: Endpoint) -> None:
    endpoint.says(said(ANSWER))
    usage = events(author)[-1].usage
    assert usage.units == 4  # 1,000 in and six times 500 out
    assert usage.raw == {"prompt_tokens": 1000, "completion_tokens": 500, "total_tokens": 1500}


@pytest.mark.parametrize(
    "figures",
    [
        {},
        "many",
        {"prompt_tokens": -5, "completion_tokens": 10},
        {"prompt_tokens": "12", "completion_tokens": 10},
        {"prompt_tokens": 10**12, "completion_tokens": 10},
        {"prompt_tokens": 1.5, "completion_tokens": 10},
        {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        {"prompt_tokens": True, "completion_tokens": 10},
    ],
)
def test_figures_that_can_not_be_true_are_no_usage(author: Caller, endpoint: Endpoint, figures: Any) -> None:
    endpoint.says(said(ANSWER, usage=figures))
    assert events(author)[-1].usage.units is None


def test_a_total_alone_is_taken(author: Caller, endpoint: Endpoint) -> None:
    endpoint.says(said(ANSWER, usage={"total_tokens": 700}))
    assert events(author)[-1].usage.units == Decimal("0.7")


def test_a_model_billed_by_the_task_uses_one(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.says(said(ANSWER))
    author = caller(endpoint, Capability.SCRIPT, tmp_path, billing_unit=BillingUnit.TASK)
    assert events(author)[-1].usage.units == 1


@pytest.mark.parametrize("pieces", [1, 7, 400])
def test_the_plan_is_told_as_it_comes(author: Caller, endpoint: Endpoint, pieces: int) -> None:
    endpoint.says(said(ANSWER, pieces=pieces))
    told = [event.text for event in events(author) if isinstance(event, ScriptText)]
    assert "".join(told) == ANSWER["plan"]


def test_reasoning_comes_before_the_plan(author: Caller, endpoint: Endpoint) -> None:
    endpoint.says(said(ANSWER, reasoning="Let me see. "))
    told = [event.text for event in events(author) if isinstance(event, ScriptText)]
    assert "".join(told) == f"Let me see. {ANSWER['plan']}"


def test_reasoning_may_be_kept_to_oneself(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.says(said(ANSWER, reasoning="Let me see. "))
    author = caller(endpoint, Capability.SCRIPT, tmp_path, show_reasoning=False)
    told = [event.text for event in events(author) if isinstance(event, ScriptText)]
    assert "".join(told) == ANSWER["plan"]


def test_each_complete_shot_is_a_draft(author: Caller, endpoint: Endpoint) -> None:
    endpoint.says(said(ANSWER, pieces=400))
    drafts = [event for event in events(author) if isinstance(event, ScriptDraft)]
    assert [[segment.narration for segment in draft.segments] for draft in drafts] == [
        ["Grey."],
        ["Grey.", "Then the cup."],
    ]


def test_the_order_says_what_is_wanted(author: Caller, endpoint: Endpoint) -> None:
    endpoint.says(said(ANSWER))
    events(author)
    [request], [body] = endpoint.requests, endpoint.bodies
    assert (request.path, request.headers["Authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert (body["model"], body["stream"], body["stream_options"]) == (
        "gpt-5.4-mini",
        True,
        {"include_usage": True},
    )
    assert (body["response_format"]["type"], body["response_format"]["json_schema"]["strict"]) == (
        "json_schema",
        True,
    )
    assert "a quiet morning" in body["messages"][1]["content"]


def test_parameters_of_the_model_go_along(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.says(said(ANSWER))
    events(caller(endpoint, Capability.SCRIPT, tmp_path, parameters={"temperature": 0.4}))
    assert endpoint.bodies[0]["temperature"] == 0.4


def test_an_endpoint_without_schemas_is_asked_more_simply(author: Caller, endpoint: Endpoint) -> None:
    endpoint.says(error(400, REFUSED), error(422, "response_format is unknown"), said(ANSWER))
    assert isinstance(events(author)[-1], ScriptResult)
    formats = [body.get("response_format", {}).get("type") for body in endpoint.bodies]
    assert formats == ["json_schema", "json_object", None]
    assert '"visual_prompt"' in endpoint.bodies[2]["messages"][0]["content"]


def test_an_endpoint_without_stream_options_is_asked_without(author: Caller, endpoint: Endpoint) -> None:
    endpoint.says(error(400, "Unknown field.", param="stream_options"), said(ANSWER))
    events(author)
    assert ["stream_options" in body for body in endpoint.bodies] == [True, False]


def test_what_worked_is_remembered(author: Caller, endpoint: Endpoint) -> None:
    endpoint.says(error(400, REFUSED), said(ANSWER), said(ANSWER))
    events(author)
    events(author)
    assert [body["response_format"]["type"] for body in endpoint.bodies] == [
        "json_schema",
        "json_object",
        "json_object",
    ]


def test_the_administrator_may_say_what_an_endpoint_knows(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.says(said(ANSWER))
    events(caller(endpoint, Capability.SCRIPT, tmp_path, json="prompt", include_usage=False))
    assert {"response_format", "stream_options"}.isdisjoint(endpoint.bodies[0])


def test_another_refusal_is_not_asked_again(author: Caller, endpoint: Endpoint) -> None:
    endpoint.says(error(400, "Too long.", code="context_length_exceeded", param="messages"))
    error_ = failure(author)
    assert (type(error_), len(endpoint.requests)) == (ProviderError, 1)
    assert error_.public_message == (
        "The provider refuses the order (HTTP 400, code context_length_exceeded, field messages)."
    )


@pytest.mark.parametrize(
    "text",
    [
        "<think>Use {braces}?</think>Here it is:\n```json\n{answer}\n```",
        "{not json} {answer} Enjoy!",
    ],
)
def test_an_answer_is_found_among_other_words(author: Caller, endpoint: Endpoint, text: str) -> None:
    answer = '{"segments": [{"narration": "Grey.", "visual_prompt": "", "duration_seconds": "3.5"}]}'
    endpoint.says(said(text.replace("{answer}", answer)))
    [segment] = events(author)[-1].segments
    assert (segment.narration, segment.duration_seconds) == ("Grey.", 3.5)


@pytest.mark.parametrize(
    "text",
    [
        "I'd rather not.",
        '{"segments": []}',
        '{"segments": "none"}',
        '{"segments": [{"narration": 5}]}',
        '{"segments": [{"narration": "a", "duration_seconds": NaN}]}',
        '{"plan": "a", "segments": [{"narr',
    ],
)
def test_an_answer_that_is_no_script_is_an_error(author: Caller, endpoint: Endpoint, text: str) -> None:
    endpoint.says(said(text))
    error_ = failure(author)
    assert (type(error_), error_.retryable) == (ProviderError, False)


def test_a_rewrite_of_one_shot_gives_one(author: Caller, endpoint: Endpoint) -> None:
    script = tuple(ScriptSegment(text, "", 4.0) for text in ("One.", "Two."))
    order = replace(ORDER, mode=ScriptMode.REVISE, segments=script, target_index=1)
    endpoint.says(
        said({"plan": "", "segments": shots("One.", "Better.")}), said({"segments": shots("Best.")})
    )
    for expected in ("Better.", "Best."):
        [segment] = events(author, order)[-1].segments
        assert segment.narration == expected
    assert "index 1" in endpoint.bodies[0]["messages"][1]["content"]


@pytest.mark.parametrize(
    "last",
    [chunk({"refusal": "I can't help with that."}), chunk(finish="content_filter")],
)
def test_a_refusal_is_about_content(author: Caller, endpoint: Endpoint, last: dict[str, Any]) -> None:
    endpoint.says(streamed(chunk({"content": '{"plan'}), last))
    assert isinstance(failure(author), ContentRejected)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (streamed(chunk({"content": "{"}), chunk(finish="length")), "limit of tokens"),
        (streamed(chunk({"content": "{"}), is_done=False), "broke off"),
        (streamed({"error": {"message": "The server had an error", "code": 500}}), "HTTP 500"),
        (Reply.stream([b"data: {broken\n\n"]), "can't be read"),
        (Reply.file(b"<html>Sign in</html>", "text/html"), "can't be read"),
    ],
    ids=["length", "end", "error", "json", "page"],
)
def test_a_stream_that_goes_wrong_is_an_error(
    author: Caller, endpoint: Endpoint, reply: Reply, message: str
) -> None:
    endpoint.says(reply)
    error_ = failure(author)
    assert message in error_.public_message
    assert not error_.retryable


def test_an_endpoint_that_does_not_stream_is_understood(author: Caller, endpoint: Endpoint) -> None:
    message = {"role": "assistant", "content": '{"segments": [{"narration": "Grey."}]}'}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    endpoint.says(Reply.json({"choices": [choice], "usage": {"total_tokens": 40}}))
    result = events(author)[-1]
    assert (result.segments[0].narration, result.usage.units) == ("Grey.", Decimal("0.04"))


def test_line_separators_inside_an_answer_are_text(author: Caller, endpoint: Endpoint) -> None:
    endpoint.says(said({"plan": "", "segments": shots("One\u2028line\u0085.")}))
    assert events(author)[-1].segments[0].narration == "One\u2028line\u0085."


def test_half_of_a_character_is_held_back(author: Caller, endpoint: Endpoint) -> None:
    text = r'{"plan": "Nice \ud83d\ude00.", "segments": [{"narration": "a"}]}'
    endpoint.says(said(text, pieces=len(text)))
    told = [event.text for event in events(author) if isinstance(event, ScriptText)]
    assert "".join(told) == "Nice 😀."


def test_who_goes_away_is_not_written_for(author: Caller, endpoint: Endpoint) -> None:
    endpoint.says(said(ANSWER).but(hangs=True))
    author.leave(ORDER)
    author.cancelled.set()
    endpoint.says(said(ANSWER))
    assert failure(author).public_message == "The work was cancelled."
