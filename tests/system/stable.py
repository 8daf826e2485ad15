"""Makes worker processes quickly: configured once, forked as often as asked.

``python stable.py INI [KEY=VALUE ...]`` answers each line on standard input with the
process id of a new worker. What is forked holds no connection and has no thread, so a
worker is the same as one that `contentsvc worker` starts, a second sooner.
"""

from __future__ import annotations

import os
import signal
import sys
import uuid
import warnings


def answer(word: object) -> None:
    """A line on standard output."""
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def main() -> None:
    """Serve until standard input ends."""
    warnings.simplefilter("ignore")
    from contentsvc.cli.ini import read_ini
    from contentsvc.jobs.models import Queue
    from contentsvc.jobs.state import jobs_of
    from contentsvc.jobs.worker import Worker

    registry = read_ini(sys.argv[1], sys.argv[2:]).configure().registry
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    answer("ready")
    for _line in sys.stdin:
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            # A group of its own, so that it can be killed with all that it has started.
            os.setsid()
            jobs_of(registry).worker_id = uuid.uuid4()
            os._exit(Worker(registry, list(Queue)).run())
        answer(child)


if __name__ == "__main__":
    main()
