"""``contentsvc settings [--markdown]``"""

from __future__ import annotations

import argparse
from itertools import groupby
from typing import Any

from contentsvc.cli.help import Explained

INTRODUCTION = """\
# Settings

Every key goes into `[app:main]` of the ini file. The environment overrides the file
(`auth.token_days` is `CONTENTSVC_AUTH_TOKEN_DAYS`), the command line overrides both
(`contentsvc serve production.ini auth.token_days=7`). All faults are reported at once; an
unknown key, or a placeholder that was left in, keeps the service from starting.

`var_dir` (in `[DEFAULT]`) is the folder for what the service keeps on its own machine.
`plugins.<driver>.<name>` sets an option of a plugin's driver; `contentsvc plugins` lists them.

This page is written by `contentsvc settings --markdown`."""

EXAMPLES = """\
Examples:

  contentsvc settings
  contentsvc settings | grep ^storage
  contentsvc settings --markdown > docs/settings.md"""


def add(subcommands: Any) -> None:
    """Add the subcommand."""
    parser = subcommands.add_parser(
        "settings",
        help="list all settings with their defaults",
        description="List every setting of the ini file, its default, and what it does.",
        epilog=EXAMPLES,
        formatter_class=Explained,
    )
    parser.add_argument("--markdown", action="store_true", help="print it as docs/settings.md")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the settings."""
    print(markdown() if arguments.markdown else plain(), end="")
    return 0


def plain() -> str:
    """One setting a line."""
    from contentsvc.settings import documented_keys

    lines = []
    for key, default, description in documented_keys():
        shown = default or "empty"
        lines.append(f"{key:<38} {description} [{shown}]\n")
    return "".join(lines)


def markdown() -> str:
    """The page ``docs/settings.md``."""
    from contentsvc.settings import documented_keys

    parts = [INTRODUCTION]
    for domain, keys in groupby(documented_keys(), key=lambda row: row[0].partition(".")[0]):
        rows = [f"\n## {domain}\n", "| Key | Default | What it does |", "|---|---|---|"]
        rows += [f"| `{key}` | {_cell(default)} | {description} |" for key, default, description in keys]
        parts.append("\n".join(rows))
    return "\n".join(parts) + "\n"


def _cell(default: str) -> str:
    if default == "required":
        return "required"
    return f"`{default}`" if default else ""
