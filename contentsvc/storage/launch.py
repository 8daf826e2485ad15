"""Run a program that dies with its parent and can't take the machine along.

``python launch.py <file size limit> <program> <argument>…``, started with the
interpreter's isolated mode: it sets limits on itself and becomes the program. The
usual ``preexec_fn`` may deadlock in a process that has threads.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys

_PR_SET_PDEATHSIG = 1
_CPU_SECONDS = 900
_ADDRESS_SPACE = 6 * 1024**3


def main(arguments: list[str]) -> None:
    """Does not return."""
    largest_file, program = int(arguments[0]), arguments[1]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    os.execv(program, arguments[1:])  # noqa: S606  # the program and its arguments are the service's own


if __name__ == "__main__":
    main(sys.argv[1:])
