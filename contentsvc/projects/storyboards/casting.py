"""Whom and what a segment shows, and which pictures its shot is made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from contentsvc.generation.images import Reference
from contentsvc.plugin import EntityType
from contentsvc.projects.base_assets.entities import stored_entities
from contentsvc.projects.base_assets.services import EntityPicture
from contentsvc.projects.models import GroupKind, Project, ScriptVersion

_KIND_OF_ENTITY: Final = {EntityType.CHARACTER: GroupKind.PERSON, EntityType.SCENE: GroupKind.SCENE}

_Key = tuple[GroupKind, str]


class Casting:
    """The pictures of a project's product and entities, handed out to the shots of a script."""

    def __init__(self, project: Project, script: ScriptVersion, pictures: list[EntityPicture]) -> None:
        self._pictures = pictures
        self._known = _entities(project)
        # A script that nobody has read for its entities says nothing of who is where.
        self._is_read = any(segment["entity_refs"] for segment in script.segments)

    @property
    def has_pictures(self) -> bool:
        """Whether shots have anything to work from."""
        return bool(self._pictures)

    def references(self, segment: Mapping[str, Any]) -> tuple[Reference, ...]:
        """What a segment's shot is made from: the product, and whom and what the segment names.

        All of them while the script has not been read for its entities, and where nothing
        else would be left.
        """
        named = self._named(segment)
        chosen = [picture for picture in self._pictures if not self._is_read or _fits(picture, named)]
        return tuple(Reference(picture.role, picture.asset.id) for picture in chosen or self._pictures)

    def _named(self, segment: Mapping[str, Any]) -> set[_Key]:
        return {self._known[ref] for ref in segment["entity_refs"] if ref in self._known}


def shows_character(project: Project, segment: Mapping[str, Any]) -> bool:
    """Whether a segment refers to a character."""
    known = _entities(project)
    return any(ref in known and known[ref][0] is GroupKind.PERSON for ref in segment["entity_refs"])


def _fits(picture: EntityPicture, named: set[_Key]) -> bool:
    return picture.kind is GroupKind.PRODUCT or (picture.kind, picture.label.casefold()) in named


def _entities(project: Project) -> dict[str, _Key]:
    """Kind and name of each stored entity by its id."""
    return {
        str(entity["id"]): (_KIND_OF_ENTITY[EntityType(entity["type"])], str(entity["name"]).casefold())
        for entity in stored_entities(project)
    }
