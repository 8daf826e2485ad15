"""What a refused request still sends is read to its end, within bounds.

A server that closes a connection while the client is sending resets it: many clients then
tell of a broken connection instead of the refusal, or fail at their next request on it.
"""

from __future__ import annotations

import time
from typing import Any, Final

import structlog

MOST_BYTES: Final = 64 * 1024 * 1024
MOST_SECONDS: Final = 5.0

_PIECE: Final = 64 * 1024

log = structlog.get_logger(__name__)


def drain(source: Any, sock: Any) -> None:
    """Read the rest of a body from the server's input, whose socket is ``sock``, and forget it.

    Up to 64 MiB and for up to five seconds. Never raises: what is left closes the connection.
    """
    left, deadline = MOST_BYTES, time.monotonic() + MOST_SECONDS
    before = sock.gettimeout()
    try:
        while left > 0 and (seconds := deadline - time.monotonic()) > 0:
            sock.settimeout(seconds)
            piece = source.read(min(_PIECE, left))
            if not piece:
                return
            left -= len(piece)
    except Exception as error:  # noqa: BLE001 - each server has errors of its own for bodies that break off
        log.debug("body_not_drained", error=type(error).__name__)
    finally:
        sock.settimeout(before)
