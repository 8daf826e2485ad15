"""The film's sound, before its picture: mixed once, measured, brought to the loudness asked for."""

from __future__ import annotations

import re
from collections.abc import Callable

from contentsvc.plugin import ExportRequest
from contentsvc_ffmpeg.material import MUSIC, Material, clip_file
from contentsvc_ffmpeg.probe import GUARDED
from contentsvc_ffmpeg.run import Ffmpeg
from contentsvc_ffmpeg.sound import LOUDNESS, ClipSound, level_filters, mix_graph
from contentsvc_ffmpeg.timeline import Placed

SOUND = "sound.wav"
_MIX = "mix.wav"
_PCM = ("-c:a", "pcm_f32le", "-f", "wav")
_NEAR_ENOUGH = 0.3
_TRIES = 4
# A film below this is meant to be silent; made louder, it would be noise.
_SILENCE = -60.0
_MEASURED = re.compile(r"^\s+I:\s+(-?\d+(?:\.\d+)?) LUFS", re.MULTILINE)


def make_soundtrack(
    request: ExportRequest, material: Material, ffmpeg: Ffmpeg, on_share: Callable[[float], None]
) -> float:
    """Write :data:`SOUND` into the folder and return its loudness in LUFS. ``on_share`` hears 0 to 1."""
    seconds = material.film.seconds
    loudness = _mix(request, material, ffmpeg, lambda at: on_share(0.8 * min(1.0, at / seconds)))
    if loudness < _SILENCE:
        (ffmpeg.folder / _MIX).rename(ffmpeg.folder / SOUND)
        return loudness
    gain = LOUDNESS - loudness
    # Peaks that are held back take loudness along, so what comes out is measured again.
    for _ in range(_TRIES):
        loudness = _leveled(ffmpeg, gain)
        if abs(loudness - LOUDNESS) <= _NEAR_ENOUGH:
            break
        gain += LOUDNESS - loudness
    on_share(1.0)
    return loudness


def _mix(
    request: ExportRequest, material: Material, ffmpeg: Ffmpeg, on_time: Callable[[float], None]
) -> float:
    clips: list[ClipSound] = []
    inputs: list[str] = []
    before: Placed | None = None
    for placed in material.film.placed:
        index = placed.cut.index
        if material.facts[index].has_sound:
            clips.append(ClipSound(placed, request.clips[index].volume, before.overlap if before else 0))
            inputs += [*cut_input(placed, material.film.rate), "-i", f"file:{clip_file(index)}"]
        before = placed
    for name, _ in material.voice:
        inputs += [*GUARDED, "-i", f"file:{name}"]
    if material.music:
        inputs += ["-stream_loop", "-1", *GUARDED, "-i", f"file:{MUSIC}"]
    graph = mix_graph(material.film, clips, [spoken for _, spoken in material.voice], material.music)
    said = ffmpeg.run(
        [*inputs, "-filter_complex", graph, "-map", "[mix]", *_PCM, f"file:{_MIX}"],
        on_time,
    )
    return _loudness(said)


def cut_input(placed: Placed, rate: int) -> list[str]:
    """Options that make an input begin with the cut and end soon after it."""
    seconds = placed.cut.seconds + 2 / rate
    return [*GUARDED, "-ss", f"{placed.cut.start:.6f}", "-t", f"{seconds:.6f}"]


def _leveled(ffmpeg: Ffmpeg, gain: float) -> float:
    said = ffmpeg.run([*GUARDED, "-i", f"file:{_MIX}", "-af", level_filters(gain), *_PCM, f"file:{SOUND}"])
    return _loudness(said)


def _loudness(said: str) -> float:
    """The integrated loudness of a measuring run; silence is -70."""
    found = _MEASURED.findall(said)
    return float(found[-1]) if found else -70.0
