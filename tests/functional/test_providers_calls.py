"""What happens around a call of a provider."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from contentsvc.plugin import (
    Accepted,
    AuthenticationFailed,
    Capability,
    Done,
    Driver,
    GeneratedFile,
    ImageResult,
    OutcomeUnknown,
    Pending,
    PluginSetting,
    ProviderError,
    RateLimited,
)
from contentsvc.providers import budgets
from contentsvc.providers.budgets import BUSY_SECONDS, Budgets, ProviderBusy
from contentsvc.providers.calls import DEFECT, POLL_READ_SECONDS, poll_delay, provider_call
from contentsvc.providers.models import ModelConfig, Provider
from contentsvc.providers.plugins import Plugin, Plugins, plugins_of
from contentsvc.providers.plugins import install as install_plugins
from contentsvc.security.secrets import secret_box_of

CANARY = "canary-key-0123456789"
SOURCE = Plugin("acme", "contentsvc-acme", "1.0")
Call = Callable[..., AbstractContextManager[Any]]


class Backend:
    """Does what the request, a function of the context, says."""

    def start(self, request: Any, ctx: Any) -> Any:
        return request(ctx)

    def poll(self, job_id: str, _ctx: Any) -> Any:
        return Pending(0.5) if job_id == "running" else job_id


class Unmakeable(Backend):
    def __init__(self) -> None:
        raise RuntimeError("no licence file")


@pytest.fixture
def model(registry: Any, database: Any) -> ModelConfig:
    """A model with an API key, of a driver whose settings have a default."""
    with database() as session:
        provider = Provider(
            name="acme",
            display_name="Acme",
            driver="acme",
            base_url="http://127.0.0.1:9",
            api_key_encrypted=secret_box_of(registry).encrypt(CANARY),
        )
        row = ModelConfig(
            provider=provider,
            name="one",
            display_name="One",
            capability="image_generation",
            billing_unit="image",
            endpoint="v1",
            options={"style": "warm"},
        )
        session.add(row)
    return row


@pytest.fixture
def use_driver(registry: Any) -> Iterator[Callable[..., None]]:
    """``use_driver(backend, needs_secret=True)``: the driver ``acme`` is backed by this class."""
    before = plugins_of(registry)

    def use(backend: type[Any], *, needs_secret: bool = True) -> None:
        driver = Driver(
            "acme",
            "Acme",
            {Capability.IMAGE_GENERATION: backend},
            settings=(PluginSetting("quality", "80", "JPEG quality"),),
            needs_secret=needs_secret,
        )
        plugins = Plugins()
        plugins.declared.drivers["acme"] = (SOURCE, driver)
        plugins.settings["acme"] = {"quality": "80"}
        install_plugins(registry, plugins)

    use(Backend)
    yield use
    install_plugins(registry, before)


@pytest.fixture
def call(registry: Any, model: ModelConfig, owner: Any, use_driver: Any) -> Call:
    """``with call(...) as (backend, ctx)``, for the owner's team unless told."""

    def make(**arguments: Any) -> AbstractContextManager[Any]:
        defaults: dict[str, Any] = {
            "team_id": owner.team_id,
            "idempotency_key": "order-1",
            "on_progress": lambda _fraction: None,
            "is_cancelled": lambda: False,
        }
        return provider_call(registry, model, **defaults | arguments)

    return make


def raising(error: Exception) -> Callable[[Any], Any]:
    def act(_ctx: Any) -> Any:
        raise error

    return act


def picture(ctx: Any) -> Done[ImageResult]:
    """What a backend that works at once answers."""
    path: Path = ctx.work_dir / "picture.png"
    path.write_bytes(b"bytes")
    return Done(ImageResult(GeneratedFile(path)))


def test_the_context_holds_what_the_plugin_needs(call: Call) -> None:
    with call() as (_, ctx):
        assert (ctx.base_url, ctx.secret, ctx.idempotency_key) == ("http://127.0.0.1:9", CANARY, "order-1")
        assert (ctx.model.name, ctx.model.endpoint, ctx.model.options) == ("one", "v1", {"style": "warm"})
        assert ctx.settings == {"quality": "80"}


def test_a_backends_answer_is_handed_on(call: Call) -> None:
    with call() as (backend, ctx):
        assert backend.start(picture, ctx).result.image.path == ctx.work_dir / "picture.png"
        assert backend.start(lambda _: Accepted("job-1"), ctx) == Accepted("job-1")
        assert backend.poll("running", ctx) == Pending(0.5)


def test_the_work_folder_is_removed_with_all_in_it(call: Call, registry: Any) -> None:
    with call() as (_, ctx):
        folder: Path = ctx.work_dir
        (folder / "sub").mkdir()
        (folder / "sub" / "picture.png").write_bytes(b"x")
        assert folder.parent == registry["contentsvc.settings"].uploads.temp_dir
    assert not folder.exists()


def test_the_work_folder_is_removed_after_an_error(call: Call) -> None:
    folders = []

    def fail(ctx: Any) -> Any:
        folders.append(ctx.work_dir)
        raise ProviderError("no")

    with pytest.raises(ProviderError), call() as (backend, ctx):
        backend.start(fail, ctx)
    assert not folders[0].exists()


def test_the_context_does_not_show_its_secret(call: Call) -> None:
    with call() as (_, ctx):
        assert CANARY not in repr(ctx)


def test_the_client_follows_no_redirects_and_no_environment(call: Call) -> None:
    with call() as (_, ctx):
        assert ctx.http.follow_redirects is False
        assert ctx.http.trust_env is False
        assert ctx.http.headers["User-Agent"].startswith("contentsvc/")
        assert ctx.http.timeout.connect == 10.0


def test_the_client_is_closed_at_the_end(call: Call) -> None:
    with call() as (_, ctx):
        client = ctx.http
    assert client.is_closed


def test_a_defect_becomes_a_neutral_provider_error(call: Call) -> None:
    with pytest.raises(ProviderError) as caught, call() as (backend, ctx):
        backend.start(raising(KeyError("internal detail")), ctx)
    assert caught.value.public_message == DEFECT
    assert caught.value.retryable is False


def test_a_defect_is_logged_without_the_key(call: Call, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ProviderError), call() as (backend, ctx):
        backend.start(raising(ValueError(f"illegal header Bearer {CANARY}")), ctx)
    assert "illegal header" in caplog.text
    assert CANARY not in caplog.text


def test_a_defect_leaves_no_chain_that_shows_the_key(call: Call) -> None:
    with pytest.raises(ProviderError) as caught, call() as (backend, ctx):
        backend.start(raising(ValueError(CANARY)), ctx)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_a_provider_error_keeps_its_kind_and_loses_the_key(call: Call) -> None:
    error = RateLimited(f"Key {CANARY} is over its rate, see https://acme.test/x", retry_after=7)
    with pytest.raises(RateLimited) as caught, call() as (backend, ctx):
        backend.start(raising(error), ctx)
    assert caught.value.retry_after == 7
    assert caught.value.public_message == "Key [hidden] is over its rate, see [link]"
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("answer", [None, "picture", Accepted(""), Pending(0.1), Done("picture")])
def test_an_answer_of_another_type_is_a_defect(call: Call, answer: Any) -> None:
    with pytest.raises(ProviderError, match=DEFECT), call() as (backend, ctx):
        backend.start(lambda _: answer, ctx)


@pytest.mark.parametrize("name", ["../escaped.png", "/etc/hostname", "missing.png", "link.png"])
def test_a_file_that_is_not_below_the_work_folder_is_a_defect(call: Call, tmp_path: Path, name: str) -> None:
    (tmp_path / "elsewhere").write_bytes(b"secret")

    def stray(ctx: Any) -> Any:
        (ctx.work_dir.parent / "escaped.png").write_bytes(b"secret")
        (ctx.work_dir / "link.png").symlink_to(tmp_path / "elsewhere")
        return Done(ImageResult(GeneratedFile(ctx.work_dir / name)))

    with pytest.raises(ProviderError, match=DEFECT), call() as (backend, ctx):
        backend.start(stray, ctx)


def test_an_error_of_the_block_itself_passes_through(call: Call) -> None:
    with pytest.raises(ZeroDivisionError), call():
        raise ZeroDivisionError


def test_an_unreachable_provider_is_retryable_before_anything_was_sent(call: Call) -> None:
    with pytest.raises(ProviderError) as caught, call() as (backend, ctx):
        backend.start(lambda ctx: ctx.http.get(ctx.base_url), ctx)
    assert caught.value.retryable is True
    assert not isinstance(caught.value, OutcomeUnknown)


def test_an_unreachable_provider_after_an_earlier_request_is_of_unknown_outcome(call: Call) -> None:
    def order_then_lose_the_way(ctx: Any) -> Any:
        with pytest.raises(httpx.ConnectError):
            ctx.http.post(ctx.base_url)
        return ctx.http.get(ctx.base_url)

    with pytest.raises(OutcomeUnknown), call() as (backend, ctx):
        backend.start(order_then_lose_the_way, ctx)


def test_an_order_without_an_answer_is_of_unknown_outcome(call: Call) -> None:
    with pytest.raises(OutcomeUnknown), call() as (backend, ctx):
        backend.start(raising(httpx.ReadTimeout("slow")), ctx)


def test_a_poll_without_an_answer_is_retryable(call: Call, use_driver: Any) -> None:
    class Slow(Backend):
        def poll(self, _job_id: str, _ctx: Any) -> Any:
            raise httpx.ReadTimeout("slow")

    use_driver(Slow)
    with pytest.raises(ProviderError) as caught, call() as (backend, ctx):
        backend.poll("job", ctx)
    assert caught.value.retryable is True


def test_a_backend_that_cannot_be_made_is_a_defect(call: Call, use_driver: Any) -> None:
    use_driver(Unmakeable)
    with pytest.raises(ProviderError, match=DEFECT), call():
        pass


def test_a_driver_that_is_not_installed_is_a_provider_error(call: Call, registry: Any) -> None:
    install_plugins(registry, Plugins())
    with pytest.raises(ProviderError, match="not installed"), call():
        pass


def test_a_missing_key_is_told_before_the_plugin_is_called(call: Call, model: ModelConfig) -> None:
    model.provider.api_key_encrypted = None
    with pytest.raises(AuthenticationFailed, match="No API key"), call():
        pass


def test_a_driver_without_keys_works_without_one(call: Call, model: ModelConfig, use_driver: Any) -> None:
    model.provider.api_key_encrypted = None
    use_driver(Backend, needs_secret=False)
    with call() as (_, ctx):
        assert ctx.secret is None


def test_a_key_that_cannot_be_read_must_be_entered_again(call: Call, model: ModelConfig) -> None:
    model.provider.api_key_encrypted = b"of a lost key"
    with pytest.raises(AuthenticationFailed, match="enter it again"), call():
        pass


def test_state_is_there_at_the_next_call(call: Call) -> None:
    with call() as (_, ctx):
        ctx.state["group"] = "g-1"
    with call() as (_, ctx):
        assert ctx.state == {"group": "g-1"}


def test_state_is_kept_after_an_error(call: Call) -> None:
    def remember_and_fail(ctx: Any) -> Any:
        ctx.state["group"] = "g-1"
        raise ProviderError("no")

    with pytest.raises(ProviderError), call() as (backend, ctx):
        backend.start(remember_and_fail, ctx)
    with call() as (_, ctx):
        assert ctx.state == {"group": "g-1"}


def test_a_removed_member_of_the_state_stays_removed(call: Call) -> None:
    with call() as (_, ctx):
        ctx.state.update(group="g-1", cursor=5)
    with call() as (_, ctx):
        del ctx.state["group"]
    with call() as (_, ctx):
        assert ctx.state == {"cursor": 5}


def test_a_change_deep_in_the_state_is_kept(call: Call) -> None:
    with call() as (_, ctx):
        ctx.state["groups"] = {"a": [1]}
    with call() as (_, ctx):
        ctx.state["groups"]["a"].append(2)
    with call() as (_, ctx):
        assert ctx.state == {"groups": {"a": [1, 2]}}


def test_overlapping_calls_do_not_undo_one_anothers_state(call: Call) -> None:
    with call() as (_, first):
        with call() as (_, second):
            second.state["second"] = 2
        first.state["first"] = 1
    with call() as (_, ctx):
        assert ctx.state == {"first": 1, "second": 2}


def test_another_teams_state_is_another_document(call: Call, other: Any) -> None:
    with call() as (_, ctx):
        ctx.state["group"] = "g-1"
    with call(team_id=other.team_id) as (_, ctx):
        assert ctx.state == {}


@pytest.mark.parametrize("value", [object(), float("nan"), "x" * 70_000])
def test_a_state_that_cannot_be_stored_does_not_lose_the_result(call: Call, value: Any) -> None:
    with call() as (_, ctx):
        ctx.state["group"] = "g-1"
    with call() as (backend, ctx):
        ctx.state["value"] = value
        assert isinstance(backend.start(picture, ctx), Done)
    with call() as (_, ctx):
        assert ctx.state == {"group": "g-1"}


def test_progress_is_clamped_throttled_and_only_rises(call: Call) -> None:
    told: list[float] = []
    with call(on_progress=told.append) as (_, ctx):
        for fraction in (0.1, 0.2, float("nan"), -3.0, 7.0, 0.5):
            ctx.progress(fraction)
    assert told == [0.1, 1.0]


def test_a_failing_progress_report_does_not_reach_the_plugin(call: Call) -> None:
    def fail(_fraction: float) -> None:
        raise RuntimeError("database away")

    with call(on_progress=fail) as (_, ctx):
        ctx.progress(0.5)


def test_cancelled_is_asked_anew_each_time(call: Call) -> None:
    answers = iter([False, True])
    with call(is_cancelled=lambda: next(answers)) as (_, ctx):
        assert [ctx.cancelled, ctx.cancelled] == [False, True]


def test_a_process_opens_no_more_calls_than_the_budget(
    call: Call, registry: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budgets, "BUSY_SECONDS", 0.0)
    monkeypatch.setitem(registry, "contentsvc.provider_budgets", Budgets(1))
    inside, go_on = threading.Event(), threading.Event()

    def occupy() -> None:
        def wait(ctx: Any) -> Any:
            inside.set()
            go_on.wait(10)
            return picture(ctx)

        with call() as (backend, ctx):
            backend.start(wait, ctx)

    thread = threading.Thread(target=occupy)
    thread.start()
    try:
        assert inside.wait(10)
        with pytest.raises(ProviderBusy) as caught, call() as (backend, ctx):
            backend.start(picture, ctx)
    finally:
        go_on.set()
        thread.join()
    assert caught.value.retryable is True
    with call() as (backend, ctx):
        assert isinstance(backend.start(picture, ctx), Done)


def test_a_poll_does_not_wait_for_a_place(call: Call, registry: Any, model: ModelConfig) -> None:
    polls = registry["contentsvc.provider_poll_budgets"]
    with ExitStack() as held:
        while poll_delay(registry, model.provider_id) is None:
            held.enter_context(polls.hold_at_once(model.provider_id))
        started = time.monotonic()
        with pytest.raises(ProviderBusy), call() as (backend, ctx):
            backend.poll("running", ctx)
        assert time.monotonic() - started < BUSY_SECONDS
    with call() as (backend, ctx):
        assert backend.poll("running", ctx) == Pending(0.5)


def test_polls_leave_half_of_the_threads_to_other_providers(registry: Any, model: ModelConfig) -> None:
    polls = registry["contentsvc.provider_poll_budgets"]
    threads = registry["contentsvc.settings"].workers.poll
    with ExitStack() as held:
        for _ in range(threads // 2):
            assert poll_delay(registry, model.provider_id) is None
            held.enter_context(polls.hold_at_once(model.provider_id))
        assert poll_delay(registry, model.provider_id) is not None


def test_a_poll_waits_less_long_for_an_answer_than_an_order(call: Call) -> None:
    with call() as (backend, ctx):
        backend.poll("running", ctx)
        assert ctx.http.timeout.read == POLL_READ_SECONDS
    with call() as (backend, ctx):
        backend.start(picture, ctx)
        assert ctx.http.timeout.read == 60


def test_another_provider_has_a_budget_of_its_own() -> None:
    places = Budgets(1)
    with places.hold(uuid.uuid4(), lambda: False), places.hold(uuid.uuid4(), lambda: False):
        pass
