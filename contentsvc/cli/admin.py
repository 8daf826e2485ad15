"""``contentsvc admin create INI`` and ``contentsvc admin reset-password INI``"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from contentsvc.cli.ini import CommandError, Ini, add_ini, read_ini

if TYPE_CHECKING:
    from pyramid.registry import Registry

WHENCE = """\
The password is never an argument, which other users of the machine could read. It is taken
from the first of these that there is: the variable CONTENTSVC_ADMIN_PASSWORD, the first line
of a standard input that is no terminal, a prompt."""

CREATE = f"""\
Make a further administrator of the platform, who belongs to no team.

  contentsvc admin create production.ini --username anna

{WHENCE}

  pass show contentsvc/anna | contentsvc admin create production.ini --username anna

Usernames have 3 to 64 of ASCII letters, digits and ._-@, passwords 8 to 256 characters."""

RESET = f"""\
Set the password of an administrator, who has lost it for instance, and end all sessions of
his. Team members' passwords are set by their admins, or in the back office.

  contentsvc admin reset-password production.ini
  contentsvc admin reset-password production.ini --username anna

{WHENCE}"""

BOTH = """\
They work while the service runs, and with an embedded database also while it doesn't.

  contentsvc admin create development.ini --username anna
  contentsvc admin reset-password development.ini --username anna

`contentsvc admin create --help` says where the password comes from."""


def add(subcommands: Any) -> None:
    """Add the subcommand."""
    parser = subcommands.add_parser(
        "admin",
        help="make an administrator, or set an administrator's password",
        description="Make administrators of the platform, and let in who has lost his password.",
        epilog=BOTH,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    _add_action(actions, "create", create, "make a further administrator", CREATE)
    _add_action(actions, "reset-password", reset_password, "set an administrator's password", RESET)


def _add_action(actions: Any, name: str, run: Any, summary: str, description: str) -> None:
    parser = actions.add_parser(
        name,
        help=summary,
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_ini(parser)
    parser.add_argument("--username", metavar="NAME", default="admin", help="whose; admin unless told")
    parser.set_defaults(run=run)


def create(arguments: argparse.Namespace) -> int:
    """Make an administrator."""
    from contentsvc.accounts.administrators import create_administrator

    ini = read_ini(arguments.ini, arguments.overrides)
    password = _password()
    with _database(ini) as registry:
        create_administrator(registry, arguments.username, password)
    print(f"Administrator {arguments.username} is made.")
    return 0


def reset_password(arguments: argparse.Namespace) -> int:
    """Set an administrator's password."""
    from contentsvc.accounts.administrators import reset_administrator
    from contentsvc.cli.administrator import forget_password

    ini = read_ini(arguments.ini, arguments.overrides)
    password = _password()
    with _database(ini) as registry:
        username = reset_administrator(registry, arguments.username, password)
        forgotten = forget_password(registry, username)
    print(f"Administrator {username} has a new password; all sessions of his are ended.")
    if forgotten:
        print(f"{forgotten} is removed: the password in it is the old one.")
    return 0


def _password() -> str:
    """The new password. Raises CommandError when there is none, or two that differ."""
    from contentsvc.cli.administrator import PASSWORD_VARIABLE

    given = os.environ.get(PASSWORD_VARIABLE)
    if given:
        return given
    given = _typed() if sys.stdin.isatty() else sys.stdin.readline().rstrip("\r\n")
    if not given:
        raise CommandError(f"There is no password: not in {PASSWORD_VARIABLE}, and none was entered.")
    return given


def _typed() -> str:
    from getpass import getpass

    try:
        typed = getpass("New password: ")
        if typed and getpass("The same again: ") != typed:
            raise CommandError("These were two different passwords.")
    except EOFError:
        return ""
    return typed


@contextmanager
def _database(ini: Ini) -> Iterator[Registry]:
    """The application on a database that is up to date. Raises CommandError, also for ValueErrors within."""
    from sqlalchemy.exc import OperationalError

    from contentsvc import migrations
    from contentsvc.cli.database import reachable_database
    from contentsvc.db.session import engine_of

    with reachable_database(ini) as reachable:
        registry = reachable.configure().registry
        try:
            if not migrations.is_current(engine_of(registry)):
                raise CommandError(
                    f"The database isn't up to date. Run `contentsvc migrate {ini.path.name}` first.",
                    status=1,
                )
            yield registry
        except OperationalError as error:
            raise CommandError(f"The database can't be reached: {error.orig}", status=1) from None
        except ValueError as error:
            raise CommandError(f"This can't be done: {error}", status=1) from None
        finally:
            engine_of(registry).dispose()
