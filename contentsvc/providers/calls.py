"""Calling a provider: everything a backend gets, and the guard around what it does."""

from __future__ import annotations

import copy
import math
import shutil
import tempfile
import traceback
import uuid
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import httpx
import structlog
from pyramid.registry import Registry

from contentsvc.plugin import (
    Accepted,
    AuthenticationFailed,
    Backend,
    BillingUnit,
    Capability,
    Context,
    Done,
    ModelInfo,
    OutcomeUnknown,
    Pending,
    ProviderError,
    RateLimited,
    ScriptBackend,
    ScriptEvent,
    ScriptRequest,
)
from contentsvc.providers.budgets import Budgets, NotSent
from contentsvc.providers.circuit import CircuitOpen, Circuits, Outcome, Passage
from contentsvc.providers.context import CallContext
from contentsvc.providers.downloads import default_limit
from contentsvc.providers.health import circuits_of
from contentsvc.providers.messages import hide_secret, public_message, without_secret
from contentsvc.providers.models import ModelConfig, Provider
from contentsvc.providers.outbound import AddressRefused, ReplyTooLarge, gateway_of
from contentsvc.providers.plugins import plugins_of
from contentsvc.providers.results import files_of, result_fault
from contentsvc.providers.scripts import script_events
from contentsvc.providers.states import load_state, save_state
from contentsvc.security.secrets import SecretUnreadable, secret_box_of
from contentsvc.settings import Settings

DEFECT: Final = "The provider failed in a way nobody expected."
REFUSED: Final = "The provider's address may not be called."
TOO_LARGE: Final = "The provider's reply is too large."
MAX_PAUSE_SECONDS: Final = 600.0
_BUDGETS: Final = "contentsvc.provider_budgets"
_ORDER_BUDGETS: Final = "contentsvc.provider_order_budgets"
_STREAM_BUDGETS: Final = "contentsvc.provider_stream_budgets"
_POLL_BUDGETS: Final = "contentsvc.provider_poll_budgets"
# A poll is one small question; what it fetches may still take as long as it keeps coming.
POLL_READ_SECONDS: Final = 15.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Places:
    """Where one call gets its place among the open ones of its provider."""

    provider_id: uuid.UUID
    revision: object
    calls: Budgets
    polls: Budgets
    circuits: Circuits
    is_cancelled: Callable[[], bool]

    @contextmanager
    def for_order(self) -> Iterator[Passage]:
        """Waited for: an order is worth some patience. Not with a provider who doesn't answer."""
        if (seconds := self.circuits.delay(self.provider_id, self.revision)) is not None:
            raise CircuitOpen(seconds)
        with self.calls.hold(self.provider_id, self.is_cancelled), self._passage() as passage:
            yield passage

    @contextmanager
    def for_poll(self) -> Iterator[Passage]:
        """Not waited for: a thread that waits for one provider is missing to all the others."""
        with (
            self.polls.hold_at_once(self.provider_id),
            self.calls.hold_at_once(self.provider_id),
            self._passage() as passage,
        ):
            yield passage

    def _passage(self) -> AbstractContextManager[Passage]:
        return self.circuits.passage(self.provider_id, self.revision)


class GuardedBackend:
    """A plugin's backend whose every error is a ProviderError with a message fit to be shown."""

    def __init__(self, backend: Backend[Any, Any], ctx: CallContext, places: Places) -> None:
        self._backend = backend
        self._ctx = ctx
        self._places = places

    def start(self, request: Any, ctx: Context) -> Done[Any] | Accepted:
        """Place the order; see :meth:`contentsvc.plugin.Backend.start`."""
        answer = self._guarded(lambda: self._backend.start(request, ctx), places_order=True)
        if isinstance(answer, Accepted) and isinstance(answer.job_id, str) and answer.job_id:
            if not self._tells(answer.job_id):
                return answer
            answer = None  # a job that is named for the key can't be kept
        return self._done(answer)

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[Any]:
        """Ask for an accepted order; see :meth:`contentsvc.plugin.Backend.poll`."""
        self._ctx.read_seconds = POLL_READ_SECONDS
        answer = self._guarded(lambda: self._backend.poll(job_id, ctx), places_order=False)
        return answer if isinstance(answer, Pending) else self._done(answer)

    def stream(self, request: ScriptRequest, ctx: Context) -> Generator[ScriptEvent, None, None]:
        """Write a script; see :meth:`contentsvc.plugin.ScriptBackend.stream`.

        Every event is of its type, and the last one is the only ScriptResult. Close the
        iterator when it is not read to the end: that ends the call.
        """
        with self._guard(places_order=True):
            events = script_events(cast("ScriptBackend", self._backend).stream(request, ctx))
            with closing(events):
                for event in events:
                    yield hide_secret(event, self._ctx.secret)

    def _done(self, answer: object) -> Done[Any]:
        if not isinstance(answer, Done):
            fault: str | None = f"it answered {type(answer).__name__}"
        else:
            fault = result_fault(answer.result, self._ctx.model.capability, self._ctx.work_dir)
            if any(self._tells(str(file.path)) for file in files_of(answer.result)):
                fault = "a file is named for the key"  # its name gets into other processes' titles
            if fault is None:
                return hide_secret(answer, self._ctx.secret)
        log.error("provider_defect", model=self._ctx.model.name, error=fault)
        raise ProviderError(DEFECT)

    def _tells(self, text: str) -> bool:
        """Whether a text holds the key."""
        return hide_secret(text, self._ctx.secret) != text

    def _guarded(self, call: Callable[[], Any], *, places_order: bool) -> Any:
        with self._guard(places_order=places_order):
            return call()

    @contextmanager
    def _guard(self, *, places_order: bool) -> Iterator[None]:
        before = self._ctx.requests_sent
        with self._places.for_order() if places_order else self._places.for_poll() as passage:
            try:
                yield
                passage.outcome = Outcome.ANSWERED
            except ProviderError as error:
                cleaned = self._cleaned(error)
                self._judge(passage, cleaned)
                raise cleaned from None
            except httpx.TransportError as error:
                self._log_unanswered(error)
                # What was sent before the result was fetched is the order, which was taken.
                sent = self._ctx.requests_sent - before + self._ctx.fetch_failed
                translated = _transport_error(error, places_order=places_order, requests_sent=sent)
                self._judge(passage, translated)
                raise translated from None
            except Exception as error:  # noqa: BLE001  # a defect of the plugin, logged without the key
                self._log(error)
                defect = ProviderError(DEFECT)
                self._judge(passage, defect)
                raise defect from None

    def _judge(self, passage: Passage, error: ProviderError) -> None:
        """What an error says of the provider himself: nothing, where the caller gave up or a link was bad."""
        if self._ctx.cancelled or self._ctx.fetch_failed or error.public_message in (REFUSED, TOO_LARGE):
            return
        if isinstance(error, RateLimited):
            passage.outcome, passage.pause = Outcome.ANSWERED, error.retry_after or 0.0
        elif self._ctx.troubled or error.retryable or isinstance(error, OutcomeUnknown):
            passage.outcome = Outcome.FAILED
        elif self._ctx.requests_sent:
            passage.outcome = Outcome.ANSWERED

    def _cleaned(self, error: ProviderError) -> ProviderError:
        if error.__cause__ is not None:
            self._log(error)
        error.public_message = public_message(str(error.public_message), self._ctx.secret) or DEFECT
        error.args = (error.public_message,)
        if isinstance(error, RateLimited):
            error.retry_after = _sane_pause(error.retry_after)
        return error

    def _log_unanswered(self, error: httpx.TransportError) -> None:
        """No trace: a provider who is down would fill the log with the same one."""
        if not self._ctx.cancelled:
            words = without_secret(str(error), self._ctx.secret)
            log.warning(
                "provider_unanswered", model=self._ctx.model.name, error=type(error).__name__, words=words
            )

    def _log(self, error: Exception) -> None:
        if self._ctx.cancelled:
            return  # whatever breaks then was told to stop
        trace = "".join(traceback.format_exception(error))
        log.error(
            "provider_defect",
            model=self._ctx.model.name,
            error=type(error).__name__,
            trace=without_secret(trace, self._ctx.secret),
        )


def _transport_error(error: httpx.TransportError, *, places_order: bool, requests_sent: int) -> ProviderError:
    if isinstance(error, AddressRefused):
        return NotSent(REFUSED) if requests_sent == 1 else ProviderError(REFUSED)
    if isinstance(error, ReplyTooLarge) and not places_order:
        return ProviderError(TOO_LARGE)
    unreachable = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
    # After an earlier request of the same call the order may have been placed already.
    if not places_order or (unreachable and requests_sent == 1):
        return ProviderError("The provider can't be reached.", retryable=True)
    return OutcomeUnknown("The provider did not answer.")


def _sane_pause(seconds: object) -> float | None:
    """What a provider asks for, as far as it is a number of seconds that can be waited."""
    if not isinstance(seconds, int | float) or not math.isfinite(seconds):
        return None
    return min(MAX_PAUSE_SECONDS, max(0.0, float(seconds)))


@contextmanager
def provider_call(
    registry: Registry,
    model: ModelConfig,
    *,
    team_id: uuid.UUID,
    idempotency_key: str,
    on_progress: Callable[[float], None],
    is_cancelled: Callable[[], bool],
) -> Iterator[tuple[GuardedBackend, CallContext]]:
    """A backend and its context, for one order or one poll. Call it without an open transaction.

    Whatever the backend raises comes out as a ProviderError without keys, addresses or
    traces; an error of the block itself passes through. The work folder and the HTTP
    client live as long as the block; the plugin's state is written back at its end, also
    after an error. Raises ProviderError where there is no driver or no usable key.
    """
    provider = model.provider
    plugins = plugins_of(registry)
    backend_class = plugins.backend_of(provider.driver, model.capability)
    if backend_class is None:
        raise ProviderError("The plugin behind this model is not installed.")
    secret = _secret(registry, model, needed=plugins.drivers[provider.driver].needs_secret)
    settings: Settings = registry["contentsvc.settings"]
    before = load_state(registry, team_id, provider.id)
    with _work_dir(registry) as work_dir:
        ctx = CallContext(
            model=_info(model),
            base_url=provider.base_url,
            secret=secret,
            settings=plugins.driver_settings(provider.driver),
            work_dir=work_dir,
            idempotency_key=idempotency_key,
            state=copy.deepcopy(before),
            on_progress=on_progress,
            is_cancelled=is_cancelled,
            gateway=gateway_of(registry),
            result_max_bytes=default_limit(Capability(model.capability), settings.uploads),
        )
        try:
            backend = _instance(backend_class, model.name)
            budgets = _budgets_of(registry, ctx.model.capability)
            polls: Budgets = registry[_POLL_BUDGETS]
            circuits = circuits_of(registry)
            places = Places(provider.id, provider.updated_at, budgets, polls, circuits, is_cancelled)
            yield GuardedBackend(backend, ctx, places), ctx
        finally:
            ctx.close()
            _write_back(registry, team_id, provider.id, before, ctx)


def install_budgets(registry: Registry) -> None:
    """Make the process's budgets; once, at configuration."""
    settings: Settings = registry["contentsvc.settings"]
    registry[_BUDGETS] = Budgets(settings.generation.provider_concurrency)
    registry[_ORDER_BUDGETS] = Budgets(settings.workers.generate)
    registry[_STREAM_BUDGETS] = Budgets(settings.generation.stream_concurrency)
    # One provider who hangs must leave half of the threads to the others.
    registry[_POLL_BUDGETS] = Budgets(max(1, settings.workers.poll // 2))


def poll_delay(registry: Registry, provider: Provider) -> float | None:
    """Seconds after which a poll is worth a try; None: now. Whoever asks holds no place yet."""
    places: list[Budgets] = [registry[_POLL_BUDGETS], registry[_BUDGETS]]
    return _longest(registry, provider, [place.full_for(provider.id) for place in places])


def order_delay(registry: Registry, provider: Provider) -> float | None:
    """Seconds after which a worker's order is worth a try; None: now, or a moment's waiting for a place."""
    places: list[Budgets] = [registry[_ORDER_BUDGETS], registry[_BUDGETS]]
    return _longest(registry, provider, [place.stuck_for(provider.id) for place in places])


def _longest(registry: Registry, provider: Provider, delays: list[float | None]) -> float | None:
    delays.append(circuits_of(registry).delay(provider.id, provider.updated_at))
    return max((delay for delay in delays if delay is not None), default=None)


def hold_thread(
    registry: Registry, provider_id: uuid.UUID, is_cancelled: Callable[[], bool]
) -> AbstractContextManager[None]:
    """One of the threads that a worker has for the orders of one provider; there are some more for others.

    Waited for up to five seconds; then raises ProviderBusy.
    """
    threads: Budgets = registry[_ORDER_BUDGETS]
    return threads.hold(provider_id, is_cancelled)


def _budgets_of(registry: Registry, capability: Capability) -> Budgets:
    # A script is written for a client who waits, for as long as he does: it must neither
    # wait for pictures nor keep them waiting.
    budgets: Budgets = registry[_STREAM_BUDGETS if capability is Capability.SCRIPT else _BUDGETS]
    return budgets


def _instance(backend_class: type[Any], model: str) -> Backend[Any, Any]:
    try:
        backend: Backend[Any, Any] = backend_class()
    except Exception:
        log.exception("provider_defect", model=model)
        raise ProviderError(DEFECT) from None
    return backend


def _info(model: ModelConfig) -> ModelInfo:
    return ModelInfo(
        name=model.name,
        endpoint=model.endpoint,
        capability=Capability(model.capability),
        options=copy.deepcopy(model.options),
        billing_unit=BillingUnit(model.billing_unit),
    )


def _secret(registry: Registry, model: ModelConfig, *, needed: bool) -> str | None:
    encrypted = model.provider.api_key_encrypted
    if encrypted is None:
        if needed:
            raise AuthenticationFailed("No API key is set for this provider.")
        return None
    try:
        return secret_box_of(registry).decrypt(encrypted)
    except SecretUnreadable:
        raise AuthenticationFailed("The provider's API key can't be read; enter it again.") from None


@contextmanager
def _work_dir(registry: Registry) -> Iterator[Path]:
    settings: Settings = registry["contentsvc.settings"]
    parent = settings.uploads.temp_dir
    if parent is not None:
        parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="order-", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_back(
    registry: Registry,
    team_id: uuid.UUID,
    provider_id: uuid.UUID,
    before: Mapping[str, Any],
    ctx: CallContext,
) -> None:
    # The order is paid for: a state that can't be stored must not lose its result.
    try:
        save_state(registry, team_id, provider_id, before, hide_secret(ctx.state, ctx.secret))
    except Exception:
        log.exception("provider_state_lost", provider=str(provider_id))
