"""Reading the history's entry of an order that is over: its files, its failure, its time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from contentsvc.plugin import ContentRejected, ProviderError, figure
from contentsvc_comfyui.server import File, word

PICTURES: Final = frozenset({".png", ".jpg", ".jpeg", ".webp"})
CLIPS: Final = frozenset({".mp4", ".webm", ".mov"})
INTERRUPTED: Final = "The order was interrupted at ComfyUI."
REJECTED: Final = "The workflow refuses this content."

# ComfyUI itself refuses nothing; nodes that filter, or call somebody who does, say it in words.
_CONTENT_WORDS: Final = ("nsfw", "content policy", "moderation", "safety checker", "safety system")
_TYPES: Final = ("output", "temp")


def result_file(entry: Mapping[str, Any], output: str, endings: frozenset[str]) -> File:
    """The file that was made. Raises ProviderError where the workflow has failed or made none."""
    _raise_failure(entry)
    outputs = entry.get("outputs")
    nodes = outputs if isinstance(outputs, Mapping) else {}
    chosen = [nodes[output]] if output in nodes else list(nodes.values())
    found = [file for node in chosen for file in _files(node) if file.suffix in endings]
    # A preview is a file too; what a node has saved comes first.
    for kind in _TYPES:
        for file in found:
            if file.type == kind:
                return file
    raise ProviderError("The workflow has made no file of the kind that was ordered.")


def run_seconds(entry: Mapping[str, Any]) -> float | None:
    """How long the workflow ran."""
    times = {name: told.get("timestamp") for name, told in _messages(entry)}
    began, ended = times.get("execution_start"), times.get("execution_success")
    if not isinstance(began, int) or not isinstance(ended, int):
        return None
    milliseconds = figure(ended - began)
    return None if milliseconds is None else float(milliseconds / 1000)


def _raise_failure(entry: Mapping[str, Any]) -> None:
    status = entry.get("status")
    if not isinstance(status, Mapping) or status.get("status_str") != "error":
        return
    messages = dict(_messages(entry))
    if "execution_interrupted" in messages:
        raise ProviderError(INTERRUPTED)
    told = messages.get("execution_error", {})
    words = str(told.get("exception_message", "")).lower()
    if any(phrase in words for phrase in _CONTENT_WORDS):
        raise ContentRejected(REJECTED)
    node, kind = word(told.get("node_id")), word(told.get("node_type"))
    where = f" at node {node} ({kind})" if node and kind else ""
    raise ProviderError(f"The workflow has failed{where}.")


def _messages(entry: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    status = entry.get("status")
    messages = status.get("messages") if isinstance(status, Mapping) else None
    for message in messages if isinstance(messages, list) else ():
        match message:
            case [str(name), dict(told)]:
                yield name, told


def _files(node: object) -> Iterator[File]:
    """All files a node tells of, under whatever heading: images, gifs, videos."""
    for files in node.values() if isinstance(node, Mapping) else ():
        for file in files if isinstance(files, list) else ():
            match file:
                case {"filename": str(name), "type": str(kind)} if kind in _TYPES:
                    folder = file.get("subfolder")
                    yield File(name, folder if isinstance(folder, str) else "", kind)
