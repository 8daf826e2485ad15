"""What a plugin declares when it is loaded, and what an observer is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from contentsvc.plugin.capabilities import BillingUnit, Capability
from contentsvc.plugin.checks import CheckContext


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

    ``check`` asks the provider for something that costs nothing, such as the list of its
    models, and answers in one sentence what it has found; it raises ProviderError where
    orders would fail. Without one the service only sees whether ``base_url`` answers.
    """

    name: str
    display_name: str
    capabilities: Mapping[Capability, type[Any]]
    settings: tuple[PluginSetting, ...] = ()
    base_url: str = ""
    needs_secret: bool = True
    check: Callable[[CheckContext], str] | None = None


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
class Payment:
    """A recharge that a team's owner asks for.

    ``amount`` and ``bonus`` are credits, ``price`` is what the amount is worth in
    ``currency``. ``id`` is the same whenever a channel is asked for this payment again.
    """

    id: str
    team_id: str
    user_id: str
    amount: Decimal
    bonus: Decimal
    price: Decimal
    currency: str


@dataclass(frozen=True, slots=True)
class PaymentChannel:
    """A way to recharge, by one of two functions; each returns the bonus granted, and raises
    ValueError, with a sentence for the customer, to refuse.

    ``confirm`` moves no money: it gets the team's id, the amount in credits and the bonus
    asked for, and decides. ``pay`` takes the money of a :class:`Payment`, once for each of
    its ids: asked again, it answers as before and takes nothing. It is asked again after
    any other exception, and where the service died before it had credited the team.
    """

    name: str
    confirm: Callable[[str, Decimal, Decimal], Decimal] | None = None
    pay: Callable[[Payment], Decimal] | None = None


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
