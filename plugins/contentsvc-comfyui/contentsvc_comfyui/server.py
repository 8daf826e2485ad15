"""ComfyUI's own HTTP interface: uploads, the queue, the history, the files."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import urlencode

import httpx

from contentsvc.plugin import CheckContext, MediaRef, OutcomeUnknown, ProviderError
from contentsvc_declared import UNREADABLE, Api, Provider, before_the_order, document_of

COMFYUI: Final = Provider("ComfyUI")
NO_ADDRESS: Final = "No address is set for ComfyUI."
FORGOTTEN: Final = "ComfyUI does not know this order any more; it may have been started anew."
SUBFOLDER: Final = "contentsvc"

_JOB: Final = re.compile(r"[\w-]{1,128}")
_WORD: Final = re.compile(r"[\w .:()-]{1,60}")
_ENDINGS: Final = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}


class Forgotten(ProviderError):
    """The server doesn't know an order: its history is gone with every start."""


@dataclass(frozen=True)
class File:
    """A file on the server."""

    filename: str
    subfolder: str
    type: str

    @property
    def suffix(self) -> str:
        """The name's ending, such as ``.png``."""
        return PurePosixPath(self.filename).suffix.lower()


class Server:
    """One ComfyUI. Raises ProviderError where it has no address."""

    def __init__(self, ctx: CheckContext) -> None:
        if not ctx.base_url:
            raise ProviderError(NO_ADDRESS)
        self._api = Api(COMFYUI, ctx)
        self.headers = self._api.headers

    def upload(self, media: MediaRef, stem: str) -> str:
        """Bring a picture to the server; its name there, as the inputs of nodes take it."""
        name = f"{stem}{_ENDINGS.get(media.media_type, '.png')}"
        form = {"type": "input", "subfolder": SUBFOLDER, "overwrite": "true"}
        told = self._api.upload("upload/image", "image", media, name, **form)
        stored, folder = told.get("name"), told.get("subfolder")
        if not isinstance(stored, str) or not stored or not isinstance(folder, str):
            raise ProviderError(UNREADABLE)
        return f"{folder}/{stored}" if folder else stored

    def order(self, graph: Mapping[str, Any], job: str) -> str:
        """Put a graph into the queue under a name of our choice; the name it has there."""
        document = {"prompt": graph, "prompt_id": job, "client_id": "contentsvc"}
        reply = self._api.order("prompt", document)
        if reply.status_code == HTTPStatus.BAD_REQUEST:
            raise ProviderError(f"ComfyUI refuses the workflow{_complaint(reply)}.")
        named = COMFYUI.ordered(reply).get("prompt_id")
        if not isinstance(named, str) or not _JOB.fullmatch(named):
            raise OutcomeUnknown("ComfyUI took the order and did not name it.")
        return named

    def has(self, job: str) -> bool:
        """Whether an order of this name waits, runs or is done. For before an order: nothing was placed."""
        try:
            with before_the_order():
                self.outcome(job)
        except Forgotten:
            return False
        return True

    def outcome(self, job: str) -> Mapping[str, Any] | None:
        """The history's entry of an order, None while it waits or runs.

        Raises Forgotten for an order the server doesn't know, another ProviderError where it can't be asked.
        """
        if not _JOB.fullmatch(job):
            raise Forgotten(FORGOTTEN)
        found = self._finished(job)
        if found is None and not self._is_queued(job):
            # It may have ended between the two looks.
            found = self._finished(job)
            if found is None:
                raise Forgotten(FORGOTTEN)
        return found

    def statistics(self) -> dict[str, Any]:
        """What the server says of itself."""
        return self._api.ask("system_stats")

    def link(self, file: File) -> str:
        """Where a file can be fetched."""
        query = {"filename": file.filename, "subfolder": file.subfolder, "type": file.type}
        return f"{self._api.url('view')}?{urlencode(query)}"

    def _finished(self, job: str) -> Mapping[str, Any] | None:
        found = self._api.ask(f"history/{job}").get(job)
        return found if isinstance(found, Mapping) else None

    def _is_queued(self, job: str) -> bool:
        queue = self._api.ask("queue")
        entries: list[Any] = []
        for name in ("queue_running", "queue_pending"):
            some = queue.get(name)
            if not isinstance(some, list):
                raise ProviderError(UNREADABLE, retryable=True)
            entries += some
        return any(isinstance(entry, list) and job in entry[1:2] for entry in entries)


def job_name(idempotency_key: str) -> str:
    """The name of an order: the same at every attempt, so that it can be looked for."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"contentsvc:{idempotency_key}"))


def word(value: object) -> str:
    """A name out of a reply, if it is nothing else; empty otherwise."""
    return value if isinstance(value, str) and _WORD.fullmatch(value) else ""


def _complaint(reply: httpx.Response) -> str:
    """Which node is wrong and why, in ComfyUI's identifiers: the operator's own nodes and files."""
    try:
        told = document_of(reply)
    except ValueError:
        return ""
    nodes = told.get("node_errors")
    for name, node in nodes.items() if isinstance(nodes, Mapping) else ():
        errors = node.get("errors") if isinstance(node, Mapping) else None
        first = errors[0] if isinstance(errors, list) and errors else None
        kind = word(first.get("type")) if isinstance(first, Mapping) else ""
        return f" at node {word(name)} ({word(node.get('class_type'))}): {kind}" if kind else ""
    error = told.get("error")
    kind = word(error.get("type")) if isinstance(error, Mapping) else ""
    return f": {kind}" if kind else ""
