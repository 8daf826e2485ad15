"""Become a program that dies with the process that started it.

``python launch.py <parent's process id> <program> <argument>…``, in the interpreter's
isolated mode. The usual ``preexec_fn`` may deadlock in a process that has threads.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    """Does not return."""
    parent, program = int(arguments[0]), arguments[1]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        # It died before the signal was asked for.
        sys.exit(1)
    os.execv(program, arguments[1:])  # noqa: S606  # the operator's program, arguments of our own


if __name__ == "__main__":
    main(sys.argv[1:])
