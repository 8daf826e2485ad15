"""What is sent to ComfyUI, and how its history is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from contentsvc.plugin import (
    BillingUnit,
    Capability,
    ImageReference,
    ModelInfo,
    OutcomeUnknown,
    ReferenceRole,
)
from contentsvc.testing import Caller, ProviderServer, Reply, Request, SampleMedia, sample_order, serving
from contentsvc.testing.samples import media, picture
from contentsvc_comfyui.driver import comfyui_driver
from contentsvc_comfyui.server import job_name

PICTURE = sample_order(Capability.IMAGE_GENERATION)
TEXT_CLIP = replace(sample_order(Capability.VIDEO_GENERATION), first_frame=None)
OUR_JOB = job_name("order-7c1d")


class Comfyui:
    """A ComfyUI that takes everything; ``history`` and ``queue`` are what it says of its orders."""

    def __init__(self) -> None:
        self.history: dict[str, Any] = {}
        self.queue: list[Any] = []
        self.graphs: list[dict[str, Any]] = []
        self.uploads: list[Request] = []
        self.reply: Reply | None = None

    def __call__(self, request: Request) -> Reply:
        if request.path == "/upload/image":
            self.uploads.append(request)
            name = f"up-{len(self.uploads)}.png"
            return Reply.json({"name": name, "subfolder": "contentsvc", "type": "input"})
        if request.path == "/prompt":
            self.graphs.append(request.json()["prompt"])
            return self.reply or Reply.json({"prompt_id": request.json()["prompt_id"], "number": 1})
        if request.path == "/queue":
            return Reply.json({"queue_running": [], "queue_pending": self.queue})
        if request.path == "/view":
            return Reply.file(picture(), "image/png")
        return Reply.json(self.history)


@pytest.fixture
def comfyui() -> Comfyui:
    return Comfyui()


@pytest.fixture
def server(comfyui: Comfyui) -> Iterator[ProviderServer]:
    with serving(comfyui) as made:
        yield made


@pytest.fixture
def caller(server: ProviderServer, tmp_path: Path) -> Callable[..., Caller]:
    def make(
        endpoint: str,
        capability: Capability = Capability.IMAGE_GENERATION,
        *,
        folder: Path | None = None,
        secret: str | None = None,
        unit: BillingUnit | None = None,
        **options: Any,
    ) -> Caller:
        info = ModelInfo("mine", endpoint, capability, options, unit)
        backend = comfyui_driver().capabilities[capability]
        settings = {"workflows": str(folder or "")}
        return Caller(backend, info, server.url, secret, settings, tmp_path / "orders")

    return make


def write(folder: Path, name: str = "flow", **changes: Any) -> Path:
    """A workflow of two nodes that load pictures, in a file."""
    nodes = {
        "1": {"class_type": "Prompt", "inputs": {"text": "", "steps": 20}},
        "2": {"class_type": "LoadImage", "inputs": {"image": ""}},
        "57:8": {"class_type": "LoadImage", "inputs": {"image": ""}},
    }
    file = {"slots": {"prompt": "1.text"}, "workflow": nodes, **changes}
    (folder / f"{name}.json").write_text(json.dumps(file))
    return folder


def references(count: int) -> tuple[ImageReference, ...]:
    return tuple(ImageReference(ReferenceRole.PRODUCT, media()) for _ in range(count))


def made(*files: str, **entry: Any) -> dict[str, Any]:
    """A history in which our order is done."""
    images = [{"filename": name, "subfolder": "", "type": "output"} for name in files]
    usual = {"outputs": {"9": {"images": images}}, "status": {"status_str": "success", "messages": []}}
    return {OUR_JOB: {**usual, **entry}}


def test_slots_of_an_example_are_filled(comfyui: Comfyui, caller: Callable[..., Caller]) -> None:
    order = replace(PICTURE, ratio="9:16", index=2)
    outcome = caller("sdxl-text-to-image").start(order)
    assert outcome.answer.job_id == f"sdxl-text-to-image/{OUR_JOB}"
    [graph] = comfyui.graphs
    assert graph["positive"]["inputs"]["text"] == order.prompt
    assert graph["negative"]["inputs"]["text"] == order.negative_prompt
    assert graph["sampler"]["inputs"]["seed"] == 13
    assert (graph["size"]["inputs"]["width"], graph["size"]["inputs"]["height"]) == (768, 1344)
    assert graph["save"]["class_type"] == "SaveImage"


def test_references_are_uploaded_and_named(comfyui: Comfyui, caller: Callable[..., Caller]) -> None:
    caller("sdxl-image-to-image", Capability.IMAGE_EDIT).start(sample_order(Capability.IMAGE_EDIT))
    [upload] = comfyui.uploads
    assert f'filename="{OUR_JOB}-0.png"'.encode() in upload.body
    assert picture(256, "sienna") in upload.body
    assert comfyui.graphs[0]["picture"]["inputs"]["image"] == "contentsvc/up-1.png"


def test_the_first_picture_fills_places_that_are_left(
    comfyui: Comfyui, caller: Callable[..., Caller], tmp_path: Path
) -> None:
    slots = {"prompt": "1.text", "references": ["2.image", "57:8.image"]}
    flow = caller("flow", Capability.IMAGE_EDIT, folder=write(tmp_path, slots=slots))
    for count, names in ((1, ["up-1", "up-1"]), (3, ["up-2", "up-3"])):
        flow.start(replace(PICTURE, references=references(count)))
        loaded = [comfyui.graphs[-1][node]["inputs"]["image"] for node in ("2", "57:8")]
        assert loaded == [f"contentsvc/{name}.png" for name in names]


def test_options_set_inputs_and_choose_variants(
    comfyui: Comfyui, caller: Callable[..., Caller], tmp_path: Path
) -> None:
    write(tmp_path, "film", slots={"prompt": "1.text", "first_frame": "2.image"})
    folder = write(tmp_path)
    flow = caller(
        "flow",
        Capability.VIDEO_GENERATION,
        folder=folder,
        set={"1.steps": 4},
        variants={"first_frame": "film"},
    )
    flow.start(TEXT_CLIP)
    assert flow.start(replace(TEXT_CLIP, first_frame=media())).answer.job_id.startswith("film/")
    without, with_frame = comfyui.graphs
    assert without["1"]["inputs"]["steps"] == 4
    assert without["2"]["inputs"]["image"] == ""
    assert with_frame["2"]["inputs"]["image"] == "contentsvc/up-1.png"


@pytest.mark.parametrize(
    ("asked", "frames", "seconds"), [(5, 121, "5"), (2.1, 53, "2.16667"), (30, 121, "5")]
)
def test_a_clips_length_is_counted_in_frames(
    comfyui: Comfyui, caller: Callable[..., Caller], asked: float, frames: int, seconds: str
) -> None:
    flow = caller("wan-text-to-video", Capability.VIDEO_GENERATION)
    outcome = flow.start(replace(TEXT_CLIP, duration_seconds=asked))
    assert outcome.answer.job_id == f"wan-text-to-video/{OUR_JOB}?seconds={seconds}"
    latent = comfyui.graphs[0]["latent"]["inputs"]
    assert (latent["length"], latent["width"], latent["height"]) == (frames, 704, 1280)


@pytest.mark.parametrize(
    ("changes", "order", "words"),
    [
        ({}, replace(PICTURE, references=references(1)), "takes no reference pictures"),
        ({"slots": {"prompt": "1.text", "references": "2.image"}}, PICTURE, "needs reference pictures"),
        ({"slots": {"prompt": "7.text"}}, PICTURE, "there is no node 7"),
        ({"slots": {"prompt": "1.txt"}}, PICTURE, "node 1 (Prompt) has no input txt"),
        ({"slots": {"prompt": "1.text", "sede": "1.steps"}}, PICTURE, "slots.sede"),
        ({"slots": {"prompt": "1.text", "width": "1.steps"}}, PICTURE, "there are no sizes"),
        (
            {"slots": {"prompt": "1.text", "width": "1.steps"}, "sizes": {"9:16": [720, 1280]}},
            PICTURE,
            "no size for 1:1",
        ),
        ({"workflow": {"nodes": [], "links": []}}, PICTURE, "Export (API)"),
        ({"output": "77"}, PICTURE, "there is no node 77"),
    ],
)
def test_what_a_workflow_cannot_do_is_told_before_anything_is_sent(
    server: ProviderServer,
    caller: Callable[..., Caller],
    tmp_path: Path,
    changes: dict[str, Any],
    order: Any,
    words: str,
) -> None:
    outcome = caller("flow", folder=write(tmp_path, **changes)).start(order)
    assert words in str(outcome.error)
    assert server.requests == []


@pytest.mark.parametrize("name", ["../flow", "/etc/passwd", "none", ".flow", "a/b"])
def test_files_are_found_by_plain_names_only(
    server: ProviderServer, caller: Callable[..., Caller], tmp_path: Path, name: str
) -> None:
    write(tmp_path)
    (tmp_path / "inside").mkdir()
    assert "workflow file" in str(caller(name, folder=tmp_path / "inside").start(PICTURE).error)
    assert server.requests == []


def test_a_lost_order_is_looked_for_before_it_is_repeated(
    comfyui: Comfyui, caller: Callable[..., Caller], tmp_path: Path
) -> None:
    flow = caller("flow", folder=write(tmp_path), resubmit_safe=True)
    comfyui.queue = [[7, OUR_JOB, {}, {}, []]]
    assert flow.start(PICTURE).answer.job_id == f"flow/{OUR_JOB}"
    comfyui.queue, comfyui.history = [], made("done.png")
    assert flow.start(PICTURE).answer.job_id == f"flow/{OUR_JOB}"
    assert comfyui.graphs == []
    comfyui.history = {}
    flow.start(PICTURE)
    assert len(comfyui.graphs) == 1


def test_a_key_for_the_proxy_is_sent_with_everything(
    comfyui: Comfyui, server: ProviderServer, caller: Callable[..., Caller], tmp_path: Path
) -> None:
    flow = caller("flow", folder=write(tmp_path), secret="letmein", resubmit_safe=True)
    flow.start(PICTURE)
    comfyui.history = made("done.png")
    flow.poll(f"flow/{OUR_JOB}")
    assert {request.path for request in server.requests} >= {"/prompt", "/queue", "/view"}
    assert all(request.headers["Authorization"] == "Bearer letmein" for request in server.requests)


def test_without_an_address_nothing_is_tried(caller: Callable[..., Caller], tmp_path: Path) -> None:
    flow = caller("flow", folder=write(tmp_path))
    flow.base_url = ""
    assert "No address is set" in str(flow.start(PICTURE).error)


def test_a_refused_workflow_names_the_node(
    comfyui: Comfyui, caller: Callable[..., Caller], tmp_path: Path
) -> None:
    errors = [{"type": "value_not_in_list", "message": "/srv/models: no", "details": "ckpt_name"}]
    comfyui.reply = Reply.json(
        {
            "error": {"type": "prompt_outputs_failed_validation", "message": "no"},
            "node_errors": {"4": {"errors": errors, "class_type": "CheckpointLoaderSimple"}},
        },
        400,
    )
    error = caller("flow", folder=write(tmp_path)).start(PICTURE).error
    assert str(error) == "ComfyUI refuses the workflow at node 4 (CheckpointLoaderSimple): value_not_in_list."


def test_an_order_without_a_name_is_of_unknown_outcome(
    comfyui: Comfyui, caller: Callable[..., Caller], tmp_path: Path
) -> None:
    comfyui.reply = Reply.json({"prompt_id": "../queue"})
    assert isinstance(caller("flow", folder=write(tmp_path)).start(PICTURE).error, OutcomeUnknown)


def polled(comfyui: Comfyui, caller: Callable[..., Caller], history: dict[str, Any], **more: Any) -> Any:
    comfyui.history = history
    return caller("sdxl-text-to-image", **more).poll(f"sdxl-text-to-image/{OUR_JOB}")


def test_an_order_that_nobody_knows_is_over(comfyui: Comfyui, caller: Callable[..., Caller]) -> None:
    error = polled(comfyui, caller, {}).error
    assert (str(error).startswith("ComfyUI does not know this order"), error.retryable) == (True, False)


def test_saved_files_come_before_previews_and_the_chosen_node_before_all(
    comfyui: Comfyui, server: ProviderServer, caller: Callable[..., Caller]
) -> None:
    def node(name: str, kind: str) -> dict[str, Any]:
        return {"images": [{"filename": name, "subfolder": "a b", "type": kind}]}

    outputs = {"1": node("preview.png", "temp"), "2": node("saved.png", "output")}
    for more, name in (({}, "saved.png"), ({"save": node("chosen.png", "output")}, "chosen.png")):
        assert polled(comfyui, caller, made(outputs={**outputs, **more})).answer is not None
        assert server.requests[-1].query == {"filename": name, "subfolder": "a b", "type": "output"}


def test_a_file_keeps_the_ending_it_has_at_the_server(
    comfyui: Comfyui, caller: Callable[..., Caller]
) -> None:
    answer = polled(comfyui, caller, made("cup_00001_.WEBP")).answer
    assert answer.result.image.path.name == "picture.webp"


@pytest.mark.parametrize("files", [(), ("clip.mp4",), ("script.sh",)])
def test_a_workflow_that_made_nothing_has_failed(
    comfyui: Comfyui, caller: Callable[..., Caller], files: tuple[str, ...]
) -> None:
    assert "no file of the kind" in str(polled(comfyui, caller, made(*files)).error)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (["execution_interrupted", {}], "The order was interrupted at ComfyUI."),
        (
            ["execution_error", {"node_id": "3", "node_type": "KSampler", "exception_message": "/srv: no"}],
            "The workflow has failed at node 3 (KSampler).",
        ),
        (["execution_error", {"node_id": "<b>", "node_type": 1}], "The workflow has failed."),
    ],
)
def test_failures_are_told_without_the_servers_words(
    comfyui: Comfyui, caller: Callable[..., Caller], message: list[Any], words: str
) -> None:
    status = {"status_str": "error", "completed": False, "messages": [message]}
    assert str(polled(comfyui, caller, made(status=status)).error) == words


@pytest.mark.parametrize(("ended", "units"), [(4_500, Decimal("3.5")), (0, None), ("soon", None)])
def test_a_model_billed_by_the_second_is_charged_for_its_run(
    comfyui: Comfyui, caller: Callable[..., Caller], ended: Any, units: Decimal | None
) -> None:
    messages = [["execution_start", {"timestamp": 1000}], ["execution_success", {"timestamp": ended}]]
    status = {"status_str": "success", "messages": messages}
    answer = polled(comfyui, caller, made("a.png", status=status), unit=BillingUnit.SECOND).answer
    assert answer.result.usage.units == units


def test_a_large_upload_is_streamed(comfyui: Comfyui, caller: Callable[..., Caller]) -> None:
    large = SampleMedia(picture() + bytes(2_000_000), "image/jpeg", 64, 64)
    order = replace(PICTURE, references=(ImageReference(ReferenceRole.SCENE, large),))
    caller("sdxl-image-to-image", Capability.IMAGE_EDIT).start(order)
    assert large.data in comfyui.uploads[0].body
    assert b"-0.jpg" in comfyui.uploads[0].body
