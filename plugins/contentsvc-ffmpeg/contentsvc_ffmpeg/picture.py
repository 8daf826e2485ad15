"""The film's picture, and the file that holds it with the sound."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from contentsvc.plugin import ExportRequest
from contentsvc_ffmpeg.faces import Face, open_face, packaged_face
from contentsvc_ffmpeg.filters import picture_graph
from contentsvc_ffmpeg.material import Material, clip_file
from contentsvc_ffmpeg.probe import GUARDED
from contentsvc_ffmpeg.run import Ffmpeg
from contentsvc_ffmpeg.soundtrack import SOUND, cut_input
from contentsvc_ffmpeg.subtitles import write_script

FILM = "film.mp4"
SUBTITLES = "subtitles.ass"
FONTS = "fonts"
PRESET = "veryfast"
QUALITY = 20
# Every input has a decoder of its own, but only one or two work at a time.
DECODER_THREADS = 2


def make_film(
    request: ExportRequest,
    material: Material,
    ffmpeg: Ffmpeg,
    *,
    subtitles: bool,
    threads: int,
    on_share: Callable[[float], None],
) -> Path:
    """Render :data:`FILM` from the clips and the finished sound; ``on_share`` hears 0 to 1."""
    film = material.film
    inputs: list[str] = []
    for placed in film.placed:
        inputs += ["-threads", str(DECODER_THREADS), *cut_input(placed, film.rate)]
        inputs += ["-i", f"file:{clip_file(placed.cut.index)}"]
    shapes = [material.facts[placed.cut.index].shape for placed in film.placed]
    size = request.width, request.height
    graph = picture_graph(film, shapes, size, SUBTITLES if subtitles else None)
    ffmpeg.run(
        [
            *(*inputs, *GUARDED, "-i", f"file:{SOUND}"),
            *("-filter_complex_threads", str(threads), "-filter_complex", graph),
            *("-map", "[picture]", "-map", f"{len(film.placed)}:a:0", "-map_metadata", "-1"),
            *("-c:v", "libx264", "-preset", PRESET, "-crf", str(QUALITY), "-profile:v", "high"),
            *("-g", str(2 * film.rate), "-threads", str(threads)),
            *("-c:a", "aac", "-b:a", "192k", "-ar", "48000", "-ac", "2"),
            *("-t", f"{film.seconds:.6f}", "-movflags", "+faststart", "-f", "mp4", f"file:{FILM}"),
        ],
        lambda at: on_share(min(1.0, at / film.seconds)),
    )
    return ffmpeg.folder / FILM


def prepare_subtitles(
    request: ExportRequest, film_seconds: float, folder: Path, font: str
) -> tuple[bool, int]:
    """Write the script and its fonts into the folder. Answers whether there is anything to
    burn in, and how many subtitles no font can draw. ProviderError for a wrong font setting."""
    if not request.subtitles:
        return False, 0
    faces: list[Face] = [packaged_face()]
    if font:
        faces.append(open_face(Path(font)))
    size = request.width, request.height
    script = write_script(request.subtitles, request.subtitle_style, faces, size, film_seconds)
    if script.text is None:
        return False, script.omitted
    (folder / SUBTITLES).write_text(script.text, encoding="utf-8")
    (folder / FONTS).mkdir()
    for number, path in enumerate(script.fonts):
        shutil.copyfile(path, folder / FONTS / f"{number}{path.suffix}")
    return True, script.omitted
