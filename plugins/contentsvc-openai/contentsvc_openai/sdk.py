"""The official SDK on the service's HTTP client. Nothing of it leaves the plugin, its errors least of all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

import httpx

from contentsvc.plugin import CheckContext, Context, ProviderError, retry_after
from contentsvc_openai.errors import UNREADABLE, Refusal, error_of

if TYPE_CHECKING:
    from openai import OpenAI

CONNECT_SECONDS: Final = 10.0


@contextmanager
def opened(ctx: Context | CheckContext, seconds: float | None = None) -> Iterator[OpenAI]:
    """A client for one call. What its methods raise comes out as the service's errors, or as httpx's.

    ``seconds`` is how long the endpoint may be silent; without it the service decides.
    """
    # Its import takes longer than all of ours together, and most processes never call an endpoint.
    import openai

    timeout = ctx.http.timeout if seconds is None else httpx.Timeout(seconds, connect=CONNECT_SECONDS)
    client = openai.OpenAI(
        api_key=ctx.secret or "none",
        base_url=ctx.base_url,
        timeout=cast(Any, timeout),
        max_retries=0,  # the API has no idempotency key: a second request is a second order
        http_client=cast(Any, ctx.http),
    )
    # It has looked into the environment, which is the machine's; what is sent is the provider row's business.
    client.organization = client.project = None
    client._custom_headers = {}  # noqa: SLF001  # OPENAI_CUSTOM_HEADERS can't be declined otherwise
    try:
        yield client
    except openai.APIConnectionError as error:
        # By httpx's own error the service tells whether the order may have been taken.
        raise error.__cause__ or error from None
    except openai.APIStatusError as error:
        pause = retry_after(cast(httpx.Response, error.response))
        raise error_of(Refusal.of(error), ctx.secret, pause) from None
    except openai.APIError as error:  # an event of a stream
        raise error_of(Refusal.of(error), ctx.secret) from None


def document(data: bytes) -> dict[str, Any]:
    """A reply's JSON object; NaN and Infinity in it become None. Raises ProviderError for anything else.

    The SDK's own reading is for the endpoints that keep to the API: it hands on whatever comes.
    """
    try:
        found = json.loads(data, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        raise ProviderError(UNREADABLE) from None
    if not isinstance(found, dict):
        raise ProviderError(UNREADABLE)
    return found
