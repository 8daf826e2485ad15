from importlib import metadata

import pytest
from google_calls import KEY, Place
from google_dialects import failed

from contentsvc.plugin import AuthenticationFailed, Driver, Model, ProviderError
from contentsvc.testing import Declared, Reply
from contentsvc_google import plugin


@pytest.fixture
def driver() -> Driver:
    return Declared.of(plugin).drivers["google"]


@pytest.fixture
def models() -> list[Model]:
    return list(Declared.of(plugin).models)


def test_entry_point_leads_to_the_plugin() -> None:
    (entry,) = [
        found for found in metadata.entry_points(group="contentsvc.plugins") if found.name == "google"
    ]
    assert entry.load() is plugin


def test_an_order_without_a_key_is_refused_by_the_service(driver: Driver) -> None:
    assert driver.needs_secret


def test_no_model_becomes_a_default_by_itself(models: list[Model]) -> None:
    assert not any(model.is_default for model in models)


def test_no_order_of_unknown_outcome_is_repeated(models: list[Model]) -> None:
    assert not any(model.options.get("resubmit_safe") for model in models)


def test_every_capability_has_a_model(driver: Driver, models: list[Model]) -> None:
    assert {model.capability for model in models} == set(driver.capabilities)


class CheckPlace:
    """What a check gets."""

    def __init__(self, place: Place) -> None:
        import httpx

        self.base_url = place.server.url
        self.secret = KEY
        self.http = httpx.Client(trust_env=False)


def checked(driver: Driver, google: Place, reply: Reply) -> str:
    google.replies.append(reply)
    context = CheckPlace(google)
    assert driver.check is not None
    with context.http:
        return driver.check(context)


def test_the_check_counts_models(driver: Driver, google: Place) -> None:
    said = checked(driver, google, Reply.json({"models": [{"name": "models/a"}, {"name": "models/b"}]}))
    assert said == "The key is accepted. Google lists 2 models."
    (request,) = google.requests
    assert (request.method, request.path) == ("GET", "/v1beta/models")
    assert request.headers["x-goog-api-key"] == KEY


def test_the_check_tells_a_wrong_key(driver: Driver, google: Place) -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
    with pytest.raises(AuthenticationFailed):
        checked(driver, google, failed(400, "API key not valid.", details=details))


def test_the_check_tells_another_address(driver: Driver, google: Place) -> None:
    with pytest.raises(ProviderError, match="list of models"):
        checked(driver, google, Reply.json({"data": []}))
