"""``contentsvc plugins [INI]``, ``contentsvc plugins sync INI`` and ``contentsvc plugins new NAME``"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contentsvc.cli.help import Explained
from contentsvc.cli.ini import CommandError, Ini, read_ini
from contentsvc.cli.plugins_new import CAPABILITIES, write_plugin

if TYPE_CHECKING:
    from contentsvc.providers.plugins import Distribution

SYNC = "sync"
NEW = "new"

EXAMPLES = """\
Examples:

  contentsvc plugins
  contentsvc plugins production.ini
  contentsvc plugins production.ini plugins.disabled=studio
  contentsvc plugins sync production.ini
  contentsvc plugins new acme --capability image_generation,speech"""


def add(subcommands: Any) -> None:
    """Add the subcommand."""
    parser = subcommands.add_parser(
        "plugins",
        help="list the installed plugins, take over what they declare, or begin a new one",
        usage="contentsvc plugins [-h] [sync] [INI] [KEY=VALUE ...]\n"
        "       contentsvc plugins new NAME --capability CAPABILITY[,CAPABILITY ...] [--into FOLDER]",
        description="List the installed plugins with what they bring and what is wrong with them; with an "
        "INI as its settings see them. `contentsvc plugins sync INI` writes the providers and models "
        "they declare into the database, as `contentsvc migrate` does; what the administrator has "
        "edited or deleted stays as it is. `contentsvc plugins new NAME` writes a plugin that works, "
        "with tests and a provider to try it on; docs/plugins/tutorial.md goes on from there.",
        epilog=EXAMPLES,
        formatter_class=Explained,
    )
    parser.add_argument(
        "words", metavar="[sync] [INI] [KEY=VALUE ...]", nargs="*", help="what to do, and for whom"
    )
    parser.add_argument(
        "--capability",
        metavar="CAPABILITY[,CAPABILITY ...]",
        default="",
        help=f"what the new plugin can do: {', '.join(CAPABILITIES)}",
    )
    parser.add_argument(
        "--into", metavar="FOLDER", type=Path, default=Path(), help="where its folder is made; default: here"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """List, sync, or begin a new one."""
    words = list(arguments.words)
    if words[:1] == [NEW]:
        return _new(words[1:], arguments)
    syncing = words[:1] == [SYNC]
    if syncing:
        del words[0]
    ini = read_ini(words[0], words[1:]) if words else None
    if not syncing:
        distributions = _installed(ini)
        for distribution in distributions:
            print(_shown(distribution))
        if not distributions:
            print("No plugin is installed; docs/plugins says how to write one.")
        return 0
    if ini is None:
        raise CommandError("`contentsvc plugins sync` needs to know the INI.")
    _sync(ini)
    return 0


def _new(words: list[str], arguments: argparse.Namespace) -> int:
    if len(words) != 1:
        raise CommandError("`contentsvc plugins new` needs one name, such as acme.")
    capabilities = [name for name in re.split(r"[,\s]+", arguments.capability) if name]
    folder = write_plugin(words[0], capabilities, arguments.into)
    print(f"{folder} is a plugin that works with an example provider of its own. Now:")
    print(f"  pip install -e '{folder}[testing]'")
    print(f"  pytest {folder}")
    return 0


def _installed(ini: Ini | None) -> list[Distribution]:
    from pyramid.registry import Registry

    from contentsvc.providers.loading import load
    from contentsvc.providers.plugins import describe, install
    from contentsvc.settings import PluginSettings

    registry = Registry()
    install(registry, load(ini.settings().plugins if ini else PluginSettings()))
    return describe(registry)


def _sync(ini: Ini) -> None:
    from contentsvc.cli.database import reachable_database
    from contentsvc.db.session import transaction_scope
    from contentsvc.providers.sync import sync

    with reachable_database(ini) as reachable:
        registry = reachable.configure().registry
        with transaction_scope(registry) as session:
            sync(session, registry)
    print("The database has what the plugins declare.")


def _shown(distribution: Distribution) -> str:
    groups = {
        "plugins": distribution.plugins,
        "switched off": distribution.disabled,
        "drivers": distribution.drivers,
        "models": distribution.models,
        "payment channels": distribution.channels,
        "storage": distribution.storage,
        "hooks": distribution.hooks,
    }
    lines = [f"{distribution.name} {distribution.version}"]
    lines += [f"  {name}: {', '.join(values)}" for name, values in groups.items() if values]
    lines += [
        f"  PROBLEM in {problem.plugin.name}, {problem.stage}: {problem.message}"
        for problem in distribution.problems
    ]
    return "\n".join(lines)
