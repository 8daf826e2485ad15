"""From an order to a graph: the slots of a workflow, filled."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contentsvc.plugin import ImageRequest, MediaRef, ProviderError, VideoRequest
from contentsvc_comfyui.files import Frames, Node, WorkflowFile, check_target

Send = Callable[[MediaRef], str]
"""Brings a picture to the server, and tells the name it has there."""

_ROUNDING = 1e-6


@dataclass(frozen=True)
class Graph:
    """What is sent, and how many seconds a clip of it has; None where the workflow decides."""

    nodes: dict[str, Any]
    seconds: float | None


def fill(
    file: WorkflowFile, request: ImageRequest | VideoRequest, changes: Mapping[str, Any], send: Send
) -> Graph:
    """The graph of an order. ``changes`` are inputs the model's options set, by ``node.input``.

    Raises ProviderError for what the workflow can't do. Nothing is sent before that is known.
    """
    graph = _Filling({name: node.model_copy(deep=True) for name, node in file.workflow.items()})
    slots = file.slots
    for target, value in changes.items():
        graph.put([target], value)
    graph.put(slots.prompt, request.prompt)
    if slots.width or slots.height:
        width, height = _size(file, request)
        graph.put(slots.width, width)
        graph.put(slots.height, height)
    seconds = None
    frames: tuple[MediaRef | None, MediaRef | None] = (None, None)
    if isinstance(request, ImageRequest):
        graph.put(slots.negative_prompt, request.negative_prompt)
        graph.put(slots.seed, request.seed + request.index)
    else:
        graph.put(slots.seed, request.seed)
        seconds = _length(graph, file, request.duration_seconds)
        frames = (request.first_frame, request.last_frame)
    pictures = [reference.media for reference in request.references]
    _require_places(slots.first_frame, frames[0], "a first frame")
    _require_places(slots.last_frame, frames[1], "a last frame")
    _require_places(slots.references, pictures[0] if pictures else None, "reference pictures")
    for targets, frame in zip((slots.first_frame, slots.last_frame), frames, strict=True):
        if frame is not None:
            graph.put(targets, send(frame))
    graph.spread(slots.references, [send(media) for media in pictures[: len(slots.references)]])
    return Graph({name: node.model_dump() for name, node in graph.nodes.items()}, seconds)


@dataclass(frozen=True)
class _Filling:
    nodes: dict[str, Node]

    def put(self, targets: Sequence[str], value: Any) -> None:
        for target in targets:
            try:
                node, name = check_target(self.nodes, target)
            except ValueError as error:
                raise ProviderError(f"The model's options can't be used: {error}.") from None
            self.nodes[node].inputs[name] = value

    def spread(self, targets: Sequence[str], names: Sequence[str]) -> None:
        """One each; where there are fewer, the first goes to the rest."""
        for place, target in enumerate(targets):
            self.put([target], names[place] if place < len(names) else names[0])


def _size(file: WorkflowFile, request: ImageRequest | VideoRequest) -> tuple[int, int]:
    asked = [request.ratio]
    if isinstance(request, VideoRequest):
        asked.insert(0, f"{request.ratio} {request.resolution}")
    for name in asked:
        if name in file.sizes:
            return file.sizes[name]
    raise ProviderError(f"This workflow has no size for {asked[0]}.")


def _length(graph: _Filling, file: WorkflowFile, seconds: float) -> float | None:
    graph.put(file.slots.seconds, seconds)
    if file.slots.frames is None:
        return seconds if file.slots.seconds else None
    count = frame_count(file.slots.frames, seconds)
    graph.put(file.slots.frames.to, count)
    return (count - file.slots.frames.plus) / file.slots.frames.per_second


def frame_count(frames: Frames, seconds: float) -> int:
    """Frames of a clip that is not shorter than asked for, as far as the workflow goes."""
    multiples = math.ceil(seconds * frames.per_second / frames.multiple - _ROUNDING)
    most = (frames.max - frames.plus) // frames.multiple
    return max(1, min(multiples, most)) * frames.multiple + frames.plus


def _require_places(targets: Sequence[str], picture: MediaRef | None, what: str) -> None:
    if targets and picture is None:
        raise ProviderError(f"This workflow needs {what}.")
    if picture is not None and not targets:
        raise ProviderError(f"This workflow takes no {what.removeprefix('a ')}.")
