"""Whether a provider could be asked: a call through its driver that orders nothing."""

from __future__ import annotations

import queue
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Final

import httpx
import structlog
from pyramid.registry import Registry

from contentsvc.plugin import AuthenticationFailed, CheckContext, Driver, ProviderError
from contentsvc.providers.budgets import Budgets, ProviderBusy
from contentsvc.providers.calls import DEFECT, REFUSED
from contentsvc.providers.context import Outbound
from contentsvc.providers.messages import public_message, without_secret
from contentsvc.providers.models import Provider
from contentsvc.providers.outbound import AddressRefused, gateway_of
from contentsvc.providers.plugins import plugins_of
from contentsvc.security.secrets import SecretUnreadable, secret_box_of

CHECK_SECONDS: Final = 15.0

_BUDGETS: Final = "contentsvc.provider_checks"

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class CheckResult:
    """What a check has found, and how long it took. ``detail`` holds no key and no address."""

    ok: bool
    latency_ms: int
    detail: str


@dataclass(eq=False, kw_only=True)
class _Context(Outbound):
    """:class:`contentsvc.plugin.CheckContext`."""

    base_url: str
    secret: str | None = field(repr=False)
    settings: Mapping[str, str]
    work_dir: Path


def install_checks(registry: Registry) -> None:
    """Make room for one check of each provider at a time; once, at configuration."""
    registry[_BUDGETS] = Budgets(1)


def check_provider(registry: Registry, provider: Provider, seconds: float = CHECK_SECONDS) -> CheckResult:
    """Call the check of a provider's driver, or see whether his address answers.

    Costs nothing and takes no longer than ``seconds``. Call it without an open transaction.
    Never raises for what the provider or the plugin does.
    """
    began = time.perf_counter()
    try:
        detail, ok = _checked(registry, provider, seconds), True
    except ProviderError as error:
        detail, ok = error.public_message, False
    return CheckResult(ok, round((time.perf_counter() - began) * 1000), detail)


def _checked(registry: Registry, provider: Provider, seconds: float) -> str:
    driver = plugins_of(registry).drivers.get(provider.driver)
    if driver is None:
        raise ProviderError("The plugin behind this provider is not installed.")
    # A check that is given up may still write there.
    with tempfile.TemporaryDirectory(prefix="check-", ignore_cleanup_errors=True) as folder:
        ctx = _Context(
            base_url=provider.base_url,
            secret=_secret(registry, provider, driver),
            settings=plugins_of(registry).driver_settings(driver.name),
            work_dir=Path(folder),
            gateway=gateway_of(registry),
        )
        ctx.read_seconds = seconds
        place: Budgets = registry[_BUDGETS]

        def call() -> str:
            try:
                with place.hold_at_once(provider.id):
                    return _guarded(driver.check or _reach, ctx)
            except ProviderBusy:
                raise ProviderError("A test of this provider is still running.") from None
            finally:
                ctx.close()

        return _within(seconds, call, ctx.abort)


def _secret(registry: Registry, provider: Provider, driver: Driver) -> str | None:
    if provider.api_key_encrypted is None:
        if driver.needs_secret:
            raise AuthenticationFailed("No API key is set for this provider.")
        return None
    try:
        return secret_box_of(registry).decrypt(provider.api_key_encrypted)
    except SecretUnreadable:
        raise AuthenticationFailed("The provider's API key can't be read; enter it again.") from None


def _within(seconds: float, call: Callable[[], str], give_up: Callable[[], None]) -> str:
    """What ``call`` returns or raises, unless it takes too long: a plugin may hang anywhere."""
    outcome: queue.SimpleQueue[str | ProviderError] = queue.SimpleQueue()

    def work() -> None:
        try:
            outcome.put(call())
        except ProviderError as error:
            outcome.put(error)

    threading.Thread(target=work, name="provider-check", daemon=True).start()
    try:
        found = outcome.get(timeout=seconds)
    except queue.Empty:
        give_up()
        raise ProviderError(f"The provider did not answer within {seconds:g} seconds.") from None
    if isinstance(found, ProviderError):
        raise found
    return found


def _guarded(check: Callable[[CheckContext], str], ctx: _Context) -> str:
    """The check's sentence, or a ProviderError with one that can be shown."""
    try:
        return public_message(str(check(ctx)), ctx.secret)
    except ProviderError as error:
        raise ProviderError(public_message(str(error.public_message), ctx.secret) or DEFECT) from None
    except AddressRefused:
        raise ProviderError(REFUSED) from None
    except httpx.TimeoutException:
        raise ProviderError("The provider did not answer in time.") from None
    except httpx.TransportError as error:
        _log(error, ctx)
        raise ProviderError("The provider can't be reached.") from None
    except Exception as error:  # noqa: BLE001  # a defect of the plugin, logged without the key
        _log(error, ctx)
        raise ProviderError(DEFECT) from None


def _log(error: Exception, ctx: _Context) -> None:
    trace = without_secret("".join(traceback.format_exception(error)), ctx.secret)
    log.warning("provider_check_failed", error=type(error).__name__, trace=trace)


def _reach(ctx: CheckContext) -> str:
    """What can be known of a driver without a check of its own: whether the address answers."""
    if not ctx.base_url:
        return "The driver is installed. It names no address to ask, and has no test of its own."
    with ctx.http.stream("GET", ctx.base_url) as reply:
        status = reply.status_code
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise ProviderError(f"The address answers with HTTP {status}.")
    return f"The address answers (HTTP {status}). The driver has no test of its own: the key was not tried."
