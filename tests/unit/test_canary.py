"""The search for a key finds it however it is written."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, urlencode

import pytest

from contentsvc.testing.dialects import SECRET
from tests.canary import key_of, traces

KEY = key_of('acme"7+Q=', "sk-")
CODED = base64.b64encode(KEY.encode())


@pytest.mark.parametrize(
    "written",
    [
        KEY,
        KEY.encode(),
        f"Bearer {KEY}",
        json.dumps({"key": KEY}),
        repr(KEY),
        quote(KEY),
        urlencode({"key": KEY}),
        CODED,
        *[base64.b64encode(f"{'u' * length}:{KEY}".encode()) for length in range(3)],
        KEY.encode().hex(),
        CODED.hex(),
        SECRET,
    ],
)
def test_a_key_is_found_in(written: bytes | str) -> None:
    assert traces(written)


@pytest.mark.parametrize("written", ["", b"", "a canary of the mountains", b"\xff\x00", "sk-kit"])
def test_nothing_is_found_in(written: bytes | str) -> None:
    assert traces(written) == []


def test_what_is_around_it_is_told() -> None:
    [trace] = traces(f"sent to acme.test with {KEY}")
    assert trace == f"sent to acme.test with {KEY}"
