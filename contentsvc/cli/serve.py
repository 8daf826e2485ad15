"""``contentsvc serve INI``: the web server."""

from __future__ import annotations

import argparse
from typing import Any

from contentsvc.cli.help import Explained
from contentsvc.cli.ini import add_ini, read_ini

EXAMPLES = """\
Examples:

  contentsvc serve production.ini
  contentsvc serve production.ini port=8000 http.public_url=https://content.example.com
  systemctl reload contentsvc-web"""


def add(subcommands: Any) -> None:
    """Add the subcommand."""
    parser = subcommands.add_parser(
        "serve",
        help="run the web server",
        description="Run the web server of [server:main]. SIGTERM finishes what runs and stops, SIGHUP "
        "takes the ini and the code anew without dropping a request, SIGINT stops at once.",
        epilog=EXAMPLES,
        formatter_class=Explained,
    )
    add_ini(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until told to stop."""
    from contentsvc.cli.lifeline import end_with_supervisor
    from contentsvc.cli.server import serve

    supervised = end_with_supervisor()
    return serve(lambda: read_ini(arguments.ini, arguments.overrides), supervised=supervised)
