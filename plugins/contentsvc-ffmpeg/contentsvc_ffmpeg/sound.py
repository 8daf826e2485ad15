"""The sound's filter graphs. Pure text; positions in samples at 48 kHz."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from contentsvc.plugin import Music
from contentsvc_ffmpeg.timeline import SAMPLE_RATE, Film, Placed

LOUDNESS = -16.0
# Sample peaks; what lies between the samples reaches about half a decibel further.
_PEAK = 0.84
# Voice of ordinary level takes the music down by 10 to 14 dB and lets it return in half a second.
_DUCKING = "sidechaincompress=threshold=0.015:ratio=8:attack=20:release=500"
# What a piece cut short takes to fade.
_LAST_WORD_SECONDS = 0.15
_STEREO = "aformat=sample_fmts=fltp:channel_layouts=stereo"
# Gaps in a file's time stamps become silence.
_EVEN = f"aresample={SAMPLE_RATE}:async=1:first_pts=0,{_STEREO}"
_MEASURE = "ebur128=framelog=quiet"


@dataclass(frozen=True, slots=True)
class ClipSound:
    """A clip's sound, how loud it plays, and the frames it shares with the clip before."""

    placed: Placed
    volume: float
    lead_in: int


@dataclass(frozen=True, slots=True)
class Spoken:
    """A spoken piece: the second of the film it starts at, how fast it is spoken, and the
    seconds after which it has faded out."""

    start: float
    volume: float
    speed: float = 1.0
    seconds: float | None = None


def mix_graph(film: Film, clips: Sequence[ClipSound], voice: Sequence[Spoken], music: Music | None) -> str:
    """Inputs are the clips' sounds, the spoken pieces, the music, in this order; the output is
    ``[mix]``, exactly as long as the film, measured as it passes."""
    chains = [f"anullsrc=r={SAMPLE_RATE}:cl=stereo,{_STEREO},atrim=end_sample={film.samples}[bed]"]
    layers = ["[bed]"]
    for at, clip in enumerate(clips):
        chains.append(f"[{at}:a:0]{_clip(film, clip)}[clip{at}]")
        layers.append(f"[clip{at}]")
    if voice:
        chains += _voice(film, voice, len(clips), keyed=music is not None)
        layers.append("[voice]")
    if music:
        chains.append(f"[{len(clips) + len(voice)}:a:0]{_music(film, music)}[music]")
        if voice:
            chains.append(f"[music][key]{_DUCKING}[ducked]")
        layers.append("[ducked]" if voice else "[music]")
    mixed = f"amix=inputs={len(layers)}:normalize=0:duration=first,atrim=end_sample={film.samples}"
    return ";".join([*chains, f"{''.join(layers)}{mixed},{_MEASURE}[mix]"])


def level_filters(gain: float) -> str:
    """Play ``gain`` decibels louder, peaks held back, measured as it passes."""
    return f"volume={gain:.2f}dB,alimiter=limit={_PEAK}:attack=5:release=50:level=false,{_MEASURE}"


def _clip(film: Film, clip: ClipSound) -> str:
    step = film.samples_per_frame
    length, lead_in, lead_out = (
        count * step for count in (clip.placed.frames, clip.lead_in, clip.placed.overlap)
    )
    steps = [_EVEN, f"volume={clip.volume:.4f}", f"atrim=end_sample={length}"]
    # Both sides of a transition keep their power together.
    if lead_in:
        steps.append(f"afade=t=in:ns={lead_in}:curve=qsin")
    if lead_out:
        steps.append(f"afade=t=out:ss={length - lead_out}:ns={lead_out}:curve=qsin")
    return ",".join([*steps, _delay(clip.placed.first * step)])


def _voice(film: Film, voice: Sequence[Spoken], first_input: int, *, keyed: bool) -> list[str]:
    chains = [
        f"[{first_input + at}:a:0]{_EVEN}{_fitted(piece)},volume={piece.volume:.4f}"
        f",{_delay(round(piece.start * SAMPLE_RATE))}[spoken{at}]"
        for at, piece in enumerate(voice)
    ]
    names = "".join(f"[spoken{at}]" for at in range(len(voice)))
    whole = f"{names}amix=inputs={len(voice)}:normalize=0:duration=longest,atrim=end_sample={film.samples}"
    # The key must last as long as the music, or the music would end with it.
    split = f",apad=whole_len={film.samples},asplit[voice][key]" if keyed else "[voice]"
    return [*chains, f"{whole}{split}"]


def _fitted(piece: Spoken) -> str:
    faster = f",atempo={piece.speed:.4f}" if piece.speed != 1.0 else ""
    if piece.seconds is None:
        return faster
    fade = min(_LAST_WORD_SECONDS, piece.seconds)
    end = f",atrim=end={piece.seconds:.3f},afade=t=out:st={piece.seconds - fade:.3f}:d={fade:.3f}"
    return faster + end


def _music(film: Film, music: Music) -> str:
    """A looped input, whose repeated time stamps are counted anew, cut and faded."""
    steps = [
        f"aresample={SAMPLE_RATE},{_STEREO},asetpts=N/SR/TB",
        f"volume={music.volume:.4f}",
        f"atrim=end_sample={film.samples}",
    ]
    fade_in, fade_out = (min(max(0.0, seconds), film.seconds) for seconds in (music.fade_in, music.fade_out))
    if fade_in:
        steps.append(f"afade=t=in:d={fade_in:.3f}")
    if fade_out:
        steps.append(f"afade=t=out:st={film.seconds - fade_out:.3f}:d={fade_out:.3f}")
    return ",".join(steps)


def _delay(samples: int) -> str:
    return f"adelay=delays={samples}S:all=1"
