"""One ffmpeg at a time: started so that it can't outlive us, watched, and killed when it hangs."""

from __future__ import annotations

import os
import re
import selectors
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import imageio_ffmpeg

from contentsvc.plugin import ProviderError
from contentsvc_ffmpeg import launch

TICK_SECONDS = 0.2
HANGS = "ffmpeg made no progress any more and was stopped."
_LOG_BYTES = 256 * 1024
# Whatever ffmpeg reports again and again; `speed` and `elapsed` change in a hanging one, too.
_ADVANCE = re.compile(rb"^(?:frame|out_time_us|total_size)=\s*(-?\d+)$")
_TIME = re.compile(rb"^out_time_us=(\d+)$")


class FfmpegFailed(Exception):
    """ffmpeg gave up; the message is the end of what it said."""


@dataclass(frozen=True, slots=True)
class Ffmpeg:
    """How to run ffmpeg for one order: every file it reads or writes is in ``folder``."""

    binary: str
    folder: Path
    stall_seconds: float
    cancelled: Callable[[], bool]

    def run(self, arguments: Sequence[str], on_time: Callable[[float], None] = lambda _: None) -> str:
        """Run to the end and return what ffmpeg said, its last 256 KiB.

        ``on_time`` hears the seconds of output written so far. FfmpegFailed for an exit
        code, ProviderError for a hanging ffmpeg and for an order that was cancelled.
        """
        with tempfile.TemporaryFile(dir=self.folder) as log:
            with self._started(arguments, log) as process:
                self._watch(cast(IO[bytes], process.stdout), on_time)
                code = self._end_of(process)
            text = _tail(log)
        if code:
            raise FfmpegFailed(text[-4000:])
        return text

    @contextmanager
    def _started(self, arguments: Sequence[str], log: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
        command = [
            *(sys.executable, "-I", "-S", launch.__file__, str(os.getpid()), self.binary),
            *("-hide_banner", "-nostdin", "-nostats", "-y", "-progress", "pipe:1"),
            # A clip that is damaged halfway is no reason to give up; whoever needs a picture says so.
            *("-max_error_rate", "1", *arguments),
        ]
        process = subprocess.Popen(  # noqa: S603  # no shell; names are our own
            command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log
        )
        with process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    process.kill()

    def _end_of(self, process: subprocess.Popen[bytes]) -> int:
        try:
            return process.wait(self.stall_seconds)
        except subprocess.TimeoutExpired as error:
            raise ProviderError(HANGS) from error

    def _watch(self, report: IO[bytes], on_time: Callable[[float], None]) -> None:
        """Follow the progress report until ffmpeg closes it."""
        reached: dict[bytes, bytes] = {}
        advanced = time.monotonic()
        for line in _lines(report):
            if self.cancelled():
                raise ProviderError("The film is no longer wanted.")
            if line is not None and _ADVANCE.match(line):
                name, _, value = line.partition(b"=")
                if reached.get(name) != value:
                    reached[name], advanced = value, time.monotonic()
                if told := _TIME.match(line):
                    on_time(int(told[1]) / 1_000_000)
            if time.monotonic() - advanced > self.stall_seconds:
                raise ProviderError(HANGS)


def _lines(output: IO[bytes]) -> Iterator[bytes | None]:
    """The lines of a pipe as they come, and None wherever none came for a moment."""
    pending = b""
    with selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        while True:
            if not selector.select(TICK_SECONDS):
                yield None
                continue
            data = os.read(output.fileno(), 65536)
            if not data:
                return
            *lines, pending = (pending + data).split(b"\n")
            yield from lines


def _tail(log: IO[bytes]) -> str:
    log.seek(max(0, log.seek(0, os.SEEK_END) - _LOG_BYTES))
    return log.read().decode("utf-8", "replace")


def find_binary(wanted: str) -> str:
    """The operator's ffmpeg, or the wheel's. ProviderError where there is none."""
    if wanted:
        found = shutil.which(wanted)
        if found is None:
            raise ProviderError("The ffmpeg that is set up can't be run.")
        return str(Path(found).resolve())
    try:
        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except RuntimeError as error:
        raise ProviderError("There is no ffmpeg on this machine.") from error
