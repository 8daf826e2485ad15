"""JSON objects and field messages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contentsvc.http.body import messages_by_field, parse_object
from contentsvc.http.errors import ApiError
from contentsvc.http.types import parse_uuid
from contentsvc.http.uploads import MAX_FILENAME, clean_filename


@given(st.binary(max_size=200))
def test_any_bytes_are_an_object_or_refused(raw: bytes) -> None:
    try:
        found = parse_object(raw)
    except ApiError as error:
        found = {"refused": error.status}
    assert isinstance(found, dict)
    assert found.get("refused", 400) == 400


def test_messages_are_sentences_under_dotted_fields() -> None:
    errors = [
        {"loc": ("images", 0, "asset"), "msg": "Value error, not an id"},
        {"loc": ("images", 0, "asset"), "msg": "Value error, not an id"},
        {"loc": (), "msg": "Say one of both."},
    ]
    assert messages_by_field(errors) == {
        "images.0.asset": ["Not an id."],
        "non_field_errors": ["Say one of both."],
    }


@given(st.text(max_size=600))
def test_file_names_are_short_printable_and_without_folders(name: str) -> None:
    cleaned = clean_filename(name)
    assert 1 <= len(cleaned) <= MAX_FILENAME
    assert not set(cleaned) & set("/\\\x00\n")
    assert cleaned not in (".", "..")
    cleaned.encode("utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "{0190a6e2-0000-7000-8000-000000000001}",
        "urn:uuid:0190a6e2-0000-7000-8000-000000000001",
        "0190a6e2000070008000000000000001",
        " 0190a6e2-0000-7000-8000-000000000001",
        "0190a6e2-0000-7000-8000-000000000001\n",
        "0190a6e2-0000-7000-8000-00000000000g",
        "",
    ],
)
def test_an_id_has_one_form(text: str) -> None:
    with pytest.raises(ValueError, match="id"):
        parse_uuid(text)
