"""Log lines: one shape for all sources, secrets in none of them."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from contentsvc.http.logs import REDACTED, configure_logging, redact
from contentsvc.settings import LogSettings

CANARY = "canary-7d3f9a"


@pytest.mark.parametrize(
    "key",
    ["authorization", "Authorization", "password", "old_password", "api_key", "x-api-key", "token", "secret"],
)
def test_values_under_a_secrets_name_are_blanked(key: str) -> None:
    assert redact(None, "info", {"event": "e", key: CANARY})[key] == REDACTED


def test_secrets_are_blanked_however_deep() -> None:
    event = redact(None, "info", {"event": "e", "headers": [{"Authorization": CANARY, "Host": "h"}]})
    assert event["headers"] == [{"Authorization": REDACTED, "Host": "h"}]


@pytest.mark.parametrize(
    "text",
    [
        f"sent Authorization: Token {CANARY}",
        f"Bearer {CANARY}",
        f"GET /media/x?token={CANARY}&a=1",
        f"https://b.example/k?X-Amz-Signature={CANARY}",
        f"postgresql://user:{CANARY}@host/db",
        f'{{"password": "{CANARY}"}}',
    ],
)
def test_credentials_inside_texts_are_blanked(text: str) -> None:
    assert CANARY not in redact(None, "info", {"event": text})["event"]


def test_what_is_no_secret_stays() -> None:
    event = {"event": "request", "route": "/api/auth/token-info/", "ms": 3.2, "total_tokens": 120, "a": None}
    assert redact(None, "info", dict(event)) == event


@pytest.fixture
def configured(capsys: pytest.CaptureFixture[str]) -> Iterator[Any]:
    """``configured("json")`` sets logging up; ``configured.lines()`` are what was written."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level

    class Configured:
        def __call__(self, form: Any, level: Any = "info") -> None:
            configure_logging(LogSettings(format=form, level=level))

        def lines(self) -> list[str]:
            return capsys.readouterr().err.splitlines()

    # An earlier test's request may have left its context in this thread.
    structlog.contextvars.clear_contextvars()
    yield Configured()
    configure_logging(LogSettings(format="console", level="warning"))
    root.handlers[:] = before
    root.setLevel(level)
    for name in ("httpx", "botocore", "urllib3", "huey", "python_multipart"):
        logging.getLogger(name).setLevel(logging.NOTSET)


def test_json_lines_hold_the_event_its_level_time_and_context(configured: Any) -> None:
    configured("json")
    with structlog.contextvars.bound_contextvars(request_id="r1"):
        structlog.get_logger("contentsvc.x").info("made", asset="a", password=CANARY)
    (line,) = configured.lines()
    event = json.loads(line)
    assert event.pop("timestamp").endswith("Z")
    assert event == {
        "event": "made",
        "asset": "a",
        "password": REDACTED,
        "level": "info",
        "logger": "contentsvc.x",
        "request_id": "r1",
    }


def test_the_standard_librarys_records_come_in_the_same_shape(configured: Any) -> None:
    configured("json")
    logging.getLogger("lib").warning("token=%s of %s", CANARY, "anna")
    (line,) = configured.lines()
    event = json.loads(line)
    assert (event["event"], event["logger"], event["level"]) == (
        f"token={REDACTED} of anna",
        "lib",
        "warning",
    )


def test_tracebacks_are_searched_for_secrets_too(configured: Any) -> None:
    configured("json")
    try:
        json.loads("no JSON")
    except ValueError as error:
        error.add_note(f"sent Authorization: Token {CANARY}")
        structlog.get_logger("x").exception("failed")
    text = "\n".join(configured.lines())
    assert "JSONDecodeError" in text
    assert CANARY not in text


def test_the_console_format_is_for_people(configured: Any) -> None:
    configured("console")
    structlog.get_logger("x").info("made", asset="a")
    (line,) = configured.lines()
    assert "made" in line
    assert "asset=a" in line


def test_lower_levels_are_not_written(configured: Any) -> None:
    configured("json", "warning")
    structlog.get_logger("x").info("quiet")
    logging.getLogger("y").info("quiet")
    assert configured.lines() == []
