"""What a film is made of: the request's files in the order's folder, looked at and laid out."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from contentsvc.plugin import Context, ExportRequest, MediaRef, Music, ProviderError
from contentsvc_ffmpeg.media import MediaUnreadable, fetch
from contentsvc_ffmpeg.probe import Facts, probe_clip, probe_sound
from contentsvc_ffmpeg.run import Ffmpeg
from contentsvc_ffmpeg.sound import Spoken
from contentsvc_ffmpeg.timeline import Cut, Film, cut_of, film_rate, lay_out

MUSIC = "music"
PROBES = 4


@dataclass(frozen=True, slots=True)
class Material:
    """The film and its sources. ``facts`` belong to the film's clips by their index in the
    request; each spoken piece has the name of its file."""

    film: Film
    facts: dict[int, Facts]
    voice: tuple[tuple[str, Spoken], ...]
    music: Music | None

    def skipped(self, clips: int) -> tuple[int, ...]:
        """The indexes, of so many clips asked for, that are not in the film."""
        placed = {placed.cut.index for placed in self.film.placed}
        return tuple(index for index in range(clips) if index not in placed)


def gather(request: ExportRequest, ctx: Context, ffmpeg: Ffmpeg, share: float) -> Material:
    """Fetch and probe everything, reporting progress up to ``share``.

    Clips that can't be read are left out; ProviderError where none is left, and for a
    voice-over or music that can't be read: a film without them would be another film.
    """
    facts: dict[int, Facts] = {}
    cuts: list[Cut] = []
    for index, found in _probed(request, ctx, ffmpeg, share):
        cut = cut_of(index, request.clips[index], found.seconds, found.lasts)
        if cut:
            facts[index] = found
            cuts.append(cut)
    if not cuts:
        raise ProviderError("None of the clips can be read.")
    film = lay_out(cuts, film_rate([(facts[cut.index].rate, cut.seconds) for cut in cuts]))
    voice = _voice(request, film, ctx, ffmpeg)
    if request.music and not _sound(request.music.media, MUSIC, ctx, ffmpeg):
        raise ProviderError("The music can't be read.")
    ctx.progress(share)
    return Material(film, facts, voice, request.music)


def clip_file(index: int) -> str:
    """Name of a clip's copy in the order's folder."""
    return f"clip-{index}"


def _probed(
    request: ExportRequest, ctx: Context, ffmpeg: Ffmpeg, share: float
) -> Iterator[tuple[int, Facts]]:
    """The clips that can be read. They are looked at while the next ones are fetched."""
    with ThreadPoolExecutor(PROBES) as pool:
        probes: list[tuple[int, Future[Facts | None]]] = []
        for index, clip in enumerate(request.clips):
            ctx.progress(share * index / len(request.clips))
            if _fetched(clip.media, clip_file(index), ctx):
                probes.append((index, pool.submit(probe_clip, ffmpeg, clip_file(index))))
        for index, probe in probes:
            facts = probe.result()
            if facts:
                yield index, facts


def _voice(
    request: ExportRequest, film: Film, ctx: Context, ffmpeg: Ffmpeg
) -> tuple[tuple[str, Spoken], ...]:
    """The pieces that begin before the film ends."""
    pieces = []
    for number, narration in enumerate(request.narration):
        name = f"voice-{number}"
        start = max(0.0, narration.start)
        if start >= film.seconds:
            continue
        if not _sound(narration.media, name, ctx, ffmpeg):
            raise ProviderError("The voice-over can't be read.")
        spoken = Spoken(start, request.narration_volume, narration.speed, narration.seconds)
        pieces.append((name, spoken))
    return tuple(pieces)


def _sound(media: MediaRef, name: str, ctx: Context, ffmpeg: Ffmpeg) -> bool:
    return _fetched(media, name, ctx) and probe_sound(ffmpeg, name)


def _fetched(media: MediaRef, name: str, ctx: Context) -> bool:
    if ctx.cancelled:
        raise ProviderError("The film is no longer wanted.")
    try:
        fetch(media, ctx.work_dir / name)
    except MediaUnreadable:
        return False
    return True
