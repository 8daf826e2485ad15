"""``contentsvc doctor INI``: what is well, what isn't, and what to do about it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from contentsvc.cli.help import Explained
from contentsvc.cli.ini import add_ini, read_ini

if TYPE_CHECKING:
    from contentsvc.cli.doctor.findings import Finding

DESCRIPTION = """\
Look at everything the service needs: settings, folders and their disks, ffmpeg, database and
migrations, queue, storage, encryption keys, plugins, providers, models, workers, the administrator.
One line each, `ok`, `warn` or `fail`, and below the last two what to do next."""

EPILOG = """\
Examples:

  contentsvc doctor development.ini
  contentsvc doctor production.ini database.url=postgresql://contentsvc@db2/contentsvc

It may run at any time, beside the running service or without it; an embedded database is started
for the moment where it isn't up. It orders nothing and changes nothing: a small file is stored and
deleted again, and providers are asked for what is free of charge.

Exit status: 0 when nothing has failed, 1 when something has, 2 when the settings can't be used."""


def add(subcommands: Any) -> None:
    """Add the subcommand."""
    parser = subcommands.add_parser(
        "doctor",
        help="look for what is wrong, and say what to do",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=Explained,
    )
    add_ini(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what is found; 1 if anything has failed."""
    from contentsvc.cli.doctor.examination import examine
    from contentsvc.cli.doctor.findings import Level

    levels = [_printed(finding) for finding in examine(read_ini(arguments.ini, arguments.overrides))]
    failed, warned = levels.count(Level.FAIL), levels.count(Level.WARN)
    print(f"{failed} failed, {warned} to look at, {levels.count(Level.OK)} ok")
    return 1 if failed else 0


def _printed(finding: Finding) -> str:
    print(finding, flush=True)
    return finding.level
