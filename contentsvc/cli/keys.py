"""``contentsvc new-key``"""

from __future__ import annotations

import argparse
from typing import Any

from contentsvc.cli.help import Explained

EXAMPLES = """\
Examples:

  contentsvc new-key
  export CONTENTSVC_SECRETS_KEYS="$(contentsvc new-key)"
  CONTENTSVC_SECRETS_KEYS='the new key, the old key' contentsvc migrate production.ini"""


def add(subcommands: Any) -> None:
    """Add the subcommand."""
    parser = subcommands.add_parser(
        "new-key",
        help="print a new key for secrets.keys",
        description="Print a new key for secrets.keys. To replace a key, put the new one in front of "
        "the old one, and drop the old one once everything is encrypted anew.",
        epilog=EXAMPLES,
        formatter_class=Explained,
    )
    parser.set_defaults(run=run)


def run(_arguments: argparse.Namespace) -> int:
    """Print a Fernet key."""
    from cryptography.fernet import Fernet

    print(Fernet.generate_key().decode())
    return 0
