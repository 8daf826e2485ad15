"""A provider that listens, for trying a plugin by hand: it speaks what the dialects speak."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from dataclasses import replace
from typing import Final

from contentsvc.testing.dialects import Dialect
from contentsvc.testing.samples import sample_result
from contentsvc.testing.server import ProviderServer
from contentsvc.testing.wire import Kind, Reply, Request

EXAMPLE_PORT: Final = 8765


class ExampleProvider:
    """Takes every order; jobs are done when they are asked for the second time.

    Several dialects share one address: the first whose ``kind`` knows a request answers it.
    """

    def __init__(self, *dialects: Dialect) -> None:
        self._dialects = dialects
        self._asked: Counter[str] = Counter()
        self._orders = 0

    def answer(self, request: Request) -> Reply:
        """What a request gets."""
        for dialect in self._dialects:
            made = replace(
                sample_result(dialect.capability), link=f"{request.base}/results/{dialect.capability}"
            )
            if request.path == f"/results/{dialect.capability}":
                return Reply.file(made.file, made.media_type)
            match dialect.kind(request):
                case Kind.ORDER if dialect.is_job:
                    self._orders += 1
                    return dialect.accepted(f"job-{self._orders}", request)
                case Kind.ORDER:
                    return dialect.done(made, request)
                case Kind.POLL:
                    self._asked[request.target] += 1
                    once = self._asked[request.target] == 1
                    return dialect.pending(request) if once else dialect.done(made, request)
                case Kind.FILE:
                    return Reply.file(made.file, made.media_type)
        return self._dialects[0].aside(request)


def serve_example(*dialects: Dialect, port: int = EXAMPLE_PORT) -> None:
    """Listen until Ctrl-C."""
    server = ProviderServer(ExampleProvider(*dialects).answer, port=port)
    paths = sorted({dialect.base_path for dialect in dialects})
    sys.stdout.write("".join(f"The provider's base URL is {server.url}{path}\n" for path in paths))
    sys.stdout.write("The service calls it where providers.allowed_networks has 127.0.0.1. Ctrl-C ends it.\n")
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        server.close()
