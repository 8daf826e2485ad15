"""What is said: messages for the customer, and logs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from contentsvc.testing.calling import Outcome
from contentsvc.testing.cases.base import PAGE, case, error_reply, is_remote
from contentsvc.testing.stage import Failed, Stage
from contentsvc.testing.wire import Cut, Kind, Reply

MAX_MESSAGE: Final = 500
_NOT_FOR_PEOPLE: Final = ("://", "<html", "<h1", "Traceback", "httpx", "127.0.0.1")


def _troubles(stage: Stage) -> Iterator[tuple[str, Outcome]]:
    """What orders and polls can come to, with a provider that repeats the key in its errors."""
    dialect = stage.subject.dialect
    echo = f"Incorrect API key provided: {dialect.secret}. See {stage.provider.url}/keys"
    yield "success", stage.attempt()
    for kind in (Kind.ORDER, Kind.POLL) if dialect.is_job else (Kind.ORDER,):
        for status in (400, 401, 403, 500):
            stage.forget()
            stage.when(kind, error_reply(stage, status, echo))
            yield f"{status} at the {kind}", stage.attempt()
    stage.forget()
    stage.when(Kind.ORDER, Reply.file(PAGE, "text/html", 502))
    yield "a page", stage.attempt()
    stage.forget()
    stage.when(Kind.ORDER, Reply(cut=Cut.BEFORE))
    yield "a cut", stage.attempt()


@case("secret-in-message", is_remote)
def secret_in_message(stage: Stage) -> None:
    """The key is in no message, even where the provider repeats it."""
    for trouble, outcome in _troubles(stage):
        if stage.subject.dialect.secret in outcome.message:
            raise Failed(f"after {trouble} the message has the key in it")


@case("secret-in-log", is_remote)
def secret_in_log(stage: Stage) -> None:
    """The key is in nothing that is logged or printed, at any level."""
    for trouble, _ in _troubles(stage):
        if stage.subject.dialect.secret in stage.caller.written:
            raise Failed(f"after {trouble} the key is in the log")


@case("secret-in-state", is_remote)
def secret_in_state(stage: Stage) -> None:
    """The key is not kept in ctx.state."""
    stage.attempt()
    if stage.subject.dialect.secret in repr(stage.caller.state):
        raise Failed("the key is in ctx.state")


@case("readable", is_remote)
def readable(stage: Stage) -> None:
    """Messages are a sentence for a customer: no link, no markup, no trace."""
    for trouble, outcome in _troubles(stage):
        message = outcome.message
        for words in _NOT_FOR_PEOPLE:
            if words in message:
                raise Failed(f"after {trouble} the message is nothing to read, for {words!r}: {message!r}")
        if outcome.error is outcome.raised is not None and not 0 < len(message) <= MAX_MESSAGE:
            raise Failed(f"after {trouble} the message has {len(message)} characters")


WORDS: Final = (secret_in_message, secret_in_log, secret_in_state, readable)
