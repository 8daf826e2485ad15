"""The catalogue of codes, in the code and on paper."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from contentsvc.http.errors import STATUS_OF, ApiError, ErrorCode, FieldErrors
from contentsvc.http.render import error_response

PAGE = Path(__file__).parents[3] / "docs" / "errors.md"
_ROW = re.compile(r"^\| `(\w+)` \| (\d{3})", re.MULTILINE)


def test_every_code_is_documented_once_with_its_status() -> None:
    documented = _ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert sorted(documented) == sorted((code.value, str(STATUS_OF.get(code, 400))) for code in ErrorCode)


def test_a_refusal_is_a_sentence_and_a_code() -> None:
    error = ApiError(ErrorCode.QUOTA_EXCEEDED, "Too much.", extra={"cap": "month"})
    assert error.status == 402
    assert error.body() == {"detail": "Too much.", "code": "quota_exceeded", "cap": "month"}


def test_field_errors_are_messages_by_field() -> None:
    error = FieldErrors.one("images.0.asset", "Unknown.")
    assert (error.status, error.body()) == (400, {"images.0.asset": ["Unknown."]})


@pytest.mark.parametrize(("seconds", "header"), [(0, "1"), (0.2, "1"), (1, "1"), (1.1, "2"), (11, "11")])
def test_retry_after_is_rounded_up_to_whole_seconds(seconds: float, header: str) -> None:
    response = error_response(ApiError(ErrorCode.RATE_LIMITED, "Wait.", retry_after=seconds))
    assert response.headers["Retry-After"] == header
    assert response.headers["Content-Type"] == "application/json"
