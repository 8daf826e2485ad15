"""What a plugin author needs, and nothing else: hooks, capabilities, values, errors.

A plugin is an installed distribution with an entry point in the group
``contentsvc.plugins``. The object behind it implements some of the hooks of
:class:`HookSpecs`, each marked with :data:`hookimpl`::

    from contentsvc.plugin import Capability, Driver, hookimpl

    @hookimpl
    def contentsvc_register_providers(register):
        register(Driver(name="acme", display_name="Acme", capabilities={...}))

The service owns prompts, prices, storage, retries and states; a plugin only talks
to its provider. This module imports nothing of the service, so that a plugin can be
read, typed and tested on its own. Everything here follows semantic versioning:
within one major version members are only ever added.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, Generic, Protocol, TypeAlias, TypeVar

import httpx
import pluggy

__all__ = [
    "Accepted",
    "AuthenticationFailed",
    "Backend",
    "BillingUnit",
    "Capability",
    "ContentRejected",
    "Context",
    "Done",
    "Driver",
    "GeneratedFile",
    "ImageBackend",
    "ImagePurpose",
    "ImageReference",
    "ImageRequest",
    "ImageResult",
    "MediaRef",
    "Model",
    "ModelInfo",
    "OutcomeUnknown",
    "PaymentChannel",
    "Pending",
    "PluginSetting",
    "ProductFacts",
    "ProviderError",
    "RateLimited",
    "ReferenceRole",
    "SellingPoint",
    "SettledTask",
    "Usage",
    "hookimpl",
]

hookspec = pluggy.HookspecMarker("contentsvc")
hookimpl = pluggy.HookimplMarker("contentsvc")


class Capability(StrEnum):
    """What a model can do. A model config has exactly one."""

    SCRIPT = "script"
    ENTITY_EXTRACTION = "entity_extraction"
    IMAGE_GENERATION = "image_generation"
    IMAGE_EDIT = "image_edit"
    VIDEO_GENERATION = "video_generation"
    SPEECH = "speech"
    ASSET_REVIEW = "asset_review"
    EXPORT = "export"


class BillingUnit(StrEnum):
    """What ``unit_price`` is the price of."""

    IMAGE = "image"
    SECOND = "second"
    THOUSAND_TOKENS = "1k_tokens"
    THOUSAND_CHARACTERS = "1k_characters"
    TASK = "task"


# --- Errors ---------------------------------------------------------------------


class ProviderError(Exception):
    """The provider did not do the work.

    ``public_message`` is shown to the customer: readable, without keys, URLs or
    stack traces. ``retryable`` says that the same order may succeed later; it must
    only be true where the provider certainly did not take the order.
    """

    retryable = False

    def __init__(self, public_message: str, *, retryable: bool | None = None) -> None:
        super().__init__(public_message)
        self.public_message = public_message
        if retryable is not None:
            self.retryable = retryable


class RateLimited(ProviderError):
    """The provider asks to come back later; ``retry_after`` is in seconds."""

    retryable = True

    def __init__(self, public_message: str, *, retry_after: float | None = None) -> None:
        super().__init__(public_message)
        self.retry_after = retry_after


class ContentRejected(ProviderError):
    """The provider refuses this content. Trying again can't help."""


class AuthenticationFailed(ProviderError):
    """The key is missing, wrong or not allowed to use this model."""


class OutcomeUnknown(ProviderError):
    """The order was sent and no answer came: it may or may not have been taken.

    The service repeats such an order only when the model's options declare
    ``resubmit_safe``; otherwise the task fails, the credit is released and the
    administrator sees a mark.
    """


# --- Values every capability shares ---------------------------------------------


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used, in the model's billing unit, and the provider's raw report.

    ``units`` is None where the provider reports no figure: the estimate is charged.
    ``raw`` is kept with the attempt, as JSON, for whoever explains a bill.
    """

    units: Decimal | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)


class MediaRef(Protocol):
    """A stored file that a request refers to."""

    @property
    def media_type(self) -> str:
        """MIME type, told from the bytes."""

    @property
    def size_bytes(self) -> int:
        """Length of what :meth:`open` yields."""

    @property
    def width(self) -> int | None:
        """Pixels; None for sound and documents."""

    @property
    def height(self) -> int | None:
        """Pixels; None for sound and documents."""

    @property
    def public_url(self) -> str | None:
        """A link the provider can fetch, None where the service isn't reachable from outside."""

    @property
    def handles(self) -> Mapping[str, str]:
        """The provider's own ids for this file, as the plugin stored them earlier."""

    def open(self) -> AbstractContextManager[BinaryIO]:
        """The bytes, as a stream; the caller closes it."""


@dataclass(frozen=True, slots=True)
class GeneratedFile:
    """A file the backend has written below :attr:`Context.work_dir`.

    The service tells the type from the bytes, moves the file into its storage and
    removes the work folder. ``metadata`` (JSON values) is stored with the asset.
    """

    path: Path
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SellingPoint:
    """One reason to buy, as the customer words it."""

    title: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ProductFacts:
    """What the customer says of the product; empty strings where nothing was said."""

    title: str = ""
    brand: str = ""
    category: str = ""
    target_audience: str = ""
    description: str = ""
    specs: Mapping[str, Any] = field(default_factory=dict)
    selling_points: tuple[SellingPoint, ...] = ()


# --- Images: image_generation, image_edit ---------------------------------------


class ImagePurpose(StrEnum):
    """Where the picture goes; the values are the asset categories it is filed under."""

    TRY_ON = "model_tryon"
    PLATFORM_KIT = "platform_kit"
    FREE_CREATION = "free_create"
    PORTRAIT = "model_portrait"


class ReferenceRole(StrEnum):
    """What a reference picture shows."""

    PRODUCT = "product"
    PRESENTER = "presenter"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ImageReference:
    """A picture to work from, and what it shows."""

    role: ReferenceRole
    media: MediaRef


@dataclass(frozen=True, slots=True)
class ImageRequest:
    """One picture. The same class serves generation and editing.

    ``prompt`` is complete (template and quality words applied), ``brief`` is what the
    customer typed. ``ratio`` is width:height, one of the contract's seven.
    ``references`` is empty for image_generation and ordered by weight for image_edit.
    ``index`` counts the pictures of one batch from 0: another index asks for another
    layout. ``seed`` is stable across retries of the same task.
    """

    prompt: str
    brief: str
    negative_prompt: str
    ratio: str
    purpose: ImagePurpose
    index: int
    seed: int
    references: tuple[ImageReference, ...] = ()
    product: ProductFacts | None = None


@dataclass(frozen=True, slots=True)
class ImageResult:
    """The picture; billed by ``usage.units`` images (1 where None)."""

    image: GeneratedFile
    usage: Usage = Usage()


# --- The shape of a backend -----------------------------------------------------

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
    """The model config the administrator has set up, as plain values."""

    name: str
    endpoint: str
    capability: Capability
    options: Mapping[str, Any]


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
        """An HTTP client with the service's outbound policy. It never retries by itself."""

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


ImageBackend: TypeAlias = Backend[ImageRequest, ImageResult]


# --- Declarations ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PluginSetting:
    """An ini key ``plugins.<driver>.<name>`` that the operator may set."""

    name: str
    default: str
    description: str


@dataclass(frozen=True, slots=True)
class Driver:
    """Code that can talk to a kind of provider.

    ``capabilities`` maps each capability to the class that backs it. A driver makes
    a provider row of the same name; the administrator can add more rows on it.
    ``needs_secret`` lets the service say "enter a key" instead of trying.
    """

    name: str
    display_name: str
    capabilities: Mapping[Capability, type[Any]]
    settings: tuple[PluginSetting, ...] = ()
    base_url: str = ""
    needs_secret: bool = True


@dataclass(frozen=True, slots=True)
class Model:
    """A model that comes with a driver; the administrator may edit or delete its row.

    ``unit_price`` is in platform currency for one ``billing_unit``. ``options`` the
    service reads: ``resubmit_safe`` (an order of unknown outcome may be repeated),
    ``fallback`` (name of the model to try next), ``ratios`` (list of ratios the model
    knows), ``tokens_per_second``; all others are the backend's own.
    """

    provider: str
    name: str
    display_name: str
    capability: Capability
    unit_price: Decimal
    billing_unit: BillingUnit
    endpoint: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    is_default: bool = False


@dataclass(frozen=True, slots=True)
class PaymentChannel:
    """A way to recharge. ``confirm`` gets the team's id, the amount in credits and the bonus
    asked for; it returns the bonus granted, and raises ValueError to refuse."""

    name: str
    confirm: Callable[[str, Decimal, Decimal], Decimal]


@dataclass(frozen=True, slots=True)
class SettledTask:
    """What an observer learns of a task that has reached its final state."""

    id: str
    team_id: str
    task_type: str
    status: str
    provider: str
    model: str
    estimated_cost: Decimal
    actual_cost: Decimal | None


class HookSpecs:
    """The hooks. None has to be implemented; a hook that raises is logged, listed by
    ``contentsvc plugins`` and takes nothing else down: what it has registered in that
    call is left out, the plugin's other hooks are called. Never give a hook
    implementation's arguments default values; wrappers are not supported."""

    @hookspec
    def contentsvc_register_providers(self, register: Callable[[Driver], None]) -> None:
        """Declare drivers: call ``register`` once for each.

        Called once per process at start. A name that another plugin has registered
        is an error of the later plugin, whose drivers and models are then left out.
        """

    @hookspec
    def contentsvc_register_models(self, register: Callable[[Model], None]) -> None:
        """Declare the models that come with the drivers: call ``register`` once for each.

        Called at start, after every plugin's drivers; not called where the plugin's own
        drivers were left out. ``contentsvc migrate``, ``up`` and ``plugins sync`` write them to
        the configuration tables; fields that the administrator has edited are kept, and a
        row that he deleted stays deleted.
        """

    @hookspec
    def contentsvc_register_payment_channels(self, register: Callable[[PaymentChannel], None]) -> None:
        """Declare recharge channels: call ``register`` once for each. Called at start."""

    @hookspec
    def contentsvc_register_storage(self, register: Callable[[str, Callable[..., Any]], None]) -> None:
        """Offer a storage backend: ``register(name, factory)``. Called at start.

        ``storage.backend = name`` in the ini selects it; ``factory(options)`` gets the
        ini's ``storage.options`` as a mapping and returns the backend.
        """

    @hookspec
    def contentsvc_includeme(self, config: Any) -> None:
        """Extend the Pyramid application: views, tweens, subscribers.

        Called with the :class:`pyramid.config.Configurator` once the service's own
        configuration is committed. What a hook has declared before it raises is dropped;
        what it has changed directly (the registry, other modules) stays.
        """

    @hookspec
    def contentsvc_task_settled(self, task: SettledTask) -> None:
        """Observe a task that has just been charged or released.

        Called after the commit, once, in the process that settled; best effort: a
        process killed at that moment doesn't call it.
        """

    @hookspec
    def contentsvc_notification(self, notification: Mapping[str, Any]) -> None:
        """Observe a notification, in the shape of the API, after its commit; best effort."""
