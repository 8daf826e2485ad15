"""``contentsvc migrate INI``, and what else a database needs before the first request."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from contentsvc.cli.help import Explained
from contentsvc.cli.ini import add_ini, read_ini

if TYPE_CHECKING:
    from pyramid.registry import Registry

EXAMPLES = """\
Examples:

  contentsvc migrate production.ini
  CONTENTSVC_ADMIN_PASSWORD='a long sentence' contentsvc migrate production.ini"""


def add(subcommands: Any) -> None:
    """Add the subcommand."""
    parser = subcommands.add_parser(
        "migrate",
        help="bring the database up to date",
        description="Bring the tables to the newest revision, write the rows that plugins and the service "
        "declare, and make the administrator `admin` where there is none. Run it before the "
        "new version's servers and workers; running it twice does no harm.",
        epilog=EXAMPLES,
        formatter_class=Explained,
    )
    add_ini(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Migrate, and say what was made."""
    from contentsvc.cli.database import reachable_database

    with reachable_database(read_ini(arguments.ini, arguments.overrides)) as ini:
        made = prepare(ini.configure().registry)
    print("The database is up to date.")
    if made:
        print(made)
    return 0


def prepare(registry: Registry) -> str | None:
    """Tables, declared rows, administrator; what to tell the user when one was made."""
    from contentsvc import migrations
    from contentsvc.bootstrap import bootstrap
    from contentsvc.cli.administrator import first_administrator
    from contentsvc.db.session import engine_of

    migrations.upgrade(engine_of(registry))
    bootstrap(registry)
    return first_administrator(registry)
