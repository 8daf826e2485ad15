"""What can happen to an order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Final

from contentsvc.plugin import AuthenticationFailed, ContentRejected, ProviderError, RateLimited
from contentsvc.testing.calling import Outcome
from contentsvc.testing.cases.base import (
    BROKEN,
    PAGE,
    RETRY_AFTER,
    asked_again,
    case,
    error_reply,
    is_remote,
    not_repeated,
    nowhere,
    unknown,
)
from contentsvc.testing.stage import Failed, Stage
from contentsvc.testing.wire import Cut, Kind, Reply


@case("order-unreachable", is_remote)
def unreachable(stage: Stage) -> None:
    """Nobody listens: the order was certainly not taken, and may be placed again."""
    nowhere(stage)
    asked_again(stage, stage.start())


@case("order-hang", is_remote)
def hang(stage: Stage) -> None:
    """The order is read and never answered: OutcomeUnknown."""
    stage.hurry()
    stage.when(Kind.ORDER, Reply(hangs=True))
    unknown(stage, stage.start())


@case("order-cut-unread", is_remote)
def cut_unread(stage: Stage) -> None:
    """The connection breaks while the order is sent: nobody can tell, so OutcomeUnknown."""
    stage.provider.unread.add(Kind.ORDER)
    unknown(stage, stage.start())


@case("order-cut-taken", is_remote)
def cut_taken(stage: Stage) -> None:
    """The connection breaks once the order is read: OutcomeUnknown."""
    stage.when(Kind.ORDER, Reply(cut=Cut.BEFORE))
    unknown(stage, stage.start())


@case("order-cut-inside", is_remote)
def cut_inside(stage: Stage) -> None:
    """The connection breaks in the middle of the reply: not retryable."""
    stage.when(Kind.ORDER, lambda request: stage.usual(request).but(cut=Cut.INSIDE))
    not_repeated(stage, stage.start())


@case("order-401", is_remote)
def unauthorised(stage: Stage) -> None:
    """The key is refused: AuthenticationFailed."""
    stage.when(Kind.ORDER, error_reply(stage, 401, "Invalid API key."))
    stage.refuses(stage.start(), AuthenticationFailed)


@case("order-429", is_remote)
def rate_limited(stage: Stage) -> None:
    """429 with Retry-After: 7 is RateLimited with retry_after 7."""
    stage.when(Kind.ORDER, error_reply(stage, 429, "Slow down.", {"Retry-After": "7"}))
    expect_pause(stage, stage.start())


@case("order-429-date", is_remote)
def rate_limited_until(stage: Stage) -> None:
    """Retry-After may be a date: RateLimited, with the seconds until then or without."""
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    stage.when(Kind.ORDER, error_reply(stage, 429, "Slow down.", {"Retry-After": then}))
    _pauses_sanely(stage, stage.start())


@case("order-429-bare", is_remote)
def rate_limited_somehow(stage: Stage) -> None:
    """429 without Retry-After is RateLimited as well."""
    stage.when(Kind.ORDER, error_reply(stage, 429, "Slow down."))
    _pauses_sanely(stage, stage.start())


@case("order-500", is_remote)
def broken(stage: Stage) -> None:
    """An order that ends in 500 may have been taken: not retryable."""
    stage.when(Kind.ORDER, error_reply(stage, 500))
    expect_after_5xx(stage, stage.start())


@case("order-503", is_remote)
def unavailable(stage: Stage) -> None:
    """503 says that the provider is overloaded: an error, retryable or not."""
    stage.when(Kind.ORDER, error_reply(stage, 503, "Overloaded."))
    stage.refuses(stage.start(), ProviderError)


@case("order-502-page", is_remote)
def gateway_page(stage: Stage) -> None:
    """A gateway's HTML page with 502: the order may have got through, so not retryable."""
    stage.when(Kind.ORDER, Reply.file(PAGE, "text/html", 502))
    expect_after_5xx(stage, stage.start())


@case("order-page", is_remote)
def page(stage: Stage) -> None:
    """An HTML page with 200 is no result: not retryable."""
    stage.when(Kind.ORDER, Reply.file(PAGE, "text/html"))
    not_repeated(stage, stage.start())


@case("order-broken-json", is_remote)
def broken_json(stage: Stage) -> None:
    """JSON that ends too early is an error, and not retryable."""
    stage.when(Kind.ORDER, BROKEN)
    not_repeated(stage, stage.start())


@case("order-other-json", is_remote)
def other_json(stage: Stage) -> None:
    """JSON of another shape is an error, and not retryable."""
    for document in SHAPES:
        stage.forget()
        stage.when(Kind.ORDER, Reply.json(document))
        not_repeated(stage, stage.start())


@case("order-refused", lambda dialect: is_remote(dialect) and not dialect.refuses_later)
def refused(stage: Stage) -> None:
    """The content is refused: ContentRejected."""
    stage.when(Kind.ORDER, stage.subject.dialect.refused)
    stage.refuses(stage.start(), ContentRejected)


SHAPES: Final[tuple[Any, ...]] = (
    None,
    [],
    {},
    "done",
    {"data": None},
    {"data": [None]},
    {"id": {}, "status": 7, "output": 1},
)


def expect_pause(stage: Stage, outcome: Outcome) -> None:
    """RateLimited, with what the header says."""
    error = _pauses_sanely(stage, outcome)
    if error.retry_after != RETRY_AFTER:
        raise Failed(f"Retry-After says 7 seconds, retry_after is {error.retry_after}")


def _pauses_sanely(stage: Stage, outcome: Outcome) -> RateLimited:
    error = stage.refuses(outcome, RateLimited)
    if not error.retryable:
        raise Failed("RateLimited must be retryable")
    return error


def expect_after_5xx(stage: Stage, outcome: Outcome) -> None:
    """Not retryable, unless the provider says that such orders were not taken."""
    if stage.subject.dialect.takes_nothing_on_5xx:
        stage.refuses(outcome, ProviderError)
    else:
        not_repeated(stage, outcome)


ORDERS: Final = (
    unreachable,
    hang,
    cut_unread,
    cut_taken,
    cut_inside,
    unauthorised,
    rate_limited,
    rate_limited_until,
    rate_limited_somehow,
    broken,
    unavailable,
    gateway_page,
    page,
    broken_json,
    other_json,
    refused,
)
