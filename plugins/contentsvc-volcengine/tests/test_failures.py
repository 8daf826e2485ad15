import httpx
import pytest

from contentsvc.plugin import (
    AuthenticationFailed,
    ContentRejected,
    OutcomeUnknown,
    ProviderError,
    RateLimited,
)
from contentsvc_volcengine.failures import REAL_PERSON, reply_failure
from contentsvc_volcengine.keys import Keys

KEYS = Keys({"api_key": "ark-1234"})


def failure(status: int, code: str, message: str = "", *, places_order: bool = True) -> ProviderError:
    error = {"code": code, "message": message, "param": "", "type": "x"}
    return reply_failure(httpx.Response(status, json={"error": error}), KEYS, places_order=places_order)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "MissingParameter", ProviderError),
        (400, "InvalidParameter.TaskTypeMismatch", ProviderError),
        (400, "InvalidImageURL.EmptyURL", ProviderError),
        (400, "SensitiveContentDetected.SevereViolation", ContentRejected),
        (400, "InputImageSensitiveContentDetected", ContentRejected),
        (400, "InputTextRiskDetection", ContentRejected),
        (400, "OutputVideoSensitiveContentDetected.PolicyViolation", ContentRejected),
        (401, "AuthenticationError", AuthenticationFailed),
        (401, "InvalidAccountStatus", AuthenticationFailed),
        (403, "AccessDenied", AuthenticationFailed),
        (403, "OperationDenied.ServiceNotOpen", AuthenticationFailed),
        (403, "AccountOverdueError", ProviderError),
        (404, "ModelNotOpen", AuthenticationFailed),
        (404, "InvalidEndpointOrModel.NotFound", ProviderError),
        (429, "RateLimitExceeded.EndpointRPMExceeded", RateLimited),
        (429, "ServerOverloaded", RateLimited),
        (429, "QuotaExceeded", RateLimited),
    ],
)
def test_documented_codes_have_their_meaning(status: int, code: str, kind: type[ProviderError]) -> None:
    error = failure(status, code)
    assert isinstance(error, kind)
    assert error.retryable is (kind is RateLimited)
    if kind is ProviderError:
        assert not isinstance(error, AuthenticationFailed | ContentRejected)


def test_a_real_person_is_sent_to_review() -> None:
    error = failure(400, "InputImageSensitiveContentDetected.PrivacyInformation")
    assert (type(error), error.public_message) == (ContentRejected, REAL_PERSON)


def test_a_server_error_after_an_order_is_of_unknown_outcome() -> None:
    assert isinstance(failure(500, "InternalServiceError"), OutcomeUnknown)


def test_a_server_error_after_a_question_passes() -> None:
    error = failure(500, "InternalServiceError", places_order=False)
    assert (type(error), error.retryable) == (ProviderError, True)


def test_what_is_said_of_a_bad_request_is_passed_on_without_key_link_and_request_id() -> None:
    error = failure(400, "InvalidParameter", "ark-1234 wants size, see https://x.test/a. Request id: 02174")
    assert error.public_message == "Volcengine refuses this order (HTTP 400): [hidden] wants size, see"
