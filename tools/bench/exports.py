"""An export of thirty seconds beside one hand-written ffmpeg command over the same files."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tools.bench.figures import Figure
from tools.bench.house import House

SCRIPT: Final = Path(__file__).resolve().parents[2] / "plugins" / "contentsvc-ffmpeg" / "bench.py"


def measure(_: House) -> Iterator[Figure]:
    """The plugin's own bench, which needs no service; both are run in turns, the best counts."""
    done = subprocess.run([sys.executable, SCRIPT, "--json"], check=True, capture_output=True, text=True)
    took = json.loads(done.stdout)
    film = "30 s of six clips of 1080 × 1920, subtitles, voice, music"
    yield Figure("Export of a film", f"{took['export']:.1f} s", film)
    ratio = took["export"] / took["by_hand"]
    yield Figure(
        "The same by one ffmpeg command",
        f"{took['by_hand']:.1f} s",
        f"hand-written, same filters, preset and threads: the export takes {ratio:.2f} × its time",
    )
