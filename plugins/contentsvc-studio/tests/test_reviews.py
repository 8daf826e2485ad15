from pathlib import Path

import pytest
import studio_fakes as fakes
from PIL import Image

from contentsvc.plugin import Accepted, Done, Pending, ProviderError, ReviewRequest, ReviewResult
from contentsvc_studio.reviews import backend
from contentsvc_studio.reviews.backend import SECONDS, StudioReviews


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, as a list of one figure that tests move."""
    now = [1000.0]
    monkeypatch.setattr(backend.time, "time", lambda: now[0])
    return now


def order(picture: Image.Image | bytes, ctx: fakes.FakeContext) -> str:
    media = fakes.FakeMedia(picture if isinstance(picture, bytes) else fakes.encode(picture))
    accepted = StudioReviews().start(ReviewRequest(media, "Anna"), ctx)
    assert isinstance(accepted, Accepted)
    return accepted.job_id


def verdict(picture: Image.Image | bytes, clock: list[float]) -> ReviewResult:
    ctx = fakes.FakeContext(Path())
    job = order(picture, ctx)
    clock[0] += SECONDS
    answer = StudioReviews().poll(job, ctx)
    assert isinstance(answer, Done)
    return answer.result


def test_a_portrait_is_approved(clock: list[float]) -> None:
    assert verdict(fakes.portrait(), clock) == ReviewResult(True)


def test_a_review_takes_a_moment(clock: list[float]) -> None:
    ctx = fakes.FakeContext(Path())
    job = order(fakes.portrait(), ctx)
    clock[0] += SECONDS / 2
    answer = StudioReviews().poll(job, ctx)
    assert isinstance(answer, Pending)
    assert answer.progress == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("size", [(255, 900), (900, 255)])
def test_small_pictures_are_rejected(size: tuple[int, int], clock: list[float]) -> None:
    result = verdict(fakes.portrait(*size), clock)
    assert not result.is_approved
    assert "256" in result.reason


def test_the_smallest_allowed_size_is_approved(clock: list[float]) -> None:
    assert verdict(fakes.portrait(256, 400), clock).is_approved


@pytest.mark.parametrize("colour", ["black", "white", (120, 80, 60)])
def test_uniform_pictures_are_rejected(colour: str | tuple[int, int, int], clock: list[float]) -> None:
    result = verdict(Image.new("RGB", (400, 400), colour), clock)
    assert not result.is_approved
    assert "one colour" in result.reason


def test_unreadable_files_are_rejected(clock: list[float]) -> None:
    assert verdict(b"nothing", clock).reason == "The picture can't be read."


def test_a_team_has_one_review_group(clock: list[float]) -> None:
    ctx = fakes.FakeContext(Path())
    order(fakes.portrait(), ctx)
    first = ctx.state["review_group"]
    ctx.idempotency_key = "order-2"
    order(fakes.portrait(), ctx)
    assert ctx.state == {"review_group": first}


@pytest.mark.parametrize("job_id", ["", "x", "review:now:approved", "review:1:perhaps", "video:1:approved"])
def test_unknown_jobs_are_refused(job_id: str) -> None:
    with pytest.raises(ProviderError):
        StudioReviews().poll(job_id, fakes.FakeContext(Path()))
