"""A provider's result, fetched by his link: whole, of a sane size, and without his key for anybody else."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

import httpx
import pytest

from contentsvc.plugin import OutcomeUnknown, ProviderError
from contentsvc.providers.context import CallContext
from contentsvc.providers.downloads import CANCELLED, EMPTY, GONE, LINK_REFUSED, NO_FILE, too_large
from contentsvc.providers.models import ModelConfig
from tests.fakes.provider import PICTURE
from tests.functional.calling import CANARY, Backend, Call, add_model, caller, drivers
from tests.functional.listening import AWAY, HOME, Page, Site, gateway, site


@pytest.fixture(scope="module")
def home() -> Iterator[Site]:
    """The provider's own host."""
    with site() as made:
        yield made


@pytest.fixture(scope="module")
def away() -> Iterator[Site]:
    """Another host, where he keeps his files."""
    with site(AWAY) as made:
        yield made


@pytest.fixture
def model(registry: Any, database: Any, home: Site) -> ModelConfig:
    row = add_model(registry, database)
    row.provider.base_url = f"{home.url}/v1"
    return row


@pytest.fixture
def use_driver(registry: Any) -> Iterator[Any]:
    with drivers(registry) as use:
        yield use


@pytest.fixture
def call(
    registry: Any, model: ModelConfig, owner: Any, use_driver: Any, monkeypatch: pytest.MonkeyPatch
) -> Call:
    monkeypatch.setitem(registry, "contentsvc.provider_gateway", gateway(ip_network(HOME), ip_network(AWAY)))
    return caller(registry, model, owner.team_id)


@pytest.fixture(autouse=True)
def fresh(home: Site, away: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CallContext, "download_pauses", (0.0, 0.0))
    for made in (home, away):
        made.pages.clear()
        made.seen.clear()


def test_a_file_lies_in_the_work_folder_under_the_name_that_was_given(call: Call, home: Site) -> None:
    home.pages["/f"] = Page(body=PICTURE)
    with call() as (_, ctx):
        path = ctx.download(f"{home.url}/f", name="picture.png")
        assert (path, path.read_bytes()) == (ctx.work_dir / "picture.png", PICTURE)
        assert [file.name for file in ctx.work_dir.iterdir()] == ["picture.png"]


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "/etc/passwd"])
def test_a_name_that_leads_elsewhere_is_the_plugins_mistake(call: Call, home: Site, name: str) -> None:
    with call() as (_, ctx), pytest.raises(ValueError, match="plain file name"):
        ctx.download(f"{home.url}/f", name=name)
    assert home.seen == []


def test_a_second_file_of_the_same_name_is_too(call: Call, home: Site) -> None:
    home.pages["/f"] = Page(body=PICTURE)
    with call() as (_, ctx):
        ctx.download(f"{home.url}/f", name="picture.png")
        with pytest.raises(ValueError, match="already"):
            ctx.download(f"{home.url}/f", name="picture.png")


def test_headers_are_for_the_providers_host(call: Call, home: Site) -> None:
    home.pages["/f"] = Page(body=PICTURE)
    with call() as (_, ctx):
        ctx.download(f"{home.url}/f", name="f", headers={"Authorization": f"Bearer {ctx.secret}"})
    assert home.seen[0][1]["authorization"] == f"Bearer {CANARY}"


def test_no_other_host_sees_the_key(call: Call, home: Site, away: Site) -> None:
    """Neither the headers of the download, nor what the plugin has set on its client, nor cookies."""
    away.pages["/f"] = Page(body=PICTURE)
    home.pages["/link"] = Page(
        302, headers={"Location": f"{away.url}/f", "Set-Cookie": f"key={CANARY}; Path=/"}
    )
    with call() as (_, ctx):
        ctx.http.headers["X-Key"] = ctx.secret
        headers = {"Authorization": f"Bearer {ctx.secret}"}
        ctx.download(f"{away.url}/f", name="direct", headers=headers)
        ctx.download(f"{home.url}/link", name="redirected", headers=headers)
    assert len(away.seen) == 2
    assert CANARY not in str(away.seen)


def test_a_port_of_the_same_host_is_another_host(call: Call, home: Site) -> None:
    with site() as neighbour:
        neighbour.pages["/f"] = Page(body=PICTURE)
        with call() as (_, ctx):
            ctx.download(f"{neighbour.url}/f", name="f", headers={"Authorization": CANARY})
    assert CANARY not in str(neighbour.seen)


def test_three_redirects_are_followed_and_not_a_fourth(call: Call, home: Site) -> None:
    for number in range(4):
        home.pages[f"/{number}"] = Page(307, headers={"Location": f"/{number + 1}"})
    home.pages["/4"] = Page(body=PICTURE)
    with call() as (_, ctx):
        assert ctx.download(f"{home.url}/1", name="f").read_bytes() == PICTURE
        with pytest.raises(ProviderError, match=LINK_REFUSED):
            ctx.download(f"{home.url}/0", name="g")


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (Page(404), GONE),
        (Page(403, b"<Error>Expired</Error>"), GONE),
        (Page(410), GONE),
        (Page(206, PICTURE), GONE),
        (Page(302), LINK_REFUSED),
        (Page(200, b"\n <!DOCTYPE HTML><html>no</html>"), NO_FILE),
        (Page(200, b"\xef\xbb\xbf<html lang=en>"), NO_FILE),
        (Page(200, PICTURE, {"Content-Type": "text/html; charset=utf-8"}), NO_FILE),
        (Page(200, b""), EMPTY),
        (Page(200, b"x" * 2000), too_large(1000)),
        (Page(200, endless=True), too_large(1000)),
    ],
)
def test_what_is_no_result_is_refused_and_leaves_nothing(
    call: Call, home: Site, page: Page, message: str
) -> None:
    home.pages["/f"] = page
    with call() as (_, ctx):
        with pytest.raises(ProviderError) as caught:
            ctx.download(f"{home.url}/f", name="f", max_bytes=1000)
        assert list(ctx.work_dir.iterdir()) == []
    assert (caught.value.public_message, caught.value.retryable) == (message, False)


@pytest.mark.parametrize("page", [Page(500), Page(503), Page(429), Page(200, PICTURE, length=10_000)])
def test_what_may_be_there_in_a_moment_is_a_transport_error(call: Call, home: Site, page: Page) -> None:
    home.pages["/f"] = page
    with call() as (_, ctx):
        with pytest.raises(httpx.TransportError):
            ctx.download(f"{home.url}/f", name="f")
        assert list(ctx.work_dir.iterdir()) == []
    assert len(home.seen) == 3


def test_it_is_tried_again_before_that(call: Call, home: Site) -> None:
    home.pages["/f"] = Page(503, then=Page(200, PICTURE, length=10_000, then=Page(200, PICTURE)))
    with call() as (_, ctx):
        assert ctx.download(f"{home.url}/f", name="f").read_bytes() == PICTURE


def test_a_host_who_does_not_answer_is_not_asked_again(call: Call, home: Site) -> None:
    home.pages["/f"] = Page(200, PICTURE, wait=1.0)
    with call() as (_, ctx):
        ctx.read_seconds = 0.1
        with pytest.raises(httpx.ReadTimeout):
            ctx.download(f"{home.url}/f", name="f")
    assert len(home.seen) == 1


def test_the_limit_is_that_of_an_upload_of_the_kind(call: Call, registry: Any) -> None:
    with call() as (_, ctx):
        assert ctx.result_max_bytes == registry["contentsvc.settings"].uploads.image_max_bytes


def test_a_cancelled_download_stops(call: Call, home: Site) -> None:
    home.pages["/f"] = Page(endless=True)
    with call(is_cancelled=lambda: True) as (_, ctx), pytest.raises(ProviderError, match=CANCELLED):
        ctx.download(f"{home.url}/f", name="f")


class TestWhatTheOrderBecomes:
    """A file that can't be fetched: the order was taken, so it must not be placed again."""

    def test_at_once_its_outcome_is_unknown(self, call: Call, home: Site) -> None:
        home.pages["/orders"] = Page(body=b"{}")

        def order_and_fetch(ctx: Any) -> Any:
            ctx.http.post(f"{home.url}/orders").raise_for_status()
            return ctx.download(f"http://{AWAY}:9/f", name="f")

        with pytest.raises(OutcomeUnknown), call() as (backend, ctx):
            backend.start(order_and_fetch, ctx)

    def test_later_it_is_asked_for_again(self, call: Call, use_driver: Any) -> None:
        class Fetching(Backend):
            def poll(self, _job_id: str, ctx: Any) -> Any:
                return ctx.download(f"http://{AWAY}:9/f", name="f")

        use_driver(Fetching)
        with pytest.raises(ProviderError) as caught, call() as (backend, ctx):
            backend.poll("job", ctx)
        assert caught.value.retryable is True
