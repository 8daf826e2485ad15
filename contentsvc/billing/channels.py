"""Payment channels: the service's own ``manual``, and those that plugins bring."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

import structlog
from pyramid.registry import Registry

from contentsvc.billing.accounts import require_credits
from contentsvc.billing.models import ZERO
from contentsvc.http import PermissionDenied
from contentsvc.plugin import Payment
from contentsvc.providers.messages import public_message
from contentsvc.providers.plugins import plugins_of
from contentsvc.settings import Settings

MANUAL: Final = "manual"
"""Credits what is asked for, bonus included; somebody else sees to the money."""

log = structlog.get_logger(__name__)


class PaymentRefused(Exception):
    """The channel doesn't take this payment, and has taken nothing. The message is for the customer."""


class PaymentUnclear(Exception):
    """Nobody knows whether the channel has taken the money."""


def open_channels(registry: Registry) -> Sequence[str]:
    """Names of the channels owners can use: those of the ini first, then the other plugins'."""
    settings: Settings = registry["contentsvc.settings"]
    offered = [MANUAL, *plugins_of(registry).channels]
    chosen = [name for name in settings.billing.recharge_channels if name in offered]
    return list(dict.fromkeys([*chosen, *offered[1:]]))


def choose_channel(registry: Registry, name: str | None) -> str:
    """The channel of this name, or the first one. Raises PermissionDenied unless it is open."""
    channels = open_channels(registry)
    if not channels:
        raise PermissionDenied("No recharge channel is open.")
    if name is None:
        return channels[0]
    if name not in channels:
        raise PermissionDenied("This recharge channel is not open.")
    return name


def warn_of_unknown_channels(registry: Registry) -> None:
    """Log the names in the ini that nobody backs; their plugin may be off, or broken."""
    settings: Settings = registry["contentsvc.settings"]
    for name in set(settings.billing.recharge_channels) - set(open_channels(registry)):
        log.warning("recharge_channel_unknown", channel=name)


def ask(registry: Registry, name: str, payment: Payment) -> Decimal:
    """Have a plugin's channel take the payment; the bonus it grants, in credits.

    May take its time: no transaction must be open. Raises PaymentRefused, PaymentUnclear.
    """
    channel = plugins_of(registry).channels.get(name)
    if channel is None:
        raise PaymentUnclear(f"no plugin has a channel {name}")
    try:
        if channel.pay is not None:
            bonus = channel.pay(payment)
        elif channel.confirm is not None:
            bonus = channel.confirm(payment.team_id, payment.amount, payment.bonus)
    except ValueError as error:
        raise PaymentRefused(public_message(str(error)) or "The payment was refused.") from error
    except Exception as error:
        raise PaymentUnclear(f"{type(error).__name__}: {error}") from error
    return _granted(name, payment, bonus)


def _granted(name: str, payment: Payment, bonus: object) -> Decimal:
    """The bonus, if it is one: the money is taken by now, whatever the plugin says beside it."""
    try:
        granted = bonus if isinstance(bonus, Decimal) else Decimal(str(bonus))
        require_credits(granted)
    except (ArithmeticError, ValueError):
        log.exception("recharge_bonus_invalid", channel=name, recharge=payment.id, bonus=repr(bonus)[:100])
        return ZERO
    return granted
