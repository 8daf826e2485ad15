"""Lets pytest find the module where it isn't installed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
