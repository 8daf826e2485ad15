"""Qwen's chat completions, streamed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import httpx

from contentsvc.plugin import Context, ProviderError
from contentsvc_dashscope.client import CHAT, DashScope, json_object, patience
from contentsvc_dashscope.failures import UNREADABLE, taken_failure

PATH: Final = f"{CHAT}/chat/completions"
SILENT_SECONDS: Final = 180.0
MAX_LINE: Final = 4 * 1024 * 1024


class QwenChat:
    """One call's way to a model; see :class:`contentsvc_authoring.Endpoint`.

    Options of the model: ``timeout_seconds``, and those of :class:`contentsvc_authoring.Completions`.
    """

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    @contextmanager
    def open(self, body: Mapping[str, Any]) -> Iterator[Iterator[Mapping[str, Any]]]:
        """Place an order. Raises as :meth:`contentsvc_authoring.Endpoint.open`."""
        patient = patience(self._ctx, SILENT_SECONDS)
        with DashScope(self._ctx).stream(PATH, body, patient) as reply:
            yield _events(reply)


def _events(reply: httpx.Response) -> Iterator[dict[str, Any]]:
    """The JSON of a stream's events, up to the last."""
    for line in _lines(reply):
        name, _, data = line.partition(b":")
        if name != b"data":
            continue
        if data.strip() == b"[DONE]":
            return
        event = json_object(data)
        if event is None:
            raise ProviderError(UNREADABLE)
        if event.get("error") is not None:
            raise taken_failure(event, "Model Studio broke off its answer")
        yield event


def _lines(reply: httpx.Response) -> Iterator[bytes]:
    """Lines as the format has them. httpx would also split at characters that JSON text may hold."""
    rest = b""
    for piece in reply.iter_bytes():
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
        if len(rest) > MAX_LINE:
            raise ProviderError("The model's answer is too large.")
    yield rest
