"""What happens around a call of a provider."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from contentsvc.plugin import (
    Accepted,
    AuthenticationFailed,
    Done,
    GeneratedFile,
    ImageResult,
    OutcomeUnknown,
    Pending,
    ProviderError,
    RateLimited,
)
from contentsvc.providers.calls import DEFECT
from contentsvc.providers.models import ModelConfig
from contentsvc.providers.plugins import Plugins
from contentsvc.providers.plugins import install as install_plugins
from tests.functional.calling import (
    CANARY,
    Backend,
    Call,
    Unmakeable,
    add_model,
    caller,
    drivers,
    picture,
    raising,
)


@pytest.fixture
def model(registry: Any, database: Any) -> ModelConfig:
    return add_model(registry, database)


@pytest.fixture
def use_driver(registry: Any) -> Iterator[Callable[..., None]]:
    with drivers(registry) as use:
        yield use


@pytest.fixture
def call(registry: Any, model: ModelConfig, owner: Any, use_driver: Any) -> Call:
    return caller(registry, model, owner.team_id)


def test_the_context_holds_what_the_plugin_needs(call: Call) -> None:
    with call() as (_, ctx):
        assert (ctx.base_url, ctx.secret, ctx.idempotency_key) == ("http://127.0.0.1:9", CANARY, "order-1")
        assert (ctx.model.name, ctx.model.endpoint, ctx.model.options) == ("one", "v1", {"style": "warm"})
        assert ctx.model.billing_unit == "image"
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
