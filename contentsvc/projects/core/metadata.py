"""The metadata of a project: any keys, but those the server reads have a shape."""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, NotRequired, TypeAlias

from pydantic import AfterValidator, ConfigDict, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from contentsvc.plugin import EntityType

MAX_BYTES = 256 * 1024


class AdoptState(StrEnum):
    """Whether the storyboard may use a base asset group."""

    ADOPTED = "adopted"
    UNADOPTED = "unadopted"


class StoredEntity(TypedDict):
    """A person or a place of the script, as it is kept; clients may add members of their own."""

    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]

    id: str
    type: EntityType
    name: str
    visual_prompt: NotRequired[str]
    ref_index: NotRequired[int | None]


_entities: TypeAdapter[list[StoredEntity]] = TypeAdapter(list[StoredEntity])
_choices: TypeAdapter[dict[str, AdoptState]] = TypeAdapter(dict[str, AdoptState])


def _shaped(adapter: TypeAdapter[Any], sentence: str) -> Callable[[Any], Any]:
    """A check that names the key alone, however deep the fault lies, and keeps what was sent."""

    def check(value: Any) -> Any:
        try:
            adapter.validate_json(json.dumps(value), strict=True)
        except ValidationError:
            raise ValueError(sentence) from None
        return value

    return check


class KnownKeys(TypedDict, total=False):
    """Keys of the metadata that the server reads."""

    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]

    script_entities: Annotated[
        list[Any],
        AfterValidator(_shaped(_entities, "entities with an id, a type, and a name are expected")),
    ]
    adopt: Annotated[
        dict[str, Any],
        AfterValidator(_shaped(_choices, "a map of group id to adopted or unadopted is expected")),
    ]
    cast: list[Any]
    scenes: list[Any]
    cast_prompts: dict[str, Any]
    scene_prompts: dict[str, Any]


def _small(value: Any) -> Any:
    if len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()) > MAX_BYTES:
        raise ValueError(f"the metadata is larger than {MAX_BYTES} bytes")
    return value


Metadata: TypeAlias = Annotated[KnownKeys, AfterValidator(_small)]
"""Metadata from a client: a plain dictionary, exactly as it was sent."""
