"""Subtitles made from narration."""

from __future__ import annotations

import pytest

from contentsvc.projects.timelines.lines import LINE_LENGTH, lines_of


def _texts(text: str) -> list[str]:
    return [line for line, _, _ in lines_of(text, 0, 10)]


def test_a_short_text_is_one_line_for_the_whole_time() -> None:
    assert list(lines_of("A quiet cup.", 2, 3)) == [("A quiet cup.", 2, 5)]


def test_sentences_share_the_time_by_their_length() -> None:
    assert list(lines_of("One two. Three four five six.", 10, 7)) == [
        ("One two.", 10, 12),
        ("Three four five six.", 12, 17),
    ]


def test_long_sentences_are_broken_between_words() -> None:
    text = "word " * 40
    lines = _texts(text)
    assert all(len(line) <= LINE_LENGTH and set(line.split()) == {"word"} for line in lines)
    assert " ".join(lines) == text.strip()


def test_lines_of_a_sentence_are_about_even() -> None:
    lengths = [len(line) for line in _texts("ten chars " * 7)]
    assert max(lengths) - min(lengths) < 15


def test_wide_signs_take_twice_the_room() -> None:
    lines = _texts("夏" * 50)
    assert "".join(lines) == "夏" * 50
    assert max(map(len, lines)) <= LINE_LENGTH // 2


def test_sentences_of_scripts_without_spaces_are_told_apart() -> None:
    assert _texts("早上好。来一杯！") == ["早上好。", "来一杯！"]


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_silence_has_no_lines(text: str) -> None:
    assert _texts(text) == []
