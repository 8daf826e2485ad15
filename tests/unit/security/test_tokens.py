"""Tokens as they are sent and stored."""

from __future__ import annotations

import hashlib

import pytest

from contentsvc.security.identity import presented_token
from contentsvc.security.tokens import TOKEN_BYTES, token_digest


def test_tokens_have_256_bits() -> None:
    assert TOKEN_BYTES * 8 == 256


def test_digest_is_sha256() -> None:
    assert token_digest("abc") == hashlib.sha256(b"abc").digest()


@pytest.mark.parametrize(
    ("header", "token"),
    [("Token abc-_1", "abc-_1"), ("token abc", "abc"), ("  TOKEN   abc  ", "abc"), ("Token a b", "a b")],
)
def test_token_credential_is_read_whatever_its_case_and_spaces(header: str, token: str) -> None:
    assert presented_token(header) == token


@pytest.mark.parametrize(
    "header", [None, "", "Token", "Token ", "Tokenabc", "Bearer abc", "Basic YTpi", "abc"]
)
def test_anything_else_is_no_credential(header: str | None) -> None:
    assert presented_token(header) is None
