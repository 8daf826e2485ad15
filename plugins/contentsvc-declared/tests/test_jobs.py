"""The way of an order: into a model's own fields, to the provider, and back as a file that is billed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from contentsvc.plugin import (
    BillingUnit,
    Capability,
    ContentRejected,
    Context,
    ImageReference,
    ImageResult,
    ModelInfo,
    Pending,
    ReferenceRole,
    Usage,
    VideoResult,
)
from contentsvc.testing import Caller, ProviderServer, Reply, Request, sample_order, serving
from contentsvc.testing.samples import clip, media, picture
from contentsvc_declared import INLINE_SETTING, Api, DeclaredJobs, Job, Made, Provider, figures

ACME = Provider("Acme")
PICTURE = sample_order(Capability.IMAGE_GENERATION)
CLIP = replace(sample_order(Capability.VIDEO_GENERATION), first_frame=None)
OPTIONS: Mapping[str, Any] = {
    "input": {"prompt": "prompt", "duration": "seconds", "references": {"field": "pictures", "max": 9}},
    "output": "files",
    "rejected": "is_refused",
}


class AcmeJobs(DeclaredJobs):
    """Acme takes inputs at their endpoint, and tells of jobs at ``/jobs/<name>``."""

    provider = ACME
    inline_max_bytes = 100_000

    def order(self, endpoint: str, document: Mapping[str, Any], ctx: Context) -> str:
        return str(ACME.ordered(Api(ACME, ctx).order(endpoint, document))["job"])

    def ask(self, job: str, ctx: Context) -> Made | None:
        api = Api(ACME, ctx)
        told = api.ask(f"jobs/{job}")
        if not told:
            return None
        ran = figures(told, ("ran",))
        return Made(self.link(told, ctx), headers=api.headers, figures=ran, ran=ran.get("ran"))


class Acme:
    """What Acme says: ``told`` of every job. Its files end in .png and .mp4, whatever comes before."""

    def __init__(self) -> None:
        self.told: dict[str, Any] = {}
        self.requests: list[Request] = []

    def __call__(self, request: Request) -> Reply:
        self.requests.append(request)
        if request.method == "POST":
            return Reply.json({"job": "job 7"})
        if request.path.endswith(".mp4"):
            return Reply.file(clip(), "video/mp4")
        if request.path.endswith(".png"):
            return Reply.file(picture(), "image/png")
        links = [f"{request.base}/{name}" for name in self.told.get("files", ())]
        return Reply.json({**self.told, "files": links} if links else self.told)


@pytest.fixture
def acme() -> Acme:
    return Acme()


@pytest.fixture
def server(acme: Acme) -> Iterator[ProviderServer]:
    with serving(acme) as made:
        yield made


@pytest.fixture
def caller(server: ProviderServer, tmp_path: Path) -> Callable[..., Caller]:
    def make(
        capability: Capability = Capability.IMAGE_GENERATION,
        unit: BillingUnit = BillingUnit.SECOND,
        limit: str = "",
    ) -> Caller:
        info = ModelInfo("mine", "acme/film", capability, OPTIONS, unit)
        return Caller(AcmeJobs, info, f"{server.url}/v1/", "key-7", {INLINE_SETTING: limit}, tmp_path)

    return make


@pytest.fixture
def films(caller: Callable[..., Caller]) -> Caller:
    return caller(Capability.VIDEO_GENERATION)


def test_an_order_goes_to_the_models_own_fields(acme: Acme, films: Caller) -> None:
    assert films.start(CLIP).answer.job_id == "job 7?seconds=5"
    [request] = acme.requests
    assert (request.path, request.headers["Authorization"]) == ("/v1/acme/film", "Bearer key-7")
    assert request.json() == {"prompt": CLIP.prompt, "seconds": 5}


def test_a_job_runs_until_there_is_a_result(acme: Acme, films: Caller) -> None:
    assert films.poll("job 7?seconds=5").answer == Pending()
    assert [request.path for request in acme.requests] == ["/v1/jobs/job%207"]


def made(acme: Acme, caller: Caller, job: str, *files: str, **told: Any) -> Any:
    acme.told = {"files": files, **told}
    return caller.poll(job).answer.result


def test_a_picture_is_fetched_with_the_key(acme: Acme, caller: Callable[..., Caller]) -> None:
    result = made(acme, caller(), "job", "a/b.png", "a/c.png")
    assert isinstance(result, ImageResult)
    assert (result.image.path.name, result.image.path.read_bytes()) == ("picture.png", picture())
    assert (acme.requests[-1].path, acme.requests[-1].headers["Authorization"]) == (
        "/a/b.png",
        "Bearer key-7",
    )


def test_a_clip_is_one_by_its_model(acme: Acme, films: Caller) -> None:
    result = made(acme, films, "job", "b.mp4")
    assert isinstance(result, VideoResult)
    assert (result.video.path.name, result.video.path.read_bytes()) == ("clip.mp4", clip())


@pytest.mark.parametrize(
    ("job", "ran", "usage"),
    [
        ("job?seconds=6", 71.5, Usage(Decimal(6), {"ran": 71.5, "ordered_seconds": 6.0})),
        ("job", 2.5, Usage(Decimal("2.5"), {"ran": 2.5})),
        ("job", 1 / 3, Usage(Decimal("0.333"), {"ran": 1 / 3})),
        ("job", -1, Usage()),
        ("job", 1e6, Usage(raw={"ran": 1e6})),
        ("job", None, Usage()),
    ],
)
def test_seconds_are_those_ordered_or_else_those_it_ran(
    acme: Acme, films: Caller, job: str, ran: Any, usage: Usage
) -> None:
    assert made(acme, films, job, "b.mp4", ran=ran).usage == usage


def test_what_is_billed_by_the_piece_reports_no_units(acme: Acme, caller: Callable[..., Caller]) -> None:
    pictures = caller(unit=BillingUnit.IMAGE)
    assert made(acme, pictures, "job", "b.png", ran=3).usage == Usage(raw={"ran": 3.0})


def test_a_flag_tells_refused_content(acme: Acme, films: Caller) -> None:
    acme.told = {"files": ["black.mp4"], "is_refused": True}
    error = films.poll("job").error
    assert isinstance(error, ContentRejected)
    assert str(error) == "The model on Acme refuses this content."


def test_a_result_at_another_place_is_told(acme: Acme, films: Caller) -> None:
    acme.told = {"file": "b.mp4"}
    error = films.poll("job").error
    assert str(error) == "Acme's answer holds no result where the model's options look for it."


@pytest.mark.parametrize(("limit", "taken"), [("", True), ("9 MB", True), ("100000", True), ("50", False)])
def test_a_setting_limits_the_pictures_inside_of_an_order(
    acme: Acme, caller: Callable[..., Caller], limit: str, taken: bool
) -> None:
    inside, linked = media(), media("https://media.example.com/1.png")
    references = tuple(ImageReference(ReferenceRole.PRODUCT, item) for item in (linked, inside))
    outcome = caller(limit=limit).start(replace(PICTURE, references=references))
    if not taken:
        assert "too large" in str(outcome.error)
        assert acme.requests == []
        return
    first, second = acme.requests[0].json()["pictures"]
    assert first == linked.public_url
    assert second.startswith("data:image/png;base64,iVBOR")


def test_job_ids_remember_seconds() -> None:
    assert Job("a/b").id == "a/b"
    assert Job.of("a/b") == Job("a/b")
    assert Job.of(Job("a?b", 2.5).id) == Job("a?b", 2.5)
    assert Job.of("a?seconds=inf") == Job("a")
    assert Job.of("a?seconds=x") == Job("a")
