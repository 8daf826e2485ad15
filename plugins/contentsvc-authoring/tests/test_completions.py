"""Chat completions: bodies, chunks, forms that an endpoint refuses, figures."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from authoring_calls import Line, chunk, desk

from contentsvc.plugin import BillingUnit, ContentRejected, Context, ProviderError
from contentsvc_authoring import Completions, FormRefused, JsonMode, Piece, Question

QUESTION = Question("script", "Write.", {"wish": "grün"}, {"type": "object"})
SAID = [chunk(content="{}"), chunk("stop")]
REFUSAL = ProviderError("The provider refuses the order.")


def pieces(line: Line, ctx: Context | None = None, **more: Any) -> list[Piece]:
    return list(Completions(ctx or desk(), QUESTION, line, **more).pieces())


def body(**options: Any) -> dict[str, Any]:
    line = Line([SAID])
    pieces(line, desk(**options))
    return dict(line.bodies[0])


def usage(report: object, unit: BillingUnit | None = None, **options: Any) -> Any:
    chat = Completions(desk(unit, **options), QUESTION, Line([[*SAID, {"choices": [], "usage": report}]]))
    list(chat.pieces())
    return chat.usage


def test_the_body_asks_for_a_stream_with_usage() -> None:
    sent = body(parameters={"temperature": 0.4})
    assert {name: sent[name] for name in ("model", "stream", "stream_options", "temperature")} == {
        "model": "acme-1",
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0.4,
    }
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert sent["messages"][1]["content"] == '{"wish": "grün"}'


def test_a_model_is_held_to_the_schema() -> None:
    sent = body()
    assert sent["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "script", "strict": True, "schema": {"type": "object"}},
    }
    assert sent["messages"][0]["content"] == "Write."


@pytest.mark.parametrize(("mode", "held"), [("object", {"type": "json_object"}), ("prompt", None)])
def test_a_model_that_takes_none_gets_the_schema_in_words(mode: str, held: object) -> None:
    sent = body(json=mode)
    assert sent.get("response_format") == held
    assert sent["messages"][0]["content"].endswith('Its JSON Schema is: {"type": "object"}')


def test_an_unknown_mode_is_the_plugins() -> None:
    assert body(json="yaml")["response_format"]["type"] == "json_schema"


def test_what_an_endpoint_refuses_is_left_out_step_by_step() -> None:
    line = Line(
        [
            FormRefused(REFUSAL, "response_format", "json_schema is not supported"),
            FormRefused(REFUSAL, "", "Unknown field stream_options."),
            FormRefused(REFUSAL, "response_format"),
            SAID,
        ]
    )
    pieces(line)
    asked = [(sent.get("response_format", {}).get("type"), "stream_options" in sent) for sent in line.bodies]
    assert asked == [("json_schema", True), ("json_object", True), ("json_object", False), (None, False)]


def test_what_worked_is_remembered_for_this_model_there() -> None:
    ctx = desk()
    pieces(Line([FormRefused(REFUSAL, "response_format"), SAID]), ctx)
    line = Line([SAID])
    pieces(line, ctx)
    assert line.bodies[0]["response_format"]["type"] == "json_object"
    other = Line([SAID])
    ctx.base_url = "http://others.test"
    pieces(other, ctx)
    assert other.bodies[0]["response_format"]["type"] == "json_schema"


def test_a_refusal_of_something_else_is_not_asked_again() -> None:
    line = Line([FormRefused(REFUSAL, "messages", "Too long.")])
    with pytest.raises(ProviderError) as raised:
        pieces(line)
    assert (raised.value, len(line.bodies)) == (REFUSAL, 1)


def test_the_simplest_form_is_refused_for_good() -> None:
    line = Line([FormRefused(REFUSAL, "response_format")])
    with pytest.raises(ProviderError):
        pieces(line, desk(json="prompt"))
    assert len(line.bodies) == 1


def test_thoughts_and_words_come_apart_after_an_empty_piece() -> None:
    line = Line(
        [[chunk(reasoning_content="Hm."), chunk(reasoning="So."), chunk(content="{}"), chunk("stop")]]
    )
    assert pieces(line) == [Piece(""), Piece("Hm.", True), Piece("So.", True), Piece("{}")]


def test_an_answer_may_come_as_one_document() -> None:
    document = {"choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}]}
    assert pieces(Line([[document]])) == [Piece(""), Piece("{}")]


@pytest.mark.parametrize(
    "strange", [{}, {"choices": "none"}, {"choices": [7]}, {"choices": [{"delta": "x"}]}]
)
def test_chunks_of_another_shape_say_nothing(strange: dict[str, Any]) -> None:
    assert pieces(Line([[strange, *SAID]])) == [Piece(""), Piece("{}")]


@pytest.mark.parametrize(
    "last", [chunk(refusal="I can't."), chunk("content_filter")], ids=["refusal", "filter"]
)
def test_a_model_may_decline(last: dict[str, Any]) -> None:
    with pytest.raises(ContentRejected):
        pieces(Line([[chunk(content="{"), last]]))


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        ([chunk(content="{")], "broke off"),
        ([chunk(content="{"), chunk("length")], "limit of tokens"),
        ([chunk(content="x" * 200_001), chunk(content="x" * 200_000), chunk("stop")], "too large"),
    ],
    ids=["no end", "cut off", "endless"],
)
def test_an_answer_that_is_not_whole_fails(chunks: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(ProviderError, match=message) as raised:
        pieces(Line([chunks]))
    assert not raised.value.retryable


def test_who_is_gone_is_not_written_for() -> None:
    ctx = desk()
    stream = Completions(ctx, QUESTION, Line([SAID])).pieces()
    next(stream)
    ctx.cancelled = True
    with pytest.raises(ProviderError, match="cancelled"):
        next(stream)


def test_a_token_that_is_written_counts_as_often_as_it_costs() -> None:
    report = {"prompt_tokens": 1000, "completion_tokens": 500, "total_tokens": 1500}
    used = usage(report, BillingUnit.THOUSAND_TOKENS, output_weight=6)
    assert (used.units, used.raw) == (Decimal(4), report)


def test_a_total_alone_is_taken() -> None:
    assert usage({"total_tokens": 700}).units == Decimal("0.7")


def test_a_model_billed_by_the_task_uses_one() -> None:
    assert usage({}, BillingUnit.TASK).units is None
    assert usage({"prompt_tokens": 5}, BillingUnit.TASK).units == 1


@pytest.mark.parametrize(
    "report",
    [
        {"prompt_tokens": -5, "completion_tokens": 10},
        {"prompt_tokens": "12", "completion_tokens": 10},
        {"prompt_tokens": 10**12, "completion_tokens": 10},
        {"prompt_tokens": 1.5, "completion_tokens": 10},
        {"prompt_tokens": True, "completion_tokens": 10},
        {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        {"prompt_tokens": float("nan"), "completion_tokens": 10},
        "many",
    ],
    ids=str,
)
def test_figures_that_can_not_be_true_leave_the_estimate(report: object) -> None:
    assert usage(report).units is None


def test_a_plugin_may_know_how_its_models_are_held() -> None:
    line = Line([SAID])
    pieces(line, mode=JsonMode.OBJECT)
    assert line.bodies[0]["response_format"] == {"type": "json_object"}
