"""No call of a plugin reaches an address it may not, whatever the address is dressed up as."""

from __future__ import annotations

import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator
from ipaddress import ip_network
from typing import Any

import httpx
import pytest

from contentsvc.plugin import OutcomeUnknown, ProviderError
from contentsvc.providers.budgets import NotSent
from contentsvc.providers.calls import REFUSED, TOO_LARGE
from contentsvc.providers.models import ModelConfig
from contentsvc.providers.outbound import ERROR_BYTES, AddressRefused, ReplyTooLarge
from tests.functional.calling import Backend, Call, add_model, caller, drivers
from tests.functional.listening import HOME, Canary, Page, Site, canary, gateway, site

PROVIDERS = "/api/admin/providers/"
GATEWAY = "contentsvc.provider_gateway"
AT_HOME = ip_network(HOME)

# Each leads to this machine, or would where the resolver is generous.
DISGUISES = [
    "http://127.0.0.1:{port}/",
    "http://localhost:{port}/",
    "http://127.1:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f000001:{port}/",
    "http://0x7f.0x0.0x0.0x1:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://0.0.0.0:{port}/",
    "http://0:{port}/",
    "http://[::1]:{port}/",
    "http://[::]:{port}/",
    "http://[0:0:0:0:0:0:0:1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[::127.0.0.1]:{port}/",
    "http://[64:ff9b::127.0.0.1]:{port}/",
    "http://[2002:7f00:1::]:{port}/",
    "http://user@127.0.0.1:{port}/",
    "http://8.8.8.8@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}@[::1]:{port}/",
    "https://127.0.0.1:{port}/",
    "HTTP://LOCALHOST:{port}/",
    "http://①②⑦.⓪.⓪.①:{port}/",
    "http://127。0。0。1:{port}/",
    "http://localhost.:{port}/",
    "file://127.0.0.1:{port}/",
    "ftp://127.0.0.1:{port}/",
    "gopher://127.0.0.1:{port}/",
    "unix://127.0.0.1:{port}/",
    "//127.0.0.1:{port}/",
]


@pytest.fixture
def bird() -> Iterator[Canary]:
    with canary() as made:
        yield made
    assert made.visits == 0


@pytest.fixture
def home() -> Iterator[Site]:
    with site() as made:
        yield made


def get(url: str, **options: Any) -> httpx.Response:
    with gateway(AT_HOME, **options).client(5.0) as client:
        return client.get(url)


def test_the_canary_is_there_to_be_hit() -> None:
    with canary() as bird:
        socket.create_connection(("127.0.0.1", bird.port)).close()
        socket.create_connection(("::1", bird.port)).close()
    assert bird.visits == 2


@pytest.mark.parametrize("form", DISGUISES)
def test_no_disguise_reaches_this_machine(bird: Canary, form: str) -> None:
    with pytest.raises((httpx.TransportError, httpx.InvalidURL)):
        get(form.format(port=bird.port))


def test_nor_does_one_of_a_result(bird: Canary, call_home: Call) -> None:
    with call_home() as (_, ctx):
        for form in DISGUISES:
            with pytest.raises((ProviderError, httpx.TransportError)):
                ctx.download(form.format(port=bird.port), name="result")


def test_nor_does_one_of_a_redirect(bird: Canary, call_home: Call, home: Site) -> None:
    with call_home() as (_, ctx):
        for number, form in enumerate([*DISGUISES, "http://169.254.169.254/latest/meta-data/"]):
            there = form.format(port=bird.port).encode().decode("latin-1")
            home.pages[f"/{number}"] = Page(302, headers={"Location": there})
            with pytest.raises((ProviderError, httpx.TransportError)):
                ctx.download(f"{home.url}/{number}", name="result")


def test_an_allowed_address_is_reached(home: Site) -> None:
    home.pages["/"] = Page(body=b"welcome")
    assert get(f"{home.url}/").content == b"welcome"


def test_the_connection_goes_to_the_address_that_was_looked_at(bird: Canary, home: Site) -> None:
    """A name that is public at the first look and private at the second."""
    answers = iter([[HOME], ["127.0.0.1"]])
    home.pages["/"] = Page(body=b"welcome")
    url = f"http://rebinding.test:{home.url.rpartition(':')[2]}/"
    made = gateway(AT_HOME, resolve=lambda _host, _port: next(answers))
    with made.client(5.0) as client:
        assert client.get(url).content == b"welcome"
        with pytest.raises(AddressRefused):
            client.get(f"http://rebinding.test:{bird.port}/")
    assert list(answers) == []


@pytest.mark.parametrize("addresses", [[HOME, "127.0.0.1"], ["127.0.0.1", HOME]])
def test_one_forbidden_address_of_a_name_is_enough(bird: Canary, addresses: list[str]) -> None:
    with pytest.raises(AddressRefused):
        get(f"http://mixed.test:{bird.port}/", resolve=lambda _host, _port: addresses)


def test_the_next_address_is_tried_where_one_does_not_answer(home: Site) -> None:
    home.pages["/"] = Page(body=b"welcome")
    with gateway(ip_network("127.0.0.0/29"), resolve=lambda *_: ["127.0.0.5", HOME]).client(5.0) as client:
        assert client.get(f"http://two.test:{home.url.rpartition(':')[2]}/").content == b"welcome"


def test_a_name_nobody_knows_is_no_connection() -> None:
    def unknown(_host: str, _port: int) -> list[str]:
        raise socket.gaierror("not known")

    with pytest.raises(httpx.ConnectError):
        get("http://unknown.test/", resolve=unknown)


def test_a_reply_is_cut_off_at_its_size(home: Site) -> None:
    home.pages["/"] = Page(endless=True)
    with pytest.raises(ReplyTooLarge):
        get(f"{home.url}/")


@pytest.mark.parametrize("status", [400, 503])
def test_of_an_error_only_the_beginning_is_read(home: Site, status: int) -> None:
    home.pages["/"] = Page(status, endless=True)
    reply = get(f"{home.url}/", max_bytes=10**9)
    assert (reply.status_code, len(reply.content)) == (status, ERROR_BYTES)


def test_a_compressed_reply_is_not_unfolded(home: Site) -> None:
    home.pages["/"] = Page(body=b"anything", headers={"Content-Encoding": "gzip"})
    with pytest.raises(httpx.RemoteProtocolError):
        get(f"{home.url}/")
    assert home.seen[0][1]["accept-encoding"] == "identity"


def test_a_reply_that_trickles_is_given_up() -> None:
    """Each byte comes in time; the whole does not."""
    stop = threading.Event()
    with socket.create_server((HOME, 0)) as listener:

        def trickle() -> None:
            connection, _ = listener.accept()
            with connection:
                for byte in itertools.cycle(b"HTTP/1.1 200 OK\r\nX: y\r\n"):
                    if stop.wait(0.02):
                        return
                    try:
                        connection.sendall(bytes([byte]))
                    except OSError:
                        return

        thread = threading.Thread(target=trickle)
        thread.start()
        began = time.monotonic()
        try:
            with pytest.raises(httpx.ReadTimeout):
                get(f"http://{HOME}:{listener.getsockname()[1]}/", seconds=0.3)
        finally:
            stop.set()
            thread.join()
    assert time.monotonic() - began < 3


@pytest.fixture
def model(registry: Any, database: Any) -> ModelConfig:
    return add_model(registry, database)


@pytest.fixture
def use_driver(registry: Any) -> Iterator[Callable[..., None]]:
    with drivers(registry) as use:
        yield use


@pytest.fixture
def call_home(
    registry: Any, model: ModelConfig, owner: Any, use_driver: Any, monkeypatch: pytest.MonkeyPatch
) -> Call:
    """Calls from a process that may only reach ``home``."""
    monkeypatch.setitem(registry, GATEWAY, gateway(AT_HOME))
    return caller(registry, model, owner.team_id)


class TestOrders:
    def test_an_order_that_never_left_was_not_sent(self, bird: Canary, call_home: Call) -> None:
        with pytest.raises(NotSent) as caught, call_home() as (backend, ctx):
            backend.start(lambda ctx: ctx.http.post(f"http://127.0.0.1:{bird.port}/orders"), ctx)
        assert (caught.value.public_message, caught.value.retryable) == (REFUSED, False)

    def test_an_order_that_was_taken_before_is_not_one_of_those(
        self, bird: Canary, call_home: Call, home: Site
    ) -> None:
        home.pages["/orders"] = Page(body=b"{}")

        def order_and_ask_elsewhere(ctx: Any) -> Any:
            ctx.http.post(f"{home.url}/orders").raise_for_status()
            return ctx.http.get(f"http://127.0.0.1:{bird.port}/status")

        with pytest.raises(ProviderError) as caught, call_home() as (backend, ctx):
            backend.start(order_and_ask_elsewhere, ctx)
        assert type(caught.value) is ProviderError
        assert caught.value.retryable is False

    def test_a_reply_without_end_leaves_the_outcome_unknown(self, call_home: Call, home: Site) -> None:
        home.pages["/orders"] = Page(endless=True)
        with pytest.raises(OutcomeUnknown), call_home() as (backend, ctx):
            backend.start(lambda ctx: ctx.http.post(f"{home.url}/orders"), ctx)

    def test_a_poll_whose_reply_has_no_end_is_not_repeated(
        self, call_home: Call, home: Site, use_driver: Any
    ) -> None:
        home.pages["/jobs"] = Page(endless=True)

        class Curious(Backend):
            def poll(self, _job_id: str, ctx: Any) -> Any:
                return ctx.http.get(f"{home.url}/jobs")

        use_driver(Curious)
        with pytest.raises(ProviderError, match=TOO_LARGE) as caught, call_home() as (backend, ctx):
            backend.poll("job", ctx)
        assert caught.value.retryable is False


class TestBaseUrl:
    @pytest.fixture(autouse=True)
    def strict(self, registry: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(registry, GATEWAY, gateway())

    def test_no_disguise_is_called(self, admin: Any, bird: Canary) -> None:
        for number, form in enumerate(DISGUISES):
            url = form.format(port=bird.port)
            body = {"name": f"acme-{number}", "display_name": "Acme", "driver": "fake", "base_url": url}
            reply = admin.post_json(PROVIDERS, body, status="*")
            if reply.status_code == 400:
                assert list(reply.json) == ["base_url"]
            else:
                tested = admin.post(f"{PROVIDERS}{reply.json['id']}/test/").json
                assert (tested["ok"], "127.0.0.1" in tested["detail"]) == (False, False)

    def test_an_address_that_is_written_out_is_refused_at_once(self, admin: Any) -> None:
        body = {"name": "acme", "display_name": "Acme", "base_url": "https://192.168.1.20/v1"}
        assert list(admin.post_json(PROVIDERS, body, status=400).json) == ["base_url"]

    def test_also_where_it_is_changed(self, admin: Any) -> None:
        body = {"name": "acme", "display_name": "Acme", "base_url": "https://api.acme.test/v1"}
        row = admin.post_json(PROVIDERS, body, status=201).json
        reply = admin.patch_json(f"{PROVIDERS}{row['id']}/", {"base_url": "http://2130706433/"}, status=400)
        assert list(reply.json) == ["base_url"]

    def test_a_test_says_so_without_the_address(self, admin: Any, registry: Any, monkeypatch: Any) -> None:
        inner = gateway(resolve=lambda _host, _port: ["10.20.30.40"])
        monkeypatch.setitem(registry, GATEWAY, inner)
        body = {"name": "acme", "display_name": "Acme", "driver": "fake", "base_url": "https://inner.test/"}
        row = admin.post_json(PROVIDERS, body, status=201).json
        tested = admin.post(f"{PROVIDERS}{row['id']}/test/").json
        assert (tested["ok"], tested["detail"]) == (False, REFUSED)
