"""What a case is, and what most of them ask."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from contentsvc.plugin import Capability, OutcomeUnknown, ProviderError
from contentsvc.testing.calling import Outcome
from contentsvc.testing.dialects import Dialect, Offline
from contentsvc.testing.stage import Failed, Stage
from contentsvc.testing.wire import Reply, Request

PAGE: Final = b"<!DOCTYPE html><html><head><title>502</title></head><body><h1>Bad gateway</h1></body></html>"
BROKEN: Final = Reply(200, b'{"id": "job-5f2a", "da', {"Content-Type": "application/json"})
RETRY_AFTER: Final = 7.0

Play: TypeAlias = Callable[[Stage], None]
Applies: TypeAlias = Callable[[Dialect], bool]


@dataclass(frozen=True)
class Case:
    """One thing that can happen, and what a backend has to do then.

    ``play`` raises Failed where it doesn't. ``promise`` is a sentence on what it has to do.
    """

    name: str
    promise: str
    applies: Applies
    play: Play


def case(name: str, applies: Applies) -> Callable[[Play], Case]:
    """Make a case of a function; its docstring is the promise."""

    def make(play: Play) -> Case:
        return Case(name, " ".join((play.__doc__ or "").split()), applies, play)

    return make


def is_remote(dialect: Dialect) -> bool:
    """Whether there is a provider to talk to."""
    return not isinstance(dialect, Offline)


def is_job(dialect: Dialect) -> bool:
    """Whether orders are asked for."""
    return is_remote(dialect) and dialect.is_job


def has_link(dialect: Dialect) -> bool:
    """Whether results are fetched by themselves."""
    return is_remote(dialect) and dialect.has_link


def is_script(dialect: Dialect) -> bool:
    """Whether the capability is ``script``."""
    return is_remote(dialect) and dialect.capability is Capability.SCRIPT


def not_repeated(stage: Stage, outcome: Outcome) -> ProviderError:
    """The error of an order that may have been taken: it must not invite another one."""
    error = stage.refuses(outcome, ProviderError)
    if error.retryable:
        raise Failed(f"the order may have been taken, so it must not be retryable; {outcome}")
    return error


def unknown(stage: Stage, outcome: Outcome) -> None:
    """Nobody knows whether the order was taken; the service must be told so."""
    stage.refuses(outcome, OutcomeUnknown)
    not_repeated(stage, outcome)


def asked_again(stage: Stage, outcome: Outcome) -> None:
    """The job goes on, whatever this question came to."""
    error = stage.refuses(outcome, ProviderError)
    if not error.retryable or isinstance(error, OutcomeUnknown):
        raise Failed(f"the job still runs, so the error must be retryable; {outcome}")


def plain(stage: Stage, outcome: Outcome) -> None:
    """It is over: an error that is neither retryable nor of a special meaning."""
    error = not_repeated(stage, outcome)
    if type(error) is not ProviderError:
        raise Failed(f"nothing but a ProviderError is expected; {outcome}")


def error_reply(
    stage: Stage,
    status: int,
    message: str = "Something went wrong.",
    headers: Mapping[str, str] = MappingProxyType({}),
) -> Callable[[Request], Reply]:
    """The provider's error of an HTTP status, as :meth:`Stage.when` takes it."""

    def answer(request: Request) -> Reply:
        reply = stage.subject.dialect.error(status, message, request)
        return reply.but(headers={**reply.headers, **headers})

    return answer


def nowhere(stage: Stage) -> None:
    """Let the provider's address be one where nobody listens."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    stage.caller.base_url = f"http://127.0.0.1:{port}{stage.subject.dialect.base_path}"
