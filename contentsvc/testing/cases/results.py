"""What a provider makes: as it should be, in odd ways, and with odd figures."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from contentsvc.plugin import ProviderError, Usage
from contentsvc.testing.cases.base import Case, case, is_remote, is_script
from contentsvc.testing.dialects import Dialect
from contentsvc.testing.stage import Failed, Stage
from contentsvc.testing.wire import Kind, Reply, Request

MOST_UNITS: Final = Decimal(10) ** 9
FAR_TOO_MUCH: Final = 16 * 1024 * 1024
AT_ONCE_SECONDS: Final = 1.0
_BLOCK_BYTES: Final = 64 * 1024


def _everything(_: Dialect) -> bool:
    return True


@case("success", is_remote)
def success(stage: Stage) -> None:
    """All goes well: the right type of result, a file of the right kind, a sane usage, one order."""
    _check_usage(stage.result(stage.run()))
    if not stage.orders():
        raise Failed("nothing was ordered; does the dialect's kind() know an order when it sees one?")


@case("offline", lambda dialect: not is_remote(dialect))
def offline(stage: Stage) -> None:
    """It works without a provider: a result as it should be, and no request to anybody."""
    _check_usage(stage.result(stage.run()))
    if stage.caller.requests_sent:
        raise Failed("it sent requests, so it is not offline")


@case("slow", is_remote)
def slow(stage: Stage) -> None:
    """The provider takes its time, and its replies come in drops: the result is the same."""
    for kind in Kind:
        stage.when(kind, lambda request: _dripping(stage.usual(request)))
    stage.result(stage.run())


@case("key-not-in-urls", is_remote)
def key_not_in_urls(stage: Stage) -> None:
    """The key is in no URL: those are written down by every proxy on the way."""
    stage.result(stage.run())
    if any(stage.subject.dialect.secret in request.target for request in stage.provider.requests):
        raise Failed("the key is part of a URL")


@case("huge", lambda dialect: is_remote(dialect) and not dialect.has_link)
def huge(stage: Stage) -> None:
    """A reply that never ends: an error, long before memory or disk do."""
    kind = Kind.POLL if stage.subject.dialect.is_job else Kind.ORDER

    def endless(request: Request) -> Reply:
        usual = stage.subject.dialect.done(stage.made, request)
        piece = b"".join(usual.pieces[:-1]) or usual.said + bytes(_BLOCK_BYTES)
        return usual.but(pieces=(piece * max(1, _BLOCK_BYTES // len(piece)),), endless=True)

    stage.when(kind, endless)
    stage.refuses(stage.run(), ProviderError)
    if stage.provider.most_sent > FAR_TOO_MUCH:
        raise Failed("more than 16 MiB were read")


def _holds_two(dialect: Dialect) -> bool:
    return is_remote(dialect) and type(dialect).twice is not Dialect.twice


@case("twice", _holds_two)
def twice(stage: Stage) -> None:
    """The reply holds the result twice: one result."""
    kind = Kind.POLL if stage.subject.dialect.is_job else Kind.ORDER

    def doubled(request: Request) -> Reply:
        reply = stage.subject.dialect.twice(stage.made, request)
        return reply if reply is not None else stage.usual(request)

    stage.when(kind, doubled)
    stage.result(stage.run())


def _usage_case(name: str, figure: Any, words: str) -> Case:
    def play(stage: Stage) -> None:
        stage.made = replace(stage.made, usage=figure)
        _check_usage(stage.result(stage.run()))

    promise = f"The usage is {words}: the work is handed over all the same, with a sane figure or None."
    return Case(f"usage-{name}", promise, lambda dialect: is_remote(dialect) and dialect.reports_usage, play)


USAGES: Final = (
    _usage_case("negative", -5, "negative"),
    _usage_case("nan", math.nan, "NaN"),
    _usage_case("infinite", math.inf, "infinite"),
    _usage_case("absurd", 10**30, "absurdly high"),
    _usage_case("text", "a lot", "a text"),
    _usage_case("missing", None, "null"),
    _usage_case("object", {"total": [3]}, "an object"),
)


@case("cancelled", _everything)
def cancelled(stage: Stage) -> None:
    """Nobody wants the result any more: it ends, in whatever way, and orders nothing more."""
    stage.caller.cancelled.set()
    stage.run()
    stage.check()


@case("reader-leaves", is_script)
def reader_leaves(stage: Stage) -> None:
    """The reader goes away in the middle: the stream is closed at once, and so is the connection."""
    stage.when(Kind.ORDER, lambda request: _streamed(stage.usual(request)).but(hangs=True))
    stage.caller.seconds = 1.5 * AT_ONCE_SECONDS
    if stage.caller.leave(stage.order) > AT_ONCE_SECONDS:
        raise Failed("closing the stream took more than a second")
    if not stage.provider.left.wait(2 * AT_ONCE_SECONDS):
        raise Failed("the connection to the provider stays open")


@case("stream-ends-early", is_script)
def stream_ends_early(stage: Stage) -> None:
    """The stream ends well, but too early: an error, not a defect."""

    def early(request: Request) -> Reply:
        reply = _streamed(stage.usual(request))
        return reply.but(pieces=reply.pieces[: len(reply.pieces) // 2])

    stage.when(Kind.ORDER, early)
    stage.refuses(stage.start(), ProviderError)


def _streamed(reply: Reply) -> Reply:
    """The same in at least two pieces."""
    if len(reply.pieces) > 1:
        return reply
    said = reply.said
    return reply.but(pieces=(said[: len(said) // 2], said[len(said) // 2 :]))


def _dripping(reply: Reply) -> Reply:
    said = reply.said
    size = max(1, len(said) // 3)
    pieces = reply.pieces or tuple(said[at : at + size] for at in range(0, len(said), size))
    return reply.but(pieces=pieces, pause=0.01, delay=0.05)


def _check_usage(result: Any) -> None:
    usage = getattr(result, "usage", None)
    if usage is None:
        return
    if not isinstance(usage, Usage):
        raise Failed(f"usage is a Usage, not {usage!r}")
    units = usage.units
    if units is not None and not (
        isinstance(units, Decimal) and units.is_finite() and 0 <= units <= MOST_UNITS
    ):
        raise Failed(f"usage.units is a Decimal from 0 to a thousand million, or None; not {units!r}")
    try:
        json.dumps(dict(usage.raw), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Failed(f"usage.raw has JSON values only: {error}") from None


RESULTS: Final = (success, offline, slow, key_not_in_urls, huge, twice, *USAGES, cancelled)
STREAMS: Final = (reader_leaves, stream_ends_early)
