"""Calls of the plugin as the service makes them, to a local server that answers what it is told."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contentsvc.plugin import Capability, ImageReference, MediaRef, ModelInfo, ReferenceRole
from contentsvc.testing import Caller, ProviderServer, Reply, Request, SampleMedia, serving
from contentsvc.testing.samples import picture
from contentsvc_google.driver import google_driver, google_models

KEY = "AIza-test-0123456789abcdef"


@dataclass
class Place:
    """The server; ``replies`` are used up by its requests."""

    server: ProviderServer
    folder: Path
    replies: deque[Reply] = field(default_factory=deque)

    @property
    def requests(self) -> list[Request]:
        return self.server.requests

    @property
    def body(self) -> Any:
        """What the only order said."""
        (request,) = [request for request in self.requests if request.method == "POST"]
        return request.json()

    def caller(self, capability: Capability, **changes: Any) -> Caller:
        """A caller of the declared model; ``changes`` are options, and ``billing_unit``."""
        (declared,) = [model for model in google_models() if model.capability is capability]
        unit = changes.pop("billing_unit", declared.billing_unit)
        options = {**declared.options, **changes}
        model = ModelInfo(declared.name, declared.endpoint, capability, options, unit)
        backend = google_driver().capabilities[capability]
        return Caller(backend, model, self.server.url, KEY, {}, self.folder)


@contextmanager
def place_at(folder: Path) -> Iterator[Place]:
    """The server, closed at the end."""
    with serving(lambda _: made.replies.popleft()) as server:
        made = Place(server, folder)
        yield made


def photo(media_type: str = "image/png", data: bytes | None = None) -> MediaRef:
    return SampleMedia(picture() if data is None else data, media_type)


def reference(role: ReferenceRole = ReferenceRole.PRODUCT) -> ImageReference:
    return ImageReference(role, photo())
