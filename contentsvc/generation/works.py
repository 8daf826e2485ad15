"""What a provider's result becomes on its way into the books."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from contentsvc.plugin import Usage
from contentsvc.storage.files import StoredMedia


@dataclass(frozen=True)
class Work:
    """A stored file and how it is filed as an asset."""

    media: StoredMedia
    name: str
    category: str
    in_library: bool = True
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Stored:
    """A result whose files are in storage. ``facts`` is what its workflow needs beside them."""

    works: tuple[Work, ...] = ()
    usage: Usage = field(default_factory=Usage)
    facts: Any = None
