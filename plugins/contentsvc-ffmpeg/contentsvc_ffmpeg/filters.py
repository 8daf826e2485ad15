"""The picture's filter graph. Pure text."""

from __future__ import annotations

from collections.abc import Iterator

from contentsvc.plugin import TransitionType
from contentsvc_ffmpeg.timeline import Film, Placed

XFADES = {
    TransitionType.FADE: "fade",
    TransitionType.DISSOLVE: "dissolve",
    TransitionType.WIPE: "wipeleft",
    TransitionType.SLIDE: "slideleft",
}

# Behind a clip of another shape: made at an eighth of the size, where blurring costs nothing.
_GROUND_SCALE = 8
_GROUND_BLUR = 5
_DARKENED = "lutyuv=y=(val-16)*0.6+16:u=(val-128)*0.6+128:v=(val-128)*0.6+128"
# Shapes that differ by less than this share are stretched by a pixel or so instead.
_SAME_SHAPE = 0.004


def picture_graph(film: Film, shapes: list[float], size: tuple[int, int], subtitles: str | None) -> str:
    """Input i is the i-th placed clip, whose shape (width over height) is ``shapes[i]``; the
    output is ``[picture]``.

    ``subtitles`` is the name of an ASS file in the folder, whose fonts are in ``fonts``.
    """
    chains = [
        clip_chain(at, placed.frames, film.rate, size, fills=abs(shape * size[1] / size[0] - 1) < _SAME_SHAPE)
        for at, (placed, shape) in enumerate(zip(film.placed, shapes, strict=True))
    ]
    chains += _joined(film)
    burned = f"ass=filename={subtitles}:fontsdir=fonts," if subtitles else ""
    return ";".join([*chains, f"[joined]{burned}format=yuv420p[picture]"])


def clip_chain(at: int, frames: int, rate: int, size: tuple[int, int], *, fills: bool) -> str:
    """One clip at the film's rate and size, exactly ``frames`` long: ``[clip0]``, ``[clip1]`` …

    A clip that breaks off early holds its last picture, so that nothing behind it moves.
    """
    exact = f"tpad=stop=-1:stop_mode=clone,trim=end_frame={frames}[clip{at}]"
    timed = f"[{at}:V:0]fps={rate}:start_time=0,format=yuv420p"
    width, height = size
    if fills:
        return f"{timed},scale={width}:{height},setsar=1,{exact}"
    small = _even(width / _GROUND_SCALE), _even(height / _GROUND_SCALE)
    blurred = f"crop={small[0]}:{small[1]},gblur={_GROUND_BLUR},{_DARKENED}"
    return ";".join(
        [
            f"{timed},split[front{at}][back{at}]",
            f"[back{at}]{_scaled(*small, 'max')},{blurred},scale={width}:{height},setsar=1[ground{at}]",
            f"[front{at}]{_scaled(width, height, 'min')},setsar=1[fitted{at}]",
            f"[ground{at}][fitted{at}]overlay=(W-w)/2:(H-h)/2,{exact}",
        ]
    )


def _scaled(width: int, height: int, choose: str) -> str:
    """``min`` fits the picture into the box, ``max`` covers the box; its shape (dar) stays."""
    return (
        f"scale=w='trunc({choose}({width},{height}*dar)/2+0.5)*2'"
        f":h='trunc({choose}({height},{width}/dar)/2+0.5)*2'"
    )


def _even(length: float) -> int:
    return max(2, round(length / 2) * 2)


def _joined(film: Film) -> Iterator[str]:
    """Hard cuts are joined first, then the runs between transitions are blended one after the other."""
    runs = list(_runs(film))
    names = [f"run{at}" for at in range(len(runs))] if len(runs) > 1 else ["joined"]
    for name, run in zip(names, runs, strict=True):
        inputs = "".join(f"[clip{at}]" for at, _ in run)
        # Blending asks for a constant rate and one time base; a join alone promises neither.
        yield f"{inputs}concat=n={len(run)}:v=1:a=0,fps={film.rate}[{name}]"
    so_far = names[0]
    for at in range(1, len(runs)):
        blended = f"blend{at}" if at < len(runs) - 1 else "joined"
        yield f"[{so_far}][{names[at]}]{_xfade(film, runs[at - 1][-1][1], runs[at][0][1])}[{blended}]"
        so_far = blended


def _runs(film: Film) -> Iterator[list[tuple[int, Placed]]]:
    run: list[tuple[int, Placed]] = []
    for at, placed in enumerate(film.placed):
        run.append((at, placed))
        if placed.overlap or at == len(film.placed) - 1:
            yield run
            run = []


def _xfade(film: Film, before: Placed, after: Placed) -> str:
    seconds, offset = before.overlap / film.rate, after.first / film.rate
    kind = XFADES[before.cut.transition]
    return f"xfade=transition={kind}:duration={seconds:.6f}:offset={offset:.6f}"
