"""The plugin reference says what the code says, in both directions."""

from __future__ import annotations

import dataclasses
import inspect
import re
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from contentsvc import plugin
from contentsvc.plugin.hooks import HookSpecs

REFERENCE = Path(__file__).parents[3] / "docs" / "plugins" / "reference.md"
HEADING = re.compile(r"^### `([^`]+)`$", re.MULTILINE)
MEMBER = re.compile(r"^- `([^`]+)`", re.MULTILINE)


def sections() -> dict[str, str]:
    """The text below each heading that names something of the code."""
    parts = HEADING.split(REFERENCE.read_text(encoding="utf-8"))
    texts = [re.split(r"^## ", text, flags=re.MULTILINE)[0] for text in parts[2::2]]
    return dict(zip(parts[1::2], texts, strict=True))


def hooks() -> set[str]:
    return {name for name in vars(HookSpecs) if name.startswith("contentsvc_")}


def members(name: str) -> set[str]:
    """What a plugin author can read from, pass to, or call on a public name."""
    if name in hooks():
        return set(inspect.signature(getattr(HookSpecs, name)).parameters) - {"self"}
    thing: Any = getattr(plugin, name)
    if not inspect.isclass(thing):
        return set()
    if issubclass(thing, Enum):
        return {member.value for member in thing}
    if dataclasses.is_dataclass(thing):
        return {field.name for field in dataclasses.fields(thing)}
    if issubclass(thing, Exception):
        own = vars(thing).get("__init__")
        return set(inspect.signature(own).parameters) - {"self"} if own else set()
    return {member for member in vars(thing) if not member.startswith("_")}


def test_every_public_name_and_hook_has_a_section() -> None:
    assert set(plugin.__all__) | hooks() == set(sections())


@pytest.mark.parametrize("name", sorted({*plugin.__all__, *hooks()}))
def test_a_section_lists_exactly_the_members(name: str) -> None:
    assert set(MEMBER.findall(sections()[name])) == members(name)


def test_every_hook_and_type_has_a_docstring() -> None:
    things = [getattr(HookSpecs, name) for name in hooks()]
    things += [getattr(plugin, name) for name in plugin.__all__ if inspect.isclass(getattr(plugin, name))]
    undocumented = [thing.__name__ for thing in things if not (thing.__doc__ or "").strip()]
    generated = [thing.__name__ for thing in things if (thing.__doc__ or "").startswith(f"{thing.__name__}(")]
    assert undocumented + generated == []
