"""How ElevenLabs speaks."""

from __future__ import annotations

from typing import Any

from contentsvc.plugin import Capability
from contentsvc.testing import Dialect, Kind, Made, Reply, Request

GEORGE = "JBFqnCBsd6RMkjVDRZzb"


def refusal(status: int, name: str, message: str = "No.") -> Reply:
    """An error as ElevenLabs words it."""
    return Reply.json({"detail": {"status": name, "message": message}}, status)


class Voices(Dialect):
    """How ElevenLabs speaks; ``changed`` are options of the model."""

    capability = Capability.SPEECH

    def __init__(self, **changed: Any) -> None:
        self.options = changed

    def kind(self, request: Request) -> Kind:
        return Kind.ORDER if request.method == "POST" else Kind.ASIDE

    def checked(self, request: Request) -> Reply:
        return Reply.json({"voices": [{"voice_id": "a"}, {"voice_id": "b"}]})

    def done(self, made: Made, request: Request) -> Reply:
        return Reply.file(made.file, "audio/mpeg")

    def error(self, status: int, message: str, request: Request) -> Reply:
        return refusal(status, "error", message)

    def refused(self, request: Request) -> Reply:
        return refusal(400, "bad_prompt", "This text appears to violate our Terms of Service.")
