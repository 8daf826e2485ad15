"""Reading JSON that a model is still writing, and the whole of it at the end."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from contentsvc.plugin import ProviderError

UNUSABLE: Final = "The model's answer is not the JSON that was asked for."
_STRING: Final = re.compile(r"""(?:[^"\\\x00-\x1f]|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt])*""")
# Half of a character beyond the first 65,536: the other half is still to come.
_HALF: Final = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
_THOUGHTS: Final = ("<think>", "</think>")
_STARTS: Final = 40


def answered(text: str, key: str) -> dict[str, Any]:
    """The JSON object with this member in an answer, whatever stands around it.

    Raises ProviderError where there is none.
    """
    start, decoder = _after_thoughts(text), json.JSONDecoder(parse_constant=_no_number)
    for _ in range(_STARTS):
        start = text.find("{", start)
        if start < 0:
            break
        try:
            found, _end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start += 1
            continue
        if isinstance(found, dict) and key in found:
            return found
        start += 1
    raise ProviderError(UNUSABLE)


class TextMember:
    """The string behind a key, handed out as far as it is written."""

    def __init__(self, key: str) -> None:
        self._opening = re.compile(rf'"{re.escape(key)}"\s*:\s*"')
        self._at: int | None = None

    def more(self, text: str) -> str:
        """What has come since the last call, of the answer as it stands now."""
        if self._at is None:
            opening = self._opening.search(text, _after_thoughts(text))
            if opening is None:
                return ""
            self._at = opening.end()
        written = _STRING.match(text, self._at)
        raw = written.group() if written else ""
        raw = _HALF.sub("", raw)
        self._at += len(raw)
        found: str = json.loads(f'"{raw}"')
        return found.encode("utf-8", "replace").decode("utf-8")


class ListMember:
    """The items of the list behind a key, each as soon as it is complete."""

    def __init__(self, key: str) -> None:
        self._opening = re.compile(rf'"{re.escape(key)}"\s*:\s*\[')
        self._at: int | None = None
        self._decoder = json.JSONDecoder(parse_constant=_no_number)

    def more(self, text: str) -> Iterator[object]:
        """The items that have been completed since the last call."""
        if self._at is None:
            opening = self._opening.search(text, _after_thoughts(text))
            if opening is None:
                return
            self._at = opening.end()
        while True:
            start = self._at
            while start < len(text) and text[start] in " \t\r\n,":
                start += 1
            if start == len(text) or text[start] != "{":
                return
            try:
                item, self._at = self._decoder.raw_decode(text, start)
            except (ValueError, RecursionError):
                return
            yield item


def _after_thoughts(text: str) -> int:
    """Where the answer begins behind what a model has thought aloud in it."""
    opening, closing = _THOUGHTS
    if not text.lstrip().startswith(opening):
        return 0
    end = text.find(closing)
    return len(text) if end < 0 else end + len(closing)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")
