"""Who and what a script shows: the capability entity_extraction."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from contentsvc.plugin.backends import Backend
from contentsvc.plugin.scripts import ScriptSegment
from contentsvc.plugin.values import ProductFacts, Usage


class EntityType(StrEnum):
    """What an entity is."""

    CHARACTER = "character"
    SCENE = "scene"


@dataclass(frozen=True, slots=True)
class Entity:
    """A person or a place of the film; ``segments`` are the indexes of the shots it is in."""

    type: EntityType
    name: str
    visual_prompt: str
    segments: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class EntityRequest:
    """A script to read."""

    segments: tuple[ScriptSegment, ...]
    product: ProductFacts


@dataclass(frozen=True, slots=True)
class EntityResult:
    """The people and places found, each once."""

    entities: tuple[Entity, ...]
    usage: Usage = field(default_factory=Usage)


EntityBackend: TypeAlias = Backend[EntityRequest, EntityResult]
