"""The asset library's API: one address for all actions, signed, beside the address of the models.

Not through the SDK: what knows these actions there brings an HTTP client of its own, which nothing
would keep to the service's outbound policy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import httpx

from contentsvc.plugin import Context
from contentsvc_authoring import member, text
from contentsvc_volcengine.client import unreadable
from contentsvc_volcengine.failures import reply_failure
from contentsvc_volcengine.keys import read_keys
from contentsvc_volcengine.signature import Signer

VERSION = "2024-01-01"
DEFAULT_REGION = "cn-beijing"


class AssetLibrary:
    """One call's way to the asset library of the provider's account."""

    def __init__(self, ctx: Context) -> None:
        self._keys = read_keys(ctx.secret)
        access_key_id, secret_access_key = self._keys.need("access_key_id", "secret_access_key")
        self._url, region = _control_plane(ctx)
        self._http = ctx.http
        self._signer = Signer(access_key_id, secret_access_key, region)

    def ask(self, action: str, body: Mapping[str, Any], *, places_order: bool) -> Mapping[str, Any]:
        """Carry out an action; its result. Raises ProviderError, httpx's transport errors."""
        query = {"Action": action, "Version": VERSION}
        content = json.dumps(dict(body), ensure_ascii=False).encode()
        url = httpx.URL(self._url, params=query)
        headers = self._signer.headers(url.netloc.decode("ascii"), query, content, datetime.now(UTC))
        reply = self._http.post(url, headers=headers, content=content)
        answer = _document(reply)
        if not reply.is_success or member(answer, "ResponseMetadata", "Error"):
            raise reply_failure(reply, self._keys, places_order=places_order)
        # Some actions are known to leave the envelope out.
        found = answer.get("Result") if "ResponseMetadata" in answer else answer
        if isinstance(found, Mapping) and found:
            return found
        raise unreadable(places_order=places_order)


def _document(reply: httpx.Response) -> Mapping[str, Any]:
    """The JSON object of a reply; empty where it is none."""
    try:
        found = reply.json()
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, Mapping) else {}


def _control_plane(ctx: Context) -> tuple[str, str]:
    """Address and region: by the host of the models' address, else that host itself."""
    base = httpx.URL(ctx.base_url)
    known = member(ctx.model.options, "control_planes", base.host)
    own = str(base.copy_with(path="/", query=None, fragment=None))
    return text(known, "url") or own, text(known, "region") or DEFAULT_REGION
