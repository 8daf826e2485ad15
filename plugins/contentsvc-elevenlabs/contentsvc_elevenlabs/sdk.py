"""The official SDK on the service's HTTP client. Nothing of it leaves the plugin, its errors least of all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

import httpx

from contentsvc.plugin import CheckContext, Context, OutcomeUnknown
from contentsvc_elevenlabs.errors import UNREADABLE, error_of

if TYPE_CHECKING:
    from elevenlabs.client import ElevenLabs
    from elevenlabs.core.request_options import RequestOptions

CONNECT_SECONDS: Final = 10.0
# The API has no idempotency key: a second request is a second order. Pieces of a file come in this size.
ONCE: Final[RequestOptions] = {"max_retries": 0, "chunk_size": 16 * 1024}


@contextmanager
def opened(ctx: Context | CheckContext, seconds: float | None = None) -> Iterator[ElevenLabs]:
    """A client for one call. What its methods raise comes out as the service's errors; httpx's pass.

    ``seconds`` is how long ElevenLabs may be silent; without it the service decides.
    """
    # Its import takes longer than all of ours together, and most processes never call it.
    from elevenlabs.client import ElevenLabs
    from elevenlabs.core.api_error import ApiError
    from elevenlabs.core.parse_error import ParsingError

    timeout = ctx.http.timeout if seconds is None else httpx.Timeout(seconds, connect=CONNECT_SECONDS)
    client = ElevenLabs(
        base_url=ctx.base_url,
        api_key=ctx.secret,  # not left out even where it is None: that would be the environment's
        timeout=cast(Any, timeout),
        httpx_client=ctx.http,
    )
    try:
        yield client
    except ApiError as error:
        raise error_of(error, ctx.secret) from None
    except (ParsingError, UnicodeDecodeError, RecursionError):
        # It reads refusals as JSON, before it looks at their status.
        raise OutcomeUnknown(UNREADABLE) from None
