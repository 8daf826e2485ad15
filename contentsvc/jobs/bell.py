"""What a process keeps of each queue's doorbell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from huey.api import Huey


@dataclass(frozen=True, slots=True)
class Doorbell:
    """A queue's huey instance, and what rings it.

    ``message(job_id, fence)`` makes a ring as it goes over the wire, ``send`` puts such rings
    into the queue, all at once.
    """

    huey: Huey
    send: Callable[[Sequence[bytes]], None]
    message: Callable[[str, int], bytes]
