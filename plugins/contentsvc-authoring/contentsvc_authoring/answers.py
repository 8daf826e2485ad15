"""Reading JSON that a model is still writing, and the whole of it at the end."""

from __future__ import annotations

import json
import re
from typing import Any, Final, NoReturn

from contentsvc.plugin import ProviderError

UNUSABLE: Final = "The model's answer is not the JSON that was asked for."
_CHARACTERS: Final = re.compile(r'(?:[^"\\\x00-\x1f]|\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt]))*')
# The first half of a character that JSON writes as two escapes.
_FIRST_HALF: Final = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
_TRAILING_COMMA: Final = re.compile(r",(\s*[}\]])")
_THOUGHTS: Final = ("<think>", "</think>")
_TRIES: Final = 40


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


_decoder: Final = json.JSONDecoder(parse_constant=_no_number)


def whole(written: str, key: str) -> dict[str, Any]:
    """The first JSON object with this member, whatever stands around it.

    Commas before a closing bracket, which models like to write, are forgiven. Raises
    ProviderError where there is none.
    """
    answer = written[_after_thoughts(written) :]
    for text in (answer, _TRAILING_COMMA.sub(r"\1", answer)):
        found = _object_with(text, key)
        if found is not None:
            return found
    raise ProviderError(UNUSABLE)


def _object_with(text: str, key: str) -> dict[str, Any] | None:
    start = text.find("{")
    for _ in range(_TRIES):
        if start < 0:
            break
        try:
            found, _end = _decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict) and key in found:
            return found
        start = text.find("{", start + 1)
    return None


class Growing:
    """An answer as it grows: the text behind one key, and the finished objects in the list behind another."""

    def __init__(self, text_key: str, list_key: str) -> None:
        self.written = ""
        self._text = re.compile(rf'"{re.escape(text_key)}"\s*:\s*"')
        self._list = re.compile(rf'"{re.escape(list_key)}"\s*:\s*\[')
        self._text_at: int | None = None
        self._list_at: int | None = None

    def add(self, piece: str) -> tuple[str, list[object]]:
        """Take more of the answer; what has come of the text, and which objects were finished by it."""
        self.written += piece
        # Most pieces are single words; an object ends with a bracket.
        return self._more_text(), self._more_objects() if "}" in piece else []

    def _more_text(self) -> str:
        if self._text_at is None:
            opening = self._text.search(self.written, _after_thoughts(self.written))
            if opening is None:
                return ""
            self._text_at = opening.end()
        match = _CHARACTERS.match(self.written, self._text_at)
        raw = _FIRST_HALF.sub("", match.group() if match else "")
        self._text_at += len(raw)
        return clean(json.loads(f'"{raw}"'))

    def _more_objects(self) -> list[object]:
        if self._list_at is None:
            opening = self._list.search(self.written, _after_thoughts(self.written))
            if opening is None:
                return []
            self._list_at = opening.end()
        found: list[object] = []
        while True:
            start = self._list_at
            while start < len(self.written) and self.written[start] in " \t\r\n,":
                start += 1
            if not self.written.startswith("{", start):
                return found
            try:
                item, self._list_at = _decoder.raw_decode(self.written, start)
            except (ValueError, RecursionError):
                return found
            found.append(item)


def clean(said: str) -> str:
    """Without halves of characters, which no text can hold."""
    return said.encode("utf-8", "replace").decode("utf-8")


def _after_thoughts(text: str) -> int:
    """Where the answer begins behind what a model has thought aloud in it."""
    opening, closing = _THOUGHTS
    if not text.lstrip().startswith(opening):
        return 0
    end = text.find(closing)
    return len(text) if end < 0 else end + len(closing)
