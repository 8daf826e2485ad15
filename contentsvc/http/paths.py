"""Ids in paths."""

from __future__ import annotations

import uuid

from contentsvc.http.errors import NotFound
from contentsvc.http.request import ApiRequest
from contentsvc.http.types import parse_uuid


def path_id(request: ApiRequest, name: str = "id") -> uuid.UUID:
    """The id a path holds. Raises NotFound for a malformed one, which nothing can have."""
    try:
        return parse_uuid(request.matchdict[name])
    except ValueError:
        raise NotFound from None
