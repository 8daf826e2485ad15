"""What a script may say: the customer's facts, as words that fit into sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from contentsvc.plugin import ProductFacts

WORDS_PER_SECOND = 2.5
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。!?])\s*")
_TITLE_BREAK = re.compile(r"\s*[,;|(\[/]\s*|\s+[\u2013\u2014-]\s+")
_IDEOGRAPH = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af]")
_END = ".!?。!?…"


@dataclass(frozen=True, slots=True)
class Point:
    """A reason to buy as up to two sentences; ``detail`` may be empty."""

    title: str
    detail: str


@dataclass(frozen=True, slots=True)
class Material:
    """``name`` is brand and title, ``short`` a title one can say; the rest may be empty."""

    name: str
    short: str
    brand: str
    audience: str
    points: tuple[Point, ...]
    sentences: tuple[str, ...]
    specs: tuple[tuple[str, str], ...]
    words: frozenset[str]


def read_material(product: ProductFacts) -> Material:
    """The facts of a product; a nameless one is spoken of as the product."""
    title = tidy(product.title)
    brand = tidy(product.brand)
    short = shortened(_TITLE_BREAK.split(title)[0], 6) or shortened(brand, 4)
    with_brand = brand and brand.casefold() not in title.casefold()
    name = " ".join(part for part in (brand if with_brand else "", short) if part)
    points = tuple(
        Point(sentence(point.title), sentence(point.detail))
        for point in product.selling_points
        if tidy(point.title)
    )
    text = f"{product.title} {product.category} {product.description}"
    return Material(
        name=name or "the product",
        short=short or "product",
        brand=brand,
        audience=lowered(shortened(tidy(product.target_audience).rstrip(_END), 12)),
        points=points,
        sentences=tuple(sentence(part) for part in _SENTENCE.split(tidy(product.description)) if part)[:6],
        specs=_specs(product.specs),
        words=frozenset(re.findall(r"[a-z]+", text.lower())),
    )


def tidy(text: str) -> str:
    """One line without control characters."""
    return " ".join("".join(letter for letter in text if letter.isprintable() or letter.isspace()).split())


def sentence(text: str) -> str:
    """A capital letter first, a full stop last; empty stays empty."""
    text = tidy(text)
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text[-1] in _END else ".")


def lowered(text: str) -> str:
    """For the middle of a sentence: a small first letter, unless it looks like a name."""
    first = text.split(" ", 1)[0]
    return text if first[1:] != first[1:].lower() or first == "I" else text[:1].lower() + text[1:]


def shortened(text: str, most: int) -> str:
    """At most so many words."""
    return " ".join(text.split()[:most])


def spoken_words(text: str) -> int:
    """How many words a speaker needs for it; two ideographs count as one."""
    signs = len(_IDEOGRAPH.findall(text))
    return len(_IDEOGRAPH.sub(" ", text).split()) + (signs + 1) // 2


def _specs(specs: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    rows = []
    for name, value in list(specs.items())[:8]:
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            continue
        label, text = tidy(str(name).replace("_", " ")), tidy(str(value))
        if label and text and len(text) <= 60:
            rows.append((label[:40], text))
    return tuple(rows)
