"""The command ``contentsvc``: one module a subcommand, each with ``add(subcommands)``.

Modules import what they need when they run: ``--help`` answers at once, and the web
server's master process stays free of code that a reload replaces.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence

from contentsvc.cli import admin, doctor, keys, migrate, plugins, serve, settings, up, worker
from contentsvc.cli.ini import CommandError

COMMANDS = (up, serve, worker, migrate, admin, doctor, plugins, settings, keys)

EPILOG = """\
INI is development.ini, production.ini, or a copy of your own. KEY=VALUE overrides a key of
its [DEFAULT] section (port, var_dir) or any setting by its full name:

  contentsvc up development.ini port=8080 accounts.invitation_days=30

A setting may also come from the environment: auth.token_days is CONTENTSVC_AUTH_TOKEN_DAYS.
The command line wins over the environment, the environment over the file.
`contentsvc settings` lists all there are. Exit status: 0 done, 1 failed, 2 the settings or
the command line can't be used."""


def parser() -> argparse.ArgumentParser:
    """The command line with all its subcommands."""
    root = argparse.ArgumentParser(
        prog="contentsvc",
        description="From a product photo to marketing content: web server, workers, and their tools.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    subcommands = root.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in COMMANDS:
        module.add(subcommands)
    return root


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand; its exit status."""
    # Pyramid and Cornice import it; setuptools is pinned to a version that has it.
    warnings.filterwarnings("ignore", message="pkg_resources is deprecated", category=UserWarning)
    arguments = parser().parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except CommandError as error:
        print(error, file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return 130
