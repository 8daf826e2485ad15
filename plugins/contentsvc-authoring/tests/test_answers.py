"""Reading an answer that a model is still writing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contentsvc.plugin import ProviderError
from contentsvc_authoring.answers import Growing, whole

SHOTS = [{"narration": 'She said: "no" \\ {yes}'}, {"narration": "☕ 😀 ]},"}]


def grown(written: str, sizes: list[int]) -> tuple[str, list[object]]:
    """What comes of an answer in pieces of these sizes, the last of them again and again."""
    growing, plan, objects = Growing("plan", "shots"), "", []
    at, steps = 0, iter(sizes)
    size = 1
    while at < len(written):
        size = next(steps, size)
        more, found = growing.add(written[at : at + size])
        plan, objects, at = plan + more, objects + found, at + size
    return plan, objects


@given(st.text(max_size=30), st.booleans(), st.lists(st.integers(1, 20), max_size=20))
def test_however_it_is_cut_the_same_is_read(plan: str, is_ascii: bool, sizes: list[int]) -> None:
    readable = plan.encode("utf-8", "replace").decode("utf-8")
    written = json.dumps({"plan": readable, "shots": SHOTS}, ensure_ascii=is_ascii)
    assert grown(written, sizes) == (readable, SHOTS)


def test_half_of_a_character_waits_for_the_other() -> None:
    growing = Growing("plan", "shots")
    assert growing.add(r'{"plan": "a\ud83d')[0] == "a"
    assert growing.add(r'\ude00b"')[0] == "😀b"


def test_half_a_character_for_good_is_shown_as_unreadable() -> None:
    assert grown(r'{"plan": "a\udc00b", "shots": []}', [50])[0] == "a?b"


def test_each_object_comes_once_it_is_whole() -> None:
    growing = Growing("plan", "shots")
    assert growing.add('{"shots": [{"a": 1')[1] == []
    assert growing.add("}, ")[1] == [{"a": 1}]
    assert growing.add('{"a": {"b": 2}}]}')[1] == [{"a": {"b": 2}}]


def test_what_is_thought_aloud_is_no_answer() -> None:
    thought = '<think>{"plan": "no", "shots": [{"a": 0}]}</think>'
    answer = '{"plan": "yes", "shots": [{"a": 1}]}'
    assert grown(thought + answer, [3]) == ("yes", [{"a": 1}])
    assert whole(thought + answer, "shots") == {"plan": "yes", "shots": [{"a": 1}]}


@pytest.mark.parametrize(
    "written",
    [
        'Gladly:\n```json\n{"shots": []}\n```\nEnjoy {it}!',
        '{not json} {"other": 1} {"shots": []}',
        '{"shots": [],}',
    ],
    ids=["fenced", "after others", "with a comma too many"],
)
def test_an_answer_is_found_among_other_words(written: str) -> None:
    assert whole(written, "shots") == {"shots": []}


def test_a_comma_before_a_bracket_is_kept_where_it_is_text() -> None:
    assert whole('{"shots": [",}"]}', "shots") == {"shots": [",}"]}


@pytest.mark.parametrize(
    "written", ["", "No.", "[]", '{"shots": [', '{"shots": NaN}', "{" * 100_000, '{"shots": ' + "[" * 100_000]
)
def test_what_is_no_answer_is_an_error(written: str) -> None:
    with pytest.raises(ProviderError, match="not the JSON"):
        whole(written, "shots")
