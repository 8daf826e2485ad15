"""Makes the dialects beside the tests importable; the folder's name is no package name."""

import sys
from pathlib import Path

from contentsvc.testing import stage_of

sys.path.insert(0, str(Path(__file__).parent))

__all__ = ["stage_of"]
