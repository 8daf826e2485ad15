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
from contentsvc_dashscope.driver import dashscope_driver, dashscope_models

KEY = "sk-test-0123456789abcdef"


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
        """A caller of the first declared model, or of the one with this ``name``.

        ``changes`` are options, and ``billing_unit``.
        """
        name = changes.pop("name", "")
        declared = next(
            model
            for model in dashscope_models()
            if model.capability is capability and name in ("", model.name)
        )
        unit = changes.pop("billing_unit", declared.billing_unit)
        options = {**declared.options, **changes}
        model = ModelInfo(declared.name, declared.endpoint, capability, options, unit)
        backend = dashscope_driver().capabilities[capability]
        return Caller(backend, model, self.server.url, KEY, {}, self.folder)


@contextmanager
def place_at(folder: Path) -> Iterator[Place]:
    """The server, closed at the end."""
    with serving(lambda _: made.replies.popleft()) as server:
        made = Place(server, folder)
        yield made


def photo(media_type: str = "image/png", data: bytes | None = None, url: str | None = None) -> MediaRef:
    """A picture that orders refer to."""
    return SampleMedia(picture() if data is None else data, media_type, public_url=url)


def reference(role: ReferenceRole = ReferenceRole.PRODUCT) -> ImageReference:
    """The same as a reference."""
    return ImageReference(role, photo())
