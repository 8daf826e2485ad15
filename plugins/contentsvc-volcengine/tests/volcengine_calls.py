"""Calls of this plugin's backends, with a local server that answers as a test has written down."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from volcengine_dialects import ACCESS_KEYS

from contentsvc.plugin import Capability, ModelInfo
from contentsvc.testing import Caller, Declared, Dialect, ProviderServer, Reply, Request, Subject, serving
from contentsvc_volcengine import plugin

DECLARED = Declared.of(plugin)
Answer = Reply | Callable[[Request], Reply]


@dataclass
class Call:
    caller: Caller
    server: ProviderServer

    @property
    def asked(self) -> list[Any]:
        """The JSON bodies of all requests, without the null that the SDK sends for what isn't set."""
        bodies = [request.json() for request in self.server.requests]
        return [{name: value for name, value in body.items() if value is not None} for body in bodies]


class _Named(Dialect):
    def __init__(self, capability: Capability, model: str, driver: str) -> None:
        self.capability = capability
        self.model = model
        self.driver = driver


@contextmanager
def calling(
    capability: Capability,
    answer: Answer,
    folder: Path,
    *,
    model: str = "",
    options: Mapping[str, Any] | None = None,
    secret: str | None = ACCESS_KEYS,
) -> Iterator[Call]:
    """``answer`` is the reply to everything, or finds one for each request; ``options`` are changes."""
    driver = "volcengine-speech" if capability is Capability.SPEECH else "volcengine"
    subject = Subject(DECLARED, _Named(capability, model, driver))
    found: ModelInfo = subject.model
    found = replace(found, options={**found.options, **(options or {})})
    reply = answer if callable(answer) else (lambda _: answer)
    with serving(reply) as server:
        base_url = f"{server.url}/api/v3"
        yield Call(Caller(subject.backend, found, base_url, secret, {}, folder), server)
