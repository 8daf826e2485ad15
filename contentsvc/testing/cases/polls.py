"""What can happen when a job is asked for."""

from __future__ import annotations

from typing import Final

from contentsvc.plugin import AuthenticationFailed, ContentRejected, Done, Pending, ProviderError
from contentsvc.testing.calling import Outcome
from contentsvc.testing.cases.base import (
    BROKEN,
    PAGE,
    asked_again,
    case,
    error_reply,
    is_job,
    nowhere,
    plain,
)
from contentsvc.testing.cases.orders import SHAPES, expect_pause
from contentsvc.testing.dialects import Dialect
from contentsvc.testing.stage import Failed, Planned, Stage
from contentsvc.testing.wire import Cut, Kind, Reply


def _polled(stage: Stage, reply: Planned) -> Outcome:
    job_id = stage.accepted()
    stage.when(Kind.POLL, reply)
    return stage.poll(job_id)


@case("poll-unreachable", is_job)
def unreachable(stage: Stage) -> None:
    """Nobody listens for the moment: retryable."""
    job_id = stage.accepted()
    nowhere(stage)
    asked_again(stage, stage.poll(job_id))


@case("poll-hang", is_job)
def hang(stage: Stage) -> None:
    """No answer: retryable."""
    job_id = stage.accepted()
    stage.hurry()
    stage.when(Kind.POLL, Reply(hangs=True))
    asked_again(stage, stage.poll(job_id))


@case("poll-cut", is_job)
def cut(stage: Stage) -> None:
    """The connection breaks: retryable."""
    asked_again(stage, _polled(stage, Reply(cut=Cut.BEFORE)))


@case("poll-401", is_job)
def unauthorised(stage: Stage) -> None:
    """The key is refused: AuthenticationFailed."""
    stage.refuses(_polled(stage, error_reply(stage, 401, "Invalid API key.")), AuthenticationFailed)


@case("poll-429", is_job)
def rate_limited(stage: Stage) -> None:
    """429 with Retry-After: 7 is RateLimited with retry_after 7."""
    expect_pause(stage, _polled(stage, error_reply(stage, 429, "Slow down.", {"Retry-After": "7"})))


@case("poll-500", is_job)
def broken(stage: Stage) -> None:
    """500 says nothing of the job, which goes on: retryable."""
    asked_again(stage, _polled(stage, error_reply(stage, 500)))


@case("poll-502-page", is_job)
def gateway_page(stage: Stage) -> None:
    """A gateway's HTML page says nothing of the job either: retryable."""
    asked_again(stage, _polled(stage, Reply.file(PAGE, "text/html", 502)))


@case("poll-page", is_job)
def page(stage: Stage) -> None:
    """An HTML page with 200 is no result."""
    stage.refuses(_polled(stage, Reply.file(PAGE, "text/html")), ProviderError)


@case("poll-broken-json", is_job)
def broken_json(stage: Stage) -> None:
    """JSON that ends too early is an error."""
    stage.refuses(_polled(stage, BROKEN), ProviderError)


@case("poll-other-json", is_job)
def other_json(stage: Stage) -> None:
    """JSON of another shape is an error."""
    job_id = stage.accepted()
    for document in SHAPES:
        stage.when(Kind.POLL, Reply.json(document))
        stage.refuses(stage.poll(job_id), ProviderError)


@case("poll-404", is_job)
def gone(stage: Stage) -> None:
    """The provider doesn't know the job any more: an error."""
    stage.refuses(_polled(stage, error_reply(stage, 404, "No such job.")), ProviderError)


@case("poll-failed", is_job)
def failed(stage: Stage) -> None:
    """The job has failed: ProviderError, and not retryable, for another poll would say the same."""
    plain(stage, _polled(stage, stage.subject.dialect.failed))


def _refuses_later(dialect: Dialect) -> bool:
    return is_job(dialect) and dialect.refuses_later


@case("poll-refused", _refuses_later)
def refused(stage: Stage) -> None:
    """The content is refused: ContentRejected."""
    stage.refuses(_polled(stage, stage.subject.dialect.refused), ContentRejected)


@case("poll-pending", is_job)
def pending(stage: Stage) -> None:
    """A job that runs is Pending, with a progress of 0 to 1 or None."""
    outcome = _polled(stage, stage.subject.dialect.pending)
    if not isinstance(outcome.answer, Pending):
        raise Failed(f"Pending is expected; {outcome}")
    progress = outcome.answer.progress
    if progress is not None and not 0 <= progress <= 1:
        raise Failed(f"progress is 0 to 1 or None, not {progress!r}")


@case("poll-again", is_job)
def again(stage: Stage) -> None:
    """A job that is done is asked for once more, after a crash for example: the same result."""
    first = stage.run()
    stage.result(first)
    job_id = stage.job_id
    second = stage.poll(job_id)
    if not isinstance(second.answer, Done):
        raise Failed(f"the job is done, whoever asks; {second}")
    stage.result(second)


POLLS: Final = (
    unreachable,
    hang,
    cut,
    unauthorised,
    rate_limited,
    broken,
    gateway_page,
    page,
    broken_json,
    other_json,
    gone,
    failed,
    refused,
    pending,
    again,
)
