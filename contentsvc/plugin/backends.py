"""The shape of a backend, and what it may use while it works."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import httpx

from contentsvc.plugin.capabilities import BillingUnit, Capability

RequestT = TypeVar("RequestT", contravariant=True)
ResultT = TypeVar("ResultT", covariant=True)


@dataclass(frozen=True, slots=True)
class Done(Generic[ResultT]):
    """The work is finished."""

    result: ResultT


@dataclass(frozen=True, slots=True)
class Accepted:
    """The provider has taken the order and will work on it; ``job_id`` is its name for it."""

    job_id: str


@dataclass(frozen=True, slots=True)
class Pending:
    """Still running; ``progress`` is 0 to 1, None where the provider doesn't say."""

    progress: float | None = None


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """The model config the administrator has set up, as plain values.

    ``billing_unit`` is what :attr:`Usage.units` count; None only where nothing is billed,
    as in a plugin's own tests.
    """

    name: str
    endpoint: str
    capability: Capability
    options: Mapping[str, Any]
    billing_unit: BillingUnit | None = None


class Context(Protocol):
    """What a backend may use while it works on one order."""

    @property
    def model(self) -> ModelInfo:
        """The model that was ordered."""

    @property
    def base_url(self) -> str:
        """The provider's address as the administrator set it; may be empty."""

    @property
    def secret(self) -> str | None:
        """The provider's API key in clear. Never log it, never put it in a message."""

    @property
    def settings(self) -> Mapping[str, str]:
        """The driver's ini settings, declared with :class:`PluginSetting`, defaults filled in."""

    @property
    def http(self) -> httpx.Client:
        """An HTTP client with the service's outbound policy. It never retries by itself.

        Private addresses are refused unless the ini allows them; replies are limited in size
        and time, and come uncompressed.
        """

    @property
    def work_dir(self) -> Path:
        """An empty folder for this order; removed by the service afterwards."""

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt at this order; send it where the provider honours one."""

    @property
    def state(self) -> MutableMapping[str, Any]:
        """A JSON document of up to 64 KiB, kept per team and provider.

        Written back after the call, also after an error, member by member: calls that
        overlap only overwrite one another where they change the same top-level member.
        """

    @property
    def cancelled(self) -> bool:
        """True once the result is no longer wanted; stop soon and raise ProviderError."""

    def download(
        self,
        url: str,
        *,
        name: str,
        max_bytes: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Path:
        """Fetch a file the provider links to; where it lies below :attr:`work_dir`.

        ``name`` is a new, plain file name of your own choice. ``max_bytes`` is by default what
        the service takes of an upload of that kind. ``headers`` are sent to the host of
        :attr:`base_url` only, whatever the link or its redirects say; three redirects are
        followed. Raises ProviderError where the link is refused or invalid, or leads to a
        page or to too much; httpx's transport errors, which may pass, where it could be
        tried again.
        """

    def progress(self, fraction: float) -> None:
        """Report 0 to 1; shown to the customer. May be called as often as one likes."""


class Backend(Protocol[RequestT, ResultT]):
    """One capability of one driver. Instances are made per call, without arguments.

    Both methods may take long; they run without a database transaction. Raise the
    errors above; anything else counts as a defect of the plugin and fails the task
    with a neutral message. Only httpx's own transport errors may pass: they become
    :class:`OutcomeUnknown` in ``start`` (retryable where the very first connection
    failed) and retryable in ``poll``.
    """

    def start(self, request: RequestT, ctx: Context) -> Done[ResultT] | Accepted:
        """Place the order once. Called again only where the order certainly was not taken,
        or where the model is resubmit-safe."""

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[ResultT]:
        """Ask for an accepted order. Never orders anything; safe to repeat."""
