"""The documentation as files: which pages there are, and what stands in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
PAGES = sorted(
    [README, *(ROOT / "docs").rglob("*.md"), *ROOT.glob("plugins/*/README.md"), *ROOT.glob("tests/**/*.md")]
)

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


def read(path: Path) -> str:
    """A page's text."""
    return path.read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    """A page's path below the repository, for messages."""
    return path.relative_to(ROOT).as_posix()


def blocks(path: Path, language: str) -> list[str]:
    """The fenced blocks of a page in one language."""
    return [text for found, text in _FENCE.findall(read(path)) if found == language]


def prose(path: Path) -> str:
    """A page without its fenced blocks."""
    return _FENCE.sub("", read(path))


def anchors(path: Path) -> Iterator[str]:
    """Names that links can use for a page's headings."""
    for heading in _HEADING.findall(prose(path)):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
