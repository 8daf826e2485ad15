"""The words of a picture: only what the customer said, cut into blocks layouts can use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from contentsvc.plugin import ImageRequest, ProductFacts
from contentsvc_studio.images.fonts import Fonts, clean

HEADLINE_WORDS = 8
HEADLINE_LETTERS = 60
_SENTENCE = re.compile(r"(?<=[.!?。!?])\s*")


@dataclass(frozen=True, slots=True)
class Facts:
    """Texts that a font can draw; empty where there is none. ``omitted`` is True where
    a text was left out because no font has its letters."""

    title: str = ""
    brand: str = ""
    category: str = ""
    audience: str = ""
    sentence: str = ""
    specs: tuple[tuple[str, str], ...] = ()
    points: tuple[tuple[str, str], ...] = ()
    headline: str = ""
    omitted: bool = field(default=False, compare=False)

    @property
    def display(self) -> str:
        """What stands large: the product's title, else a short brief, else the brand."""
        return self.title or self.headline or self.brand

    @property
    def eyebrow(self) -> str:
        """The small line above the title; never a repetition of it."""
        for text in (self.brand, self.category):
            if text and text.casefold() != self.display.casefold():
                return text
        return ""

    @property
    def silent(self) -> bool:
        """True where there is nothing to write."""
        return not (self.display or self.points or self.specs or self.sentence)


class _Reader:
    def __init__(self, fonts: Fonts) -> None:
        self._fonts = fonts
        self.omitted = False

    def text(self, value: str, most: int) -> str:
        text = clean(value)[: most * 2]
        if text and self._fonts.role_for(text + text.upper(), "text") is None:
            self.omitted = True
            return ""
        if len(text) <= most:
            return text
        head = text[: most - 1]
        return (head.rsplit(" ", 1)[0] if " " in head[most // 2 :] else head).rstrip(" ,;:") + "…"


def read_facts(request: ImageRequest, fonts: Fonts) -> Facts:
    """The facts of a request, cleaned, shortened to what a picture can hold."""
    reader = _Reader(fonts)
    product = request.product or ProductFacts()
    points = tuple(
        (title, reader.text(point.detail, 160))
        for point in product.selling_points[:6]
        if (title := reader.text(point.title, 80))
    )
    return Facts(
        title=reader.text(product.title, 150),
        brand=reader.text(product.brand, 40),
        category=reader.text(product.category, 40),
        audience=reader.text(product.target_audience, 60),
        sentence=reader.text(_first_sentence(product.description), 150),
        specs=_specs(product.specs, reader),
        points=points,
        headline=reader.text(_headline(request.brief), HEADLINE_LETTERS),
        omitted=reader.omitted,
    )


def _first_sentence(text: str) -> str:
    return _SENTENCE.split(text.strip(), maxsplit=1)[0] if text.strip() else ""


def _headline(brief: str) -> str:
    """The brief itself where it is short enough to be a headline."""
    words = clean(brief)
    short = len(words) <= HEADLINE_LETTERS and len(words.split()) <= HEADLINE_WORDS
    if not short or not words:
        return ""
    return words[0].upper() + words[1:].rstrip(".")


def _specs(specs: Mapping[str, Any], reader: _Reader) -> tuple[tuple[str, str], ...]:
    rows = []
    for name, value in list(specs.items())[:8]:
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            continue
        label, text = reader.text(str(name), 40), reader.text(str(value), 60)
        if label and text:
            rows.append((_label(label), text))
    return tuple(rows)


def _label(name: str) -> str:
    """A key such as ``water_proof`` as somebody would write it."""
    spaced = name.replace("_", " ").strip()
    return spaced[:1].upper() + spaced[1:]
