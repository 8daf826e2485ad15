"""``python -m contentsvc``: the command ``contentsvc``."""

from __future__ import annotations

import sys

from contentsvc.cli import main

sys.exit(main())
