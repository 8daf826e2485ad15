"""Whether orders would work: the endpoint is asked for its models, which costs nothing."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from contentsvc.plugin import CheckContext, ProviderError
from contentsvc_openai.wire import address, authorization, document, read, read_error

MAX_BYTES: Final = 4 * 1024 * 1024


def check(ctx: CheckContext) -> str:
    """What the endpoint answers; ProviderError where orders would fail."""
    if not ctx.base_url:
        raise ProviderError("The provider has no address: enter the one that ends in /v1.")
    with ctx.http.stream("GET", address(ctx.base_url, "models"), headers=authorization(ctx.secret)) as reply:
        if reply.status_code in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED):
            return "The endpoint answers, but has no list of models: the key was not tried."
        read_error(reply, ctx.secret)
        models = document(read(reply, MAX_BYTES)).get("data")
    if not isinstance(models, list):
        raise ProviderError("The endpoint answers, but not with a list of models.")
    return f"The key is accepted. The endpoint lists {len(models)} models."
