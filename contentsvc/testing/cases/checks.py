"""What can happen when a driver's check asks whether its provider could be asked."""

from __future__ import annotations

from typing import Final

from contentsvc.plugin import AuthenticationFailed, ProviderError
from contentsvc.testing.calling import Outcome
from contentsvc.testing.cases.base import BROKEN, PAGE, case, error_reply, is_remote
from contentsvc.testing.dialects import Dialect
from contentsvc.testing.stage import Failed, Planned, Stage
from contentsvc.testing.wire import Kind, Reply, Request


def _has_check(dialect: Dialect) -> bool:
    return is_remote(dialect) and type(dialect).checked is not Dialect.checked


def _checked(stage: Stage, reply: Planned) -> Outcome:
    """What the check comes to; it must have ordered nothing."""
    for kind in Kind:
        stage.when(kind, reply)
    outcome = stage.check_key()
    if stage.orders():
        raise Failed("the check has placed an order, which costs money")
    return outcome


@case("check", _has_check)
def check(stage: Stage) -> None:
    """The key is good: a sentence, with neither the key nor an address in it, and no order."""

    def good(request: Request) -> Reply:
        return stage.subject.dialect.checked(request) or Reply(404)

    outcome = _checked(stage, good)
    words = outcome.answer
    if not isinstance(words, str) or not words.strip():
        raise Failed(f"a sentence is expected; {outcome}")
    if stage.subject.dialect.secret in words or "://" in words:
        raise Failed(f"this is not for everybody: {words!r}")


@case("check-401", _has_check)
def unauthorised(stage: Stage) -> None:
    """The key is refused: AuthenticationFailed."""
    message = f"Incorrect API key provided: {stage.subject.dialect.secret}."
    outcome = _checked(stage, error_reply(stage, 401, message))
    stage.refuses(outcome, AuthenticationFailed)
    if stage.subject.dialect.secret in outcome.message:
        raise Failed("the message has the key in it")


@case("check-fails", _has_check)
def fails(stage: Stage) -> None:
    """The provider answers with 500, with a page of a gateway, or with broken JSON: no defect."""
    stage.refuses(_checked(stage, error_reply(stage, 500)), ProviderError)
    stage.refuses(_checked(stage, Reply.file(PAGE, "text/html", 502)), ProviderError)
    _checked(stage, BROKEN)


@case("check-hang", _has_check)
def hang(stage: Stage) -> None:
    """The provider doesn't answer: an error."""
    stage.hurry()
    stage.refuses(_checked(stage, Reply(hangs=True)), ProviderError)


CHECKS: Final = (check, unauthorised, fails, hang)
