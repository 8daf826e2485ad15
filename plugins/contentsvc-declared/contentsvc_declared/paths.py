"""Dotted paths into JSON: ``image_size.width``, ``images.0.url``."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any


def put(document: MutableMapping[str, Any], path: str, value: Any) -> None:
    """Set a member, making the objects on the way. Raises TypeError where something else is there."""
    *way, last = path.split(".")
    place: Any = document
    for name in way:
        place = place.setdefault(name, {})
        if not isinstance(place, MutableMapping):
            raise TypeError(f"{path} leads through {name}, which is no object")
    place[last] = value


def dig(document: Any, path: str) -> Any:
    """What is there, None where nothing is; an empty path leads to the document itself."""
    found = document
    for name in path.split(".") if path else ():
        if isinstance(found, Mapping):
            found = found.get(name)
        elif isinstance(found, list) and name.isdecimal():
            found = found[int(name)] if len(name) < 6 and int(name) < len(found) else None
        else:
            return None
    return found


def link_in(output: Any, path: str) -> str | None:
    """The link at a path, of a list the first; None where there is none."""
    found = dig(output, path)
    if isinstance(found, list):
        found = found[0] if found else None
    return found if isinstance(found, str) else None
