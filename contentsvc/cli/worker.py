"""``contentsvc worker INI``: the background worker."""

from __future__ import annotations

import argparse
from typing import Any

from contentsvc.cli.help import Explained
from contentsvc.cli.ini import CommandError, add_ini, read_ini

QUEUES = "queues"

EXAMPLES = """\
Examples:

  contentsvc worker production.ini
  contentsvc worker production.ini queues=export workers.export=2
  contentsvc worker production.ini queues=generate,poll workers.generate=16"""


def add(subcommands: Any) -> None:
    """Add the subcommand."""
    parser = subcommands.add_parser(
        "worker",
        help="run a background worker",
        description="Run a background worker: one process with the threads that workers.* name. Start as "
        "many as you like, on as many machines. queues=generate,poll limits it to some queues "
        "(generate, poll, export). SIGTERM and Ctrl-C let running work finish for "
        "workers.drain_seconds; a second one stops at once. Work that is cut off is taken over.",
        epilog=EXAMPLES,
        formatter_class=Explained,
    )
    add_ini(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Work until told to stop."""
    from contentsvc.cli.database import running_database
    from contentsvc.cli.lifeline import end_with_supervisor
    from contentsvc.jobs.worker import Worker

    end_with_supervisor()
    words = [word for word in arguments.overrides if not word.startswith(f"{QUEUES}=")]
    chosen = [word.partition("=")[2] for word in arguments.overrides if word.startswith(f"{QUEUES}=")]
    registry = running_database(read_ini(arguments.ini, words)).configure().registry

    return Worker(registry, _queues(chosen[-1] if chosen else "")).run()


def _queues(text: str) -> list[Any]:
    from contentsvc.jobs.models import Queue

    names = [name.strip() for name in text.split(",") if name.strip()] or list(Queue)
    try:
        return [Queue(name) for name in names]
    except ValueError:
        raise CommandError(f"queues={text}: the queues are {', '.join(Queue)}") from None
