"""A provider's HTTP interface, as far as those of different providers are alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote

import httpx

from contentsvc.plugin import CheckContext, MediaRef
from contentsvc_declared.replies import Provider, before_the_order, placing

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True)
class Api:
    """For one call: paths below the base URL, and the key in a header of the given scheme."""

    provider: Provider
    ctx: CheckContext
    scheme: str = "Bearer"

    @property
    def headers(self) -> dict[str, str]:
        """The header with the key, where there is one."""
        return {"Authorization": f"{self.scheme} {self.ctx.secret}"} if self.ctx.secret else {}

    def url(self, path: str) -> str:
        """The address of a path."""
        return f"{self.ctx.base_url.rstrip('/')}/{quote(path)}"

    def get(self, path: str) -> httpx.Response:
        """Ask for something that costs nothing."""
        return self.ctx.http.get(self.url(path), headers=self.headers)

    def ask(self, path: str) -> dict[str, Any]:
        """The same, read: see :meth:`Provider.told`."""
        return self.provider.told(self.get(path))

    def order(
        self, path: str, document: Mapping[str, Any], headers: Mapping[str, str] = _NOTHING
    ) -> httpx.Response:
        """Send what is paid for: once, and not at all without a connection."""
        with placing():
            return self.ctx.http.post(self.url(path), json=document, headers={**self.headers, **headers})

    def upload(self, path: str, field: str, media: MediaRef, name: str, **fields: str) -> dict[str, Any]:
        """Bring a picture there before it is ordered, as a form of a file and other fields."""
        with before_the_order(), media.open() as stream:
            reply = self.ctx.http.post(
                self.url(path),
                files={field: (name, stream, media.media_type)},
                data=fields,
                headers=self.headers,
            )
        return self.provider.told(reply)
