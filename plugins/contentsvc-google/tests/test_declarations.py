from importlib import metadata

import pytest
from google_calls import KEY, Place
from google_dialects import failed

from contentsvc.plugin import AuthenticationFailed, Capability, Driver, Model
from contentsvc.testing import Declared, Reply
from contentsvc.testing.calling import Outcome
from contentsvc_google import plugin
from contentsvc_google.check import check


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


def checked(google: Place, reply: Reply) -> Outcome:
    google.replies.append(reply)
    return google.caller(Capability.SCRIPT).check(check)


def test_the_check_counts_models(google: Place) -> None:
    said = checked(google, Reply.json({"models": [{"name": "models/a"}, {"name": "models/b"}]})).answer
    assert said == "The key is accepted. Google lists 2 models."
    (request,) = google.requests
    assert (request.method, request.target) == ("GET", "/v1beta/models?pageSize=1000")
    assert request.headers["x-goog-api-key"] == KEY


def test_the_check_tells_a_wrong_key(google: Place) -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
    error = checked(google, failed(400, "API key not valid.", details=details)).error
    assert isinstance(error, AuthenticationFailed)


def test_the_check_refuses_to_go_without_a_key(google: Place) -> None:
    caller = google.caller(Capability.SCRIPT)
    caller.secret = None
    assert isinstance(caller.check(check).error, AuthenticationFailed)
    assert google.requests == []


@pytest.mark.parametrize("body", [b'{"data": []}', b'{"models": 7}', b"[]", b"<html>", b'{"models": [7]}'])
def test_the_check_tells_another_address(google: Place, body: bytes) -> None:
    error = checked(google, Reply(200, body)).error
    assert error is not None
    assert "list of models" in error.public_message
