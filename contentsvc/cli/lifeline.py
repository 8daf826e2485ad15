"""A child of `contentsvc up` ends when its supervisor does, even by kill -9."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from typing import Final

SUPERVISOR: Final = "CONTENTSVC_SUPERVISOR_PID"
_PR_SET_PDEATHSIG: Final = 1


def end_with_supervisor() -> bool:
    """Have this process told to stop (SIGTERM) when the supervisor that started it is gone.

    False in a process that no supervisor started. Call it in the main thread.
    """
    pid = int(os.environ.pop(SUPERVISOR, "0"))
    if not pid:
        return False
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    else:
        threading.Thread(target=_watch, args=(pid,), name="lifeline", daemon=True).start()
    if os.getppid() != pid:
        # It died before we could ask to be told.
        os.kill(os.getpid(), signal.SIGTERM)
    return True


def _watch(pid: int) -> None:
    while os.getppid() == pid:
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)
