"""Subtitles made from narration: short lines, each shown for its share of the time."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

LINE_LENGTH = 60
"""Characters at once: two rows on a film of 1080 pixels."""

# Scripts without spaces end a sentence without one too, and their signs are twice as wide.
_SENTENCE = re.compile(r"(?<=[.!?…;])\s+|(?<=[。！？；])")
_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffe6]")


def lines_of(text: str, start: float, seconds: float) -> Iterator[tuple[str, float, float]]:
    """The text as ``(line, start, end)``, one behind the other from ``start`` on."""
    lines = [line for sentence in _SENTENCE.split(text) for line in _wrapped(sentence)]
    total = sum(len(line) for line in lines)
    at = start
    for line in lines:
        end = at + seconds * len(line) / total
        yield line, at, end
        at = end


def _wrapped(sentence: str) -> list[str]:
    """As few lines as it takes, as even as they can be: a long one and a lonely word read badly."""
    most = LINE_LENGTH // 2 if _WIDE.search(sentence) else LINE_LENGTH
    fewest = textwrap.wrap(sentence, most)
    if len(fewest) < 2:
        return fewest
    longest_word = max(map(len, sentence.split()))
    least = max(len(sentence) // len(fewest), longest_word if longest_word <= most else 0)
    tries = (textwrap.wrap(sentence, width) for width in range(least, most))
    return next((lines for lines in tries if len(lines) == len(fewest)), fewest)
