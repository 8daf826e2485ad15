"""Subtitles as an ASS script: cleaned, wrapped, paged, escaped. Pure but for the fonts' measures."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from contentsvc.plugin import Subtitle, SubtitleStyle
from contentsvc_ffmpeg.faces import Face

MOST_LINES = 3
_SIDE_MARGIN = 0.08
# Where apps that show upright films lay their own buttons and captions.
_EDGE_MARGIN = {"top": 0.12, "middle": 0.0, "bottom": 0.16}
_ALIGNMENT = {"top": 8, "middle": 5, "bottom": 2}
_OUTLINE = 0.07
_WORD_JOINER = "\u2060"
# Joiners that Indic and Arabic scripts need between letters.
_JOINERS = "\u200c\u200d"

_HEAD = """\
[Script Info]
ScriptType: v4.00+
PlayResX: {width}
PlayResY: {height}
WrapStyle: 2
ScaledBorderAndShadow: yes

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, \
Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, \
MarginR, MarginV, Encoding
{styles}

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
"""


@dataclass(frozen=True, slots=True)
class Script:
    """The ASS text (None where there is nothing to show), the font files it needs, and how
    many subtitles no font can draw."""

    text: str | None
    fonts: tuple[Path, ...]
    omitted: int


def write_script(
    subtitles: Sequence[Subtitle],
    style: SubtitleStyle,
    faces: Sequence[Face],
    size: tuple[int, int],
    film_seconds: float,
) -> Script:
    """The script of a film. ``faces`` are asked in their order; what lies behind the film's
    end is cut.
    """
    box = size[0] * (1 - 2 * _SIDE_MARGIN)
    events: list[str] = []
    used: dict[int, Face] = {}
    omitted = 0
    for subtitle in subtitles:
        start, end = max(0.0, subtitle.start), min(subtitle.end, film_seconds)
        text = clean(subtitle.text)
        if not text or end <= start:
            continue
        chosen = _choose(faces, text)
        if chosen is None:
            omitted += 1
            continue
        number, text = chosen
        used[number] = faces[number]
        lines = wrap(faces[number], text, style.font_size, box)
        events += [
            f"Dialogue: 0,{_clock(first)},{_clock(last)},Face{number},,0,0,0,,{page}"
            for first, last, page in _pages(lines, start, end)
        ]
    if not events:
        return Script(None, (), omitted)
    styles = "\n".join(_style(f"Face{number}", face, style, size) for number, face in sorted(used.items()))
    head = _HEAD.format(width=size[0], height=size[1], styles=styles)
    fonts = tuple(face.path for face in used.values())
    return Script(head + "\n".join(events) + "\n", fonts, omitted)


def clean(text: str) -> str:
    """One line of plain text: spaces joined, control and formatting characters dropped."""
    kept = (
        letter
        for letter in unicodedata.normalize("NFC", text)
        if letter.isspace() or letter in _JOINERS or unicodedata.category(letter)[0] != "C"
    )
    return " ".join("".join(kept).split())


def escape(text: str) -> str:
    """The text with nothing libass would take for a tag, a line break or a hard space."""
    return text.replace("\\", "\\" + _WORD_JOINER).replace("{", "\\{").replace("}", "\\}")


def wrap(face: Face, text: str, size: float, box: float) -> list[str]:
    """The fewest lines that fit ``box`` pixels, as even as they can be. A single letter may be wider."""
    pieces = list(_pieces(text))
    lines = _filled(face, pieces, size, box)
    low, high = 0.0, box
    # The narrowest box that takes no more lines makes them even.
    for _ in range(10):
        middle = (low + high) / 2
        tried = _filled(face, pieces, size, middle)
        if len(tried) > len(lines) or any(face.width(line, size) > box for line in tried):
            low = middle
        else:
            high, lines = middle, tried
    return lines


def _filled(face: Face, pieces: Sequence[str], size: float, box: float) -> list[str]:
    lines = [""]
    for piece in pieces:
        longer = lines[-1] + piece
        if lines[-1] and face.width(longer.rstrip(), size) > box:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
            longer = piece
        # A word that is wider than a line is broken anywhere.
        while face.width(longer.rstrip(), size) > box and len(longer.rstrip()) > 1:
            fits = next(
                (count for count in range(len(longer) - 1, 1, -1) if face.width(longer[:count], size) <= box),
                1,
            )
            lines[-1:] = [longer[:fits], ""]
            longer = longer[fits:]
        lines[-1] = longer
    lines[-1] = lines[-1].rstrip()
    return [line for line in lines if line]


def _pieces(text: str) -> Iterator[str]:
    """What a line may end after: words with their space, and single letters of scripts without spaces."""
    piece = ""
    for at, letter in enumerate(text):
        piece += letter
        after = text[at + 1 : at + 2]
        breaks = _is_wide(letter) or (_is_wide(after) and not letter.isspace())
        if letter.isspace() or (breaks and not _hangs(after) and not _opens(letter)):
            yield piece
            piece = ""
    if piece:
        yield piece


def _is_wide(letter: str) -> bool:
    return bool(letter) and unicodedata.east_asian_width(letter) in "WF"


def _hangs(letter: str) -> bool:
    """What must not begin a line: its space, closing punctuation, combining marks."""
    return (
        not letter or letter.isspace() or unicodedata.category(letter) in ("Po", "Pe", "Pf", "Pd", "Mn", "Mc")
    )


def _opens(letter: str) -> bool:
    return unicodedata.category(letter) in ("Ps", "Pi")


def _choose(faces: Sequence[Face], text: str) -> tuple[int, str] | None:
    """The first face that has every letter, and the text without the symbols it lacks; None
    where no face has every letter."""
    for number, face in enumerate(faces):
        drawn = "".join(letter for letter in text if _invisible(letter) or face.draws(letter))
        lost = any(not face.draws(letter) and unicodedata.category(letter)[0] in "LN" for letter in text)
        if not lost and drawn.strip():
            return number, " ".join(drawn.split())
    return None


def _invisible(letter: str) -> bool:
    return letter in _JOINERS or unicodedata.category(letter)[0] == "M"


def _pages(lines: Sequence[str], start: float, end: float) -> Iterator[tuple[float, float, str]]:
    """At most three lines at a time; each page lasts as long as its share of the letters."""
    count = -(-len(lines) // MOST_LINES)
    cuts = [round(at * len(lines) / count) for at in range(count + 1)]
    letters = sum(map(len, lines))
    said, first = 0, start
    for begin, stop in pairwise(cuts):
        page = lines[begin:stop]
        said += sum(map(len, page))
        last = start + (end - start) * said / letters
        yield first, last, "\\N".join(map(escape, page))
        first = last


def _style(name: str, face: Face, style: SubtitleStyle, size: tuple[int, int]) -> str:
    sides = round(size[0] * _SIDE_MARGIN / 2)
    edge = round(size[1] * _EDGE_MARGIN[style.position])
    colours = f"{_colour(style.color)},{_colour(style.color)},{_colour(style.outline_color)},&H00000000"
    outline = max(1.0, style.font_size * _OUTLINE)
    return (
        f"Style: {name},{face.family},{style.font_size * face.cell:.2f},{colours},0,0,0,0,100,100,0,0,1,"
        f"{outline:.1f},0,{_ALIGNMENT[style.position]},{sides},{sides},{edge},-1"
    )


def _colour(html: str) -> str:
    red, green, blue = html[1:3], html[3:5], html[5:7]
    return f"&H00{blue}{green}{red}".upper()


def _clock(seconds: float) -> str:
    hundredths = round(seconds * 100)
    minutes, rest = divmod(hundredths, 6000)
    return f"{minutes // 60}:{minutes % 60:02}:{rest // 100:02}.{rest % 100:02}"
