from importlib import metadata
from types import SimpleNamespace

import httpx
import pytest
from dashscope_calls import KEY, Place
from dashscope_dialects import failed

from contentsvc.plugin import AuthenticationFailed, Driver, Model, ProviderError
from contentsvc.testing import Declared, Reply
from contentsvc_dashscope import plugin


@pytest.fixture
def driver() -> Driver:
    return Declared.of(plugin).drivers["dashscope"]


@pytest.fixture
def models() -> list[Model]:
    return list(Declared.of(plugin).models)


def test_entry_point_leads_to_the_plugin() -> None:
    (entry,) = [
        found for found in metadata.entry_points(group="contentsvc.plugins") if found.name == "dashscope"
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


def checked(driver: Driver, studio: Place, reply: Reply, path: str = "") -> str:
    studio.replies.append(reply)
    assert driver.check is not None
    with httpx.Client(trust_env=False) as client:
        return driver.check(SimpleNamespace(base_url=studio.server.url + path, secret=KEY, http=client))


@pytest.mark.parametrize("path", ["", "/", "/api/v1", "/compatible-mode/v1/"])
def test_the_check_asks_for_tasks_whatever_way_the_address_is_written(
    driver: Driver, studio: Place, path: str
) -> None:
    assert (
        checked(driver, studio, Reply.json({"request_id": "r", "data": []}), path) == "The key is accepted."
    )
    (request,) = studio.requests
    assert (request.method, request.target) == ("GET", "/api/v1/tasks?page_no=1&page_size=1")
    assert request.headers["Authorization"] == f"Bearer {KEY}"


def test_the_check_tells_a_wrong_key(driver: Driver, studio: Place) -> None:
    with pytest.raises(AuthenticationFailed):
        checked(driver, studio, failed(401, "Invalid API-key provided."))


def test_the_check_tells_another_address(driver: Driver, studio: Place) -> None:
    with pytest.raises(ProviderError, match="not as Model Studio"):
        checked(driver, studio, Reply.json({"data": []}))
