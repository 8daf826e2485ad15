"""Everything that can happen between this plugin and an endpoint; see the kit's documentation."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict
from typing import Any

import pytest
from openai_endpoint import chunk, error, streamed

from contentsvc.plugin import Capability
from contentsvc.testing import (
    Case,
    Declared,
    Dialect,
    Made,
    Reply,
    Request,
    Subject,
    cases_of,
    conformance,
    play,
)
from contentsvc_openai import plugin


class Endpoint(Dialect):
    """What all operations have in common."""

    base_path = "/v1"

    def error(self, status: int, message: str, request: Request) -> Reply:
        return error(status, message)

    def refused(self, request: Request) -> Reply:
        return error(400, "Your request was rejected by the safety system.", code="moderation_blocked")


class Scripts(Endpoint):
    capability = Capability.SCRIPT
    reports_usage = True

    def done(self, made: Made, request: Request) -> Reply:
        answer = {
            "plan": "A grey street, then the cup.",
            "segments": [asdict(item) for item in made.segments],
        }
        return _said(answer, made.usage)


class Entities(Endpoint):
    capability = Capability.ENTITY_EXTRACTION
    reports_usage = True

    def done(self, made: Made, request: Request) -> Reply:
        return _said({"entities": [asdict(item) for item in made.entities]}, made.usage)

    def twice(self, made: Made, request: Request) -> Reply:
        return self.done(Made(entities=made.entities * 2), request)


class Pictures(Endpoint):
    """Pictures in the reply itself, of a model that is billed by tokens."""

    def __init__(self, capability: Capability) -> None:
        self.capability = capability

    def done(self, made: Made, request: Request) -> Reply:
        return Reply.json({"data": [_picture(made)], "usage": {"total_tokens": made.usage}})

    def twice(self, made: Made, request: Request) -> Reply:
        return Reply.json({"data": [_picture(made)] * 2, "usage": {"total_tokens": made.usage}})


class LinkedPictures(Endpoint):
    """Pictures behind a link, as compatible endpoints hand them over."""

    capability = Capability.IMAGE_GENERATION
    has_link = True

    def done(self, made: Made, request: Request) -> Reply:
        return Reply.json({"data": [{"url": made.link}]})


class Voices(Endpoint):
    capability = Capability.SPEECH

    def done(self, made: Made, request: Request) -> Reply:
        return Reply.file(made.file, made.media_type)


def _said(answer: dict[str, Any], usage: Any) -> Reply:
    text = json.dumps(answer, default=str)
    pieces = [text[at : at + 40] for at in range(0, len(text), 40)]
    figures = {"prompt_tokens": 10, "completion_tokens": usage, "total_tokens": usage}
    return streamed(
        *(chunk({"content": piece}) for piece in pieces),
        chunk(finish="stop"),
        {"choices": [], "usage": figures},
    )


def _picture(made: Made) -> dict[str, str]:
    return {"b64_json": base64.b64encode(made.file).decode()}


test_conformance = conformance(
    plugin,
    Scripts(),
    Entities(),
    Pictures(Capability.IMAGE_GENERATION),
    Pictures(Capability.IMAGE_EDIT),
    Voices(),
)


@pytest.mark.parametrize(
    "case",
    [found for found in cases_of(LinkedPictures()) if found.name.startswith(("link-", "success"))],
    ids=lambda found: found.name,
)
def test_links_are_followed_as_they_should(case: Case) -> None:
    play(Subject(Declared.of(plugin), LinkedPictures()), case)
