from __future__ import annotations

from typing import Any, cast

import httpx
import openai
import pytest
from openai_endpoint import KEY

from contentsvc.plugin import (
    AuthenticationFailed,
    ContentRejected,
    OutcomeUnknown,
    ProviderError,
    RateLimited,
)
from contentsvc_openai.errors import Refusal, error_of


@pytest.mark.parametrize(
    ("refusal", "kind", "retryable"),
    [
        (Refusal(401), AuthenticationFailed, False),
        (Refusal(403), AuthenticationFailed, False),
        (Refusal(403, text="Blocked by our content policy."), ContentRejected, False),
        (Refusal(402), ProviderError, False),
        (Refusal(404, "model_not_found"), ProviderError, False),
        (Refusal(422, "content_filter"), ContentRejected, False),
        (Refusal(429), RateLimited, True),
        (Refusal(429, "insufficient_quota"), ProviderError, False),
        (Refusal(408), OutcomeUnknown, False),
        (Refusal(500), OutcomeUnknown, False),
        (Refusal(504), OutcomeUnknown, False),
        (Refusal(503), ProviderError, True),
        (Refusal(301), ProviderError, False),
    ],
)
def test_a_status_means_one_error(refusal: Refusal, kind: type[ProviderError], retryable: bool) -> None:
    error = error_of(refusal)
    assert (type(error), error.retryable) == (kind, retryable)


@pytest.mark.parametrize("status", [429, 503, 529])
def test_the_pause_that_is_asked_for_is_kept(status: int) -> None:
    error = error_of(Refusal(status), pause=7.0)
    assert isinstance(error, RateLimited)
    assert error.retry_after == 7


@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        ({"error": {"message": "No.", "code": "a", "param": "b"}}, Refusal(400, "a", "b", "No.")),
        ({"error": {"message": "No.", "type": "t", "code": None}}, Refusal(400, "t", "", "No.")),
        ({"object": "error", "message": "No.", "code": 400}, Refusal(400, "400", "", "No.")),
        ({"error": {"message": ["No."], "code": {}, "type": 5, "param": []}}, Refusal(400, "{}")),
        ({"error": "No."}, Refusal(400, text="No.")),
        ({"detail": "No."}, Refusal(400, text="No.")),
        (["No."], Refusal(400)),
        (None, Refusal(400)),
    ],
)
def test_errors_are_read_in_the_forms_that_there_are(body: object, refusal: Refusal) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(400, json=body))
    with httpx.Client(transport=transport) as http:
        client = openai.OpenAI(api_key=KEY, http_client=cast(Any, http), max_retries=0)
        with pytest.raises(openai.BadRequestError) as caught:
            client.models.list()
    assert Refusal.of(caught.value) == refusal


def test_the_key_is_no_code() -> None:
    error = error_of(Refusal(400, "sk-secret-1234", "size"), secret="sk-secret-1234")
    assert error.public_message == "The provider refuses the order (HTTP 400, field size)."
