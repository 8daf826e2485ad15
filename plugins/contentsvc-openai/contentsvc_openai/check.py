"""Whether orders would work: the endpoint is asked for its models, which costs nothing."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from contentsvc.plugin import CheckContext, ProviderError
from contentsvc_openai.sdk import document, opened

_NO_LIST: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)


def check(ctx: CheckContext) -> str:
    """What the endpoint answers; ProviderError where orders would fail."""
    if not ctx.base_url:
        raise ProviderError("The provider has no address: enter the one that ends in /v1.")
    with opened(ctx) as client:
        from openai import APIStatusError

        try:
            reply = client.models.with_raw_response.list().http_response
        except APIStatusError as error:
            if error.status_code in _NO_LIST:
                return "The endpoint answers, but has no list of models: the key was not tried."
            raise
    models = document(reply.content).get("data")
    if not isinstance(models, list):
        raise ProviderError("The endpoint answers, but not with a list of models.")
    return f"The key is accepted. The endpoint lists {len(models)} models."
