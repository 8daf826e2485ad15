"""A provider that does every kind of work, at once and to everybody's content."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests import media_samples
from tests.fakes.provider import FakeProvider, Reply
from tests.fakes.scripts import script


class EveryTrade(FakeProvider):
    """Does every kind of work at once; orders are told apart by what they say."""

    def __init__(self) -> None:
        super().__init__()
        self._clip = Reply(body=media_samples.video("mp4"), headers={"X-Tokens": "1000"})

    def order(self, document: dict[str, Any]) -> Reply:
        super().order(document)
        if "instruction" in document:
            return script()
        if "narrations" in document:
            hero = {"type": "character", "name": "Ann", "visual_prompt": "a calm woman"}
            return Reply.json(200, {"entities": [hero]})
        if "group" in document:
            return Reply.json(200, {"approved": True})
        if "duration" in document:
            return self._clip
        return self.default


@contextmanager
def every_trade() -> Iterator[EveryTrade]:
    """A running one that is closed at the end."""
    provider = EveryTrade()
    try:
        yield provider
    finally:
        provider.close()
