"""What can happen when a result is fetched by itself."""

from __future__ import annotations

import time
from typing import Final

from contentsvc.plugin import ProviderError
from contentsvc.testing.calling import Outcome
from contentsvc.testing.cases.base import PAGE, asked_again, case, has_link, not_repeated, plain
from contentsvc.testing.dialects import Dialect
from contentsvc.testing.stage import Failed, Planned, Stage
from contentsvc.testing.wire import Cut, Kind, Reply

PATIENCE_SECONDS: Final = 1.5
HURRIED_SECONDS: Final = (0.3, 3.0)
"""The second where a busy machine didn't get as far as the file within the first."""

FAR_TOO_MUCH: Final = 16 * 1024 * 1024
_BLOCK: Final = bytes(64 * 1024)


def _fetched(stage: Stage, reply: Planned) -> Outcome:
    stage.when(Kind.FILE, reply)
    return stage.run()


def _passes(stage: Stage, outcome: Outcome) -> None:
    """A trouble that passes: a job is asked for again, an order is not placed again.

    A backend may make a job of an order whose file doesn't come.
    """
    if stage.job_id:
        asked_again(stage, outcome)
    else:
        not_repeated(stage, outcome)


@case("link-hang", has_link)
def hang(stage: Stage) -> None:
    """The file doesn't come: a job is asked for again later; an order is not placed again."""
    for seconds in HURRIED_SECONDS:
        stage.forget()
        stage.hurry(seconds)
        outcome = _fetched(stage, Reply(hangs=True))
        if stage.fetched():
            break
    _passes(stage, outcome)


@case("link-cut", has_link)
def cut(stage: Stage) -> None:
    """The connection breaks in the middle of the file: half a file is no result."""
    half = Reply.file(stage.made.file, stage.made.media_type).but(cut=Cut.INSIDE)
    _passes(stage, _fetched(stage, half))


@case("link-503", has_link)
def unavailable(stage: Stage) -> None:
    """The file's host is overloaded: a job is asked for again later; an order is not placed again."""
    _passes(stage, _fetched(stage, Reply.file(b"busy", "text/plain", 503)))


@case("link-expired", has_link)
def expired(stage: Stage) -> None:
    """The link has expired (403 as much as 404): ProviderError, not retryable; the key is good."""
    for status in (403, 404):
        stage.forget()
        plain(stage, _fetched(stage, Reply.file(b"<Error>expired</Error>", "application/xml", status)))


@case("link-page", has_link)
def page(stage: Stage) -> None:
    """The link leads to an HTML page: ProviderError."""
    plain(stage, _fetched(stage, Reply.file(PAGE, "text/html")))


@case("link-empty", has_link)
def empty(stage: Stage) -> None:
    """The file is empty: ProviderError."""
    plain(stage, _fetched(stage, Reply.file(b"", stage.made.media_type)))


@case("link-huge", has_link)
def huge(stage: Stage) -> None:
    """The file never ends: ProviderError, long before memory or disk do."""
    reply = Reply.file(_BLOCK, stage.made.media_type).but(endless=True)
    stage.refuses(_fetched(stage, reply), ProviderError)
    if max(stage.host.most_sent, stage.provider.most_sent) > FAR_TOO_MUCH:
        raise Failed("more than 16 MiB were read")


def _is_elsewhere(dialect: Dialect) -> bool:
    return has_link(dialect) and not dialect.fetches_at_home


@case("link-private", _is_elsewhere)
def private(stage: Stage) -> None:
    """The link leads into a private network: ProviderError, and nothing is sent there."""
    stage.link_to("http://169.254.169.254/latest/meta-data/")
    plain(stage, stage.run())


@case("link-without-key", _is_elsewhere)
def without_key(stage: Stage) -> None:
    """The file lies on a host that is not the provider's: it doesn't get the key."""
    stage.result(stage.run())
    if not stage.host.requests:
        raise Failed("nothing was fetched by the link")
    if any(request.says(stage.subject.dialect.secret) for request in stage.host.requests):
        raise Failed("the key was sent to the host of the file")


@case("link-cancelled", has_link)
def cancelled(stage: Stage) -> None:
    """Cancelled while the file comes: an error within a second or so."""

    def drip(_: object) -> Reply:
        stage.caller.cancelled.set()
        return Reply.file(b"\x00", stage.made.media_type).but(endless=True, pause=0.05)

    stage.when(Kind.FILE, drip)
    stage.caller.seconds = 1.5 * PATIENCE_SECONDS
    began = time.monotonic()
    outcome = stage.run()
    if time.monotonic() - began > PATIENCE_SECONDS:
        raise Failed("it went on")
    stage.refuses(outcome, ProviderError)


FILES: Final = (
    hang,
    cut,
    unavailable,
    expired,
    page,
    empty,
    huge,
    private,
    without_key,
    cancelled,
)
