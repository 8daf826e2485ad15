"""An export beside one hand-written ffmpeg command over the same files: ``python bench.py [--rounds N]``.

Thirty seconds of six clips of 1080 by 1920 pixels with transitions, subtitles, voice and music.
Both are run in turns; the best of the rounds counts, since whatever else the machine does can
only make a run slower.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import imageio_ffmpeg

from contentsvc.plugin import ExportClip, ExportRequest, Music, Narration, Subtitle, TransitionType
from contentsvc_ffmpeg.backend import FfmpegExport

BY_HAND = Path(__file__).with_name("bench_command.sh")
SECONDS = 30
THREADS = 0
KINDS = ("fade", "dissolve", "wipe", "slide", "fade", "none")
# About 11 Mbit/s, as clips of models and phones have.
PAN = "noise=alls=100,gblur=1.5,scroll=vertical=0.0031:horizontal=0.0017"
LINES = (
    "Slow mornings deserve a better cup",
    "Thick walls keep the heat where it belongs",
    "Fired twice, glazed by hand",
    "Made for short coffees and long talks",
    "Take one home today",
)


@dataclass(frozen=True)
class FileMedia:
    path: Path

    def open(self) -> BinaryIO:
        return self.path.open("rb")


@dataclass
class BenchContext:
    work_dir: Path
    cancelled: bool = False
    settings: dict[str, str] = field(default_factory=lambda: {"threads": str(THREADS)})

    def progress(self, fraction: float) -> None:
        pass


@dataclass(frozen=True)
class Spent:
    seconds: float
    processor: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2, help="how often each is run (2)")
    parser.add_argument("--json", action="store_true", help="print the two times as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="contentsvc-ffmpeg-bench-") as folder:
        ours, by_hand = measure(Path(folder), options.rounds)
    if options.json:
        print(json.dumps({"export": ours.seconds, "by_hand": by_hand.seconds}))
        return
    print(f"export           {ours.seconds:6.1f} s  ({ours.processor:.1f} s of processor time)")
    print(f"one command      {by_hand.seconds:6.1f} s  ({by_hand.processor:.1f} s of processor time)")
    print(f"ratio            {ours.seconds / by_hand.seconds:6.2f}")


def measure(folder: Path, rounds: int) -> tuple[Spent, Spent]:
    """Time of the export and of the hand-written command."""
    sources = folder / "sources"
    sources.mkdir()
    request = _sources(sources)
    exports, commands = [], []
    for number in range(rounds):
        order = folder / f"order-{number}"
        order.mkdir()
        exports.append(_timed(lambda order=order: _export(request, order)))  # type: ignore[misc]
        # The files, subtitles and font of the export serve the command as well.
        commands.append(_timed(lambda order=order: _by_hand(order)))  # type: ignore[misc]
    return min(exports, key=lambda spent: spent.seconds), min(commands, key=lambda spent: spent.seconds)


def _timed(work: Callable[[], None]) -> Spent:
    before, started = _processor(), time.perf_counter()
    work()
    return Spent(time.perf_counter() - started, _processor() - before)


def _processor() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def _export(request: ExportRequest, order: Path) -> None:
    context: Any = BenchContext(order)
    made = FfmpegExport().start(request, context).result
    if made.skipped or made.duration_seconds != SECONDS:
        sys.exit(f"the export is not what was asked for: {made}")


def _by_hand(order: Path) -> None:
    known = {"FFMPEG": imageio_ffmpeg.get_ffmpeg_exe(), "THREADS": str(THREADS)}
    subprocess.run(["sh", str(BY_HAND)], cwd=order, env={**os.environ, **known}, check=True)  # noqa: S603, S607


def _sources(folder: Path) -> ExportRequest:
    """Six clips of a camera that pans over texture, with a tone, three spoken pieces, and music."""
    clips = tuple(
        ExportClip(
            _made(
                folder / f"clip-{at}.mp4",
                f"gradients=size=1080x1920:rate=24:duration=6:speed=0.02:seed={at + 1},format=yuv420p,{PAN}",
                f"sine={220 + 40 * at}:duration=6,volume=0.2",
            ),
            trim_start=0.25,
            trim_end=0.25 + 65 / 12,
            transition=TransitionType(kind),
            transition_seconds=0.5,
        )
        for at, kind in enumerate(KINDS)
    )
    voice = tuple(
        Narration(_made(folder / f"voice-{at}.wav", f"anoisesrc=d=6:c=pink:a=0.5:seed={at}"), 1 + 10 * at)
        for at in range(3)
    )
    music = Music(_made(folder / "music.wav", "sine=160:duration=8,tremolo=4"), 0.3, 1, 2)
    lines = tuple(Subtitle(line, 6 * at + 0.5, 6 * at + 5.5) for at, line in enumerate(LINES))
    return ExportRequest(clips, subtitles=lines, narration=voice, music=music)


def _made(path: Path, *sources: str) -> Any:
    ffmpeg = [imageio_ffmpeg.get_ffmpeg_exe(), "-loglevel", "error", "-nostdin", "-y"]
    inputs = [part for source in sources for part in ("-f", "lavfi", "-i", source)]
    coded = ("-preset", "veryfast", "-crf", "20") if path.suffix == ".mp4" else ()
    subprocess.run([*ffmpeg, *inputs, *coded, str(path)], check=True)  # noqa: S603
    return FileMedia(path)


if __name__ == "__main__":
    main()
