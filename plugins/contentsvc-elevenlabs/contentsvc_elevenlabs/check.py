"""Whether orders would work: ElevenLabs is asked for the account's voices, which costs nothing."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any, Final

from contentsvc.plugin import CheckContext, ProviderError
from contentsvc_elevenlabs.errors import raise_for
from contentsvc_elevenlabs.speech import UNREADABLE, authorization

MAX_BYTES: Final = 8 * 1024 * 1024


def check(ctx: CheckContext) -> str:
    """What the account has; ProviderError where orders would fail."""
    url = f"{ctx.base_url.rstrip('/')}/v1/voices"
    with ctx.http.stream("GET", url, headers=authorization(ctx.secret)) as reply:
        if reply.status_code == HTTPStatus.NOT_FOUND:
            raise ProviderError("The address answers, but has no list of voices.")
        raise_for(reply, ctx.secret)
        body = b""
        for piece in reply.iter_bytes():
            body += piece
            if len(body) > MAX_BYTES:
                raise ProviderError(UNREADABLE)
    try:
        document: Any = json.loads(body)
    except (ValueError, RecursionError):
        raise ProviderError(UNREADABLE) from None
    voices = document.get("voices") if isinstance(document, dict) else None
    if not isinstance(voices, list):
        raise ProviderError(UNREADABLE)
    return f"The key is accepted. The account has {len(voices)} voices."
