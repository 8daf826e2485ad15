"""Providers' words before they are shown."""

from __future__ import annotations

import pytest

from contentsvc.providers.messages import public_message, without_secret


def test_a_plain_sentence_stays() -> None:
    assert public_message("The prompt is too long (4,001 characters).") == (
        "The prompt is too long (4,001 characters)."
    )


def test_the_providers_key_is_hidden_whatever_it_looks_like() -> None:
    assert "hunter2" not in public_message("wrong key hunter2!", "hunter2")


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect key provided: sk-abcdefgh12345678",
        "header was Authorization: Bearer abcdefgh12345678",
        "bad api_key=abcdefgh12345678",
        "see https://api.example.com/v1?key=abcdefgh12345678",
        "could not reach s3://bucket/abcdefgh12345678",
    ],
)
def test_addresses_and_keys_are_hidden(text: str) -> None:
    assert "abcdefgh12345678" not in public_message(text)


def test_a_message_is_cut_to_500_characters() -> None:
    assert len(public_message("x" * 2000)) == 500


def test_a_message_is_one_printable_line() -> None:
    assert public_message("one\ntwo\x1b[31m\x00 three") == "one two[31m three"


def test_without_a_secret_the_text_stays() -> None:
    assert without_secret("text", None) == "text"
