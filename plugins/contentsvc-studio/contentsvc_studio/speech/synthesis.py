"""Speaks one text into a WAV file: ``python -P synthesis.py``, the order as JSON on stdin.

espeak-ng keeps its voice and callbacks in global variables, so every text gets a process
of its own. Exit code 0: spoken; 3: no such voice; 4: nothing to say.
"""

from __future__ import annotations

import array
import ctypes
import json
import os
import sys
import wave
from pathlib import Path

# Constants of speak_lib.h.
AUDIO_SYNCHRONOUS = 2
DONT_EXIT = 0x8000
RATE, PITCH, RANGE = 1, 3, 4
AT_CHARACTER = 1
UTF8_WITH_PAUSE = 0x1001
SPOKEN, NO_VOICE, NOTHING = 0, 3, 4
LOUDEST = 0.84


def main() -> int:
    order = json.load(sys.stdin)
    library = ctypes.CDLL(order["library"])
    # The library has room for paths of 160 letters only; from here the path is a dot.
    data = Path(order["data"])
    os.chdir(data.parent)
    rate = library.espeak_Initialize(AUDIO_SYNCHRONOUS, 0, b".", DONT_EXIT)
    if rate <= 0:
        raise RuntimeError("espeak-ng did not start")
    if hasattr(library, "espeak_ng_SetRandSeed"):
        # Breath and hiss are noise; the same text shall give the same bytes.
        library.espeak_ng_SetRandSeed(ctypes.c_long(1))
    samples = array.array("h")

    def collect(block: int | None, count: int, _events: int | None) -> int:
        if block and count:
            samples.frombytes(ctypes.string_at(block, 2 * count))
        return 0

    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    callback = kind(collect)
    library.espeak_SetSynthCallback(callback)
    if library.espeak_SetVoiceByName(order["voice"].encode()):
        return NO_VOICE
    library.espeak_SetParameter(RATE, int(order["words_per_minute"]), 0)
    library.espeak_SetParameter(PITCH, int(order["pitch"]), 0)
    library.espeak_SetParameter(RANGE, int(order["range"]), 0)
    text = order["text"].encode() + b"\0"
    library.espeak_Synth(text, ctypes.c_size_t(len(text)), 0, AT_CHARACTER, 0, UTF8_WITH_PAUSE, None, None)
    library.espeak_Synchronize()
    spoken = trimmed(samples, rate)
    if not spoken:
        return NOTHING
    write(Path(order["path"]), levelled(spoken), rate)
    return SPOKEN


def trimmed(samples: array.array[int], rate: int) -> array.array[int]:
    """Without the silence around the speech, but for a breath."""
    block = max(1, rate // 100)
    loud = [at for at in range(0, len(samples), block) if max(map(abs, samples[at : at + block])) > 200]
    if not loud:
        return array.array("h")
    return samples[max(0, loud[0] - 4 * block) : loud[-1] + 12 * block]


def levelled(samples: array.array[int]) -> array.array[int]:
    """At the same peak for every voice."""
    peak = max(1, *map(abs, (max(samples), min(samples))))
    factor = LOUDEST * 32767 / peak
    return array.array("h", (round(sample * factor) for sample in samples))


def write(path: Path, samples: array.array[int], rate: int) -> None:
    """16-bit mono."""
    if sys.byteorder == "big":
        samples.byteswap()
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())


if __name__ == "__main__":
    raise SystemExit(main())
