"""Providers' words before they are shown."""

from __future__ import annotations

import pytest

from contentsvc.plugin import Entity, EntityResult, EntityType, Usage
from contentsvc.providers.messages import hide_secret, public_message, without_secret


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


@pytest.mark.parametrize(
    "written",
    ['k"y+/=12345', r"k\"y+/=12345", "k%22y%2B%2F%3D12345", "k%22y+/=12345"],
    ids=["as it is", "in JSON", "in a query", "in a path"],
)
def test_the_key_is_found_as_others_write_it(written: str) -> None:
    assert without_secret(f"<{written}>", 'k"y+/=12345') == "<[hidden]>"


def test_the_key_is_hidden_all_the_way_down_and_nothing_else_changes() -> None:
    raw = {"keys": ["hunter2222", 5, None], "hunter2222": {"a": ("x hunter2222",)}}
    found = hide_secret(
        EntityResult((Entity(EntityType.SCENE, "A hunter2222", "b", (1,)),), Usage(raw=raw)), "hunter2222"
    )
    assert found == EntityResult(
        (Entity(EntityType.SCENE, "A [hidden]", "b", (1,)),),
        Usage(raw={"keys": ["[hidden]", 5, None], "[hidden]": {"a": ("x [hidden]",)}}),
    )


@pytest.mark.parametrize("secret", [None, "", "test"])
def test_a_key_that_may_be_a_word_is_left_in_results(secret: str | None) -> None:
    assert hide_secret(["a test"], secret) == ["a test"]
