"""The administrator's test call: what a provider's driver finds out without an order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from pyramid.registry import Registry

from contentsvc.backoffice.models import AuditRecord
from contentsvc.db.session import engine_of
from contentsvc.plugin import AuthenticationFailed, Capability, CheckContext, Driver, ProviderError
from contentsvc.providers.calls import DEFECT
from contentsvc.providers.checks import CheckResult, check_provider
from contentsvc.providers.models import Provider
from contentsvc.providers.plugins import Plugins, install, plugins_of
from tests.fakes.provider import FakeProvider, fake_provider
from tests.functional.calling import CANARY, SOURCE, Backend
from tests.functional.conftest import Client

PROVIDERS = "/api/admin/providers/"
Check = Callable[[CheckContext], str]


@pytest.fixture
def use(registry: Registry) -> Iterator[Callable[..., None]]:
    """``use(check)``: driver ``acme`` has this check."""
    before = plugins_of(registry)

    def install_driver(check: Check | None, *, needs_secret: bool = False) -> None:
        capabilities: Any = {Capability.IMAGE_GENERATION: Backend}
        plugins = Plugins()
        driver = Driver("acme", "Acme", capabilities, needs_secret=needs_secret, check=check)
        plugins.declared.drivers["acme"] = (SOURCE, driver)
        plugins.settings["acme"] = {"quality": "80"}
        install(registry, plugins)

    yield install_driver
    install(registry, before)


@pytest.fixture
def server() -> Iterator[FakeProvider]:
    with fake_provider() as server:
        yield server


def add_provider(admin: Client, **fields: Any) -> str:
    body = {"name": "acme", "display_name": "Acme", **fields}
    return str(admin.post_json(PROVIDERS, body, status=201).json["id"])


def outcome(admin: Client, **fields: Any) -> dict[str, Any]:
    reply: dict[str, Any] = admin.post(f"{PROVIDERS}{add_provider(admin, **fields)}/test/", status=200).json
    return reply


def raising(error: Exception) -> Check:
    def check(_ctx: CheckContext) -> str:
        raise error

    return check


def test_the_drivers_own_check_is_called_with_what_the_administrator_set(
    admin: Client, use: Callable[..., None], registry: Registry
) -> None:
    seen: dict[str, Any] = {}

    def check(ctx: CheckContext) -> str:
        seen.update(url=ctx.base_url, key=ctx.secret, quality=ctx.settings["quality"])
        seen.update(folder=ctx.work_dir.is_dir(), connections=engine_of(registry).pool.checkedout())
        return "17 models, paid until May."

    use(check)
    reply = outcome(admin, base_url="https://api.acme.test/v1", api_key=CANARY)
    assert (reply["ok"], reply["detail"]) == (True, "17 models, paid until May.")
    assert isinstance(reply["latency_ms"], int)
    assert seen == {
        "url": "https://api.acme.test/v1",
        "key": CANARY,
        "quality": "80",
        "folder": True,
        "connections": 0,
    }


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (AuthenticationFailed(f"The key {CANARY} is unknown."), "The key [hidden] is unknown."),
        (ProviderError("See https://acme.test/billing."), "See [link]"),
        (ProviderError(""), DEFECT),
        (httpx.ReadTimeout("slow"), "The provider did not answer in time."),
        (httpx.ConnectError(f"no route to {CANARY}"), "The provider can't be reached."),
        (RuntimeError(CANARY), DEFECT),
    ],
)
def test_what_goes_wrong_is_told_without_keys_and_addresses(
    admin: Client,
    use: Callable[..., None],
    error: Exception,
    detail: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    use(raising(error))
    reply = outcome(admin, api_key=CANARY)
    assert (reply["ok"], reply["detail"]) == (False, detail)
    assert CANARY not in "".join(capfd.readouterr())


def test_a_driver_that_is_not_installed_is_told(admin: Client) -> None:
    reply = outcome(admin, driver="elsewhere")
    assert reply == {
        "ok": False,
        "latency_ms": reply["latency_ms"],
        "detail": "The plugin behind this provider is not installed.",
    }


def test_a_key_that_is_needed_and_missing_is_told(admin: Client, use: Callable[..., None]) -> None:
    use(lambda _ctx: "fine", needs_secret=True)
    reply = outcome(admin)
    assert (reply["ok"], reply["detail"]) == (False, "No API key is set for this provider.")


def test_a_key_nobody_can_read_is_told(
    admin: Client, use: Callable[..., None], registry: Registry, database: Any
) -> None:
    use(lambda _ctx: "fine")
    with database() as session:
        row = Provider(name="acme", display_name="Acme", driver="acme", api_key_encrypted=b"damaged")
        session.add(row)
    assert "can't be read" in check_provider(registry, row).detail


class TestWithoutACheckOfItsOwn:
    """All the service can do for such a driver is look whether the address answers."""

    def test_any_answer_will_do_and_the_key_stays_here(
        self, admin: Client, use: Callable[..., None], server: FakeProvider
    ) -> None:
        use(None)
        reply = outcome(admin, base_url=f"{server.url}/nowhere", api_key=CANARY)
        assert reply["ok"] is True
        assert "answers (HTTP" in reply["detail"]
        assert "key was not tried" in reply["detail"]

    def test_an_address_nobody_listens_at_is_told(self, admin: Client, use: Callable[..., None]) -> None:
        use(None)
        reply = outcome(admin, base_url="http://127.0.0.1:9")
        assert (reply["ok"], reply["detail"]) == (False, "The provider can't be reached.")

    def test_no_address_is_said(self, admin: Client, use: Callable[..., None]) -> None:
        use(None)
        assert "names no address" in outcome(admin)["detail"]


def test_a_check_that_hangs_is_given_up_and_not_begun_twice(
    registry: Registry, use: Callable[..., None], database: Any
) -> None:
    ended, done = threading.Event(), threading.Event()

    def hang(_ctx: CheckContext) -> str:
        ended.wait(30)
        done.set()
        return "at last"

    use(hang)
    with database() as session:
        row = Provider(name="acme", display_name="Acme", driver="acme")
        session.add(row)
    first = check_provider(registry, row, seconds=0.05)
    second = check_provider(registry, row, seconds=5)
    ended.set()
    assert done.wait(30)
    assert first == CheckResult(False, first.latency_ms, "The provider did not answer within 0.05 seconds.")
    assert 50 <= first.latency_ms < 5000
    assert second.detail == "A test of this provider is still running."


def test_a_test_is_no_change(admin: Client, use: Callable[..., None], database: Any) -> None:
    use(lambda _ctx: "fine")
    outcome(admin)
    with database() as session:
        assert [row.action for row in session.query(AuditRecord)] == ["provider.create"]


def test_an_unknown_provider_is_not_found(admin: Client) -> None:
    assert admin.post(f"{PROVIDERS}x/test/", status=404).json["code"] == "not_found"


def test_a_teams_owner_has_no_business_here(owner: Client, admin: Client) -> None:
    assert owner.post(f"{PROVIDERS}{add_provider(admin)}/test/", status=403)


@pytest.mark.parametrize("name", ["studio", "ffmpeg"])
def test_what_comes_with_the_service_works(admin: Client, name: str) -> None:
    row = next(row for row in admin.get(PROVIDERS).json if row["name"] == name)
    reply = admin.post(f"{PROVIDERS}{row['id']}/test/").json
    assert (reply["ok"], "has just" in reply["detail"]) == (True, True)
