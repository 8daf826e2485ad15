"""Video packs: the clips that projects use, as the library shows them.

Projects are built upon assets, so they tell the library of their clips by a reader.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any, Final, Protocol, cast

from pyramid.config import Configurator
from pyramid.registry import Registry
from sqlalchemy.orm import Session

_READER: Final = "contentsvc.pack_reader"


class PackReader(Protocol):
    """Knows the clips of a team's projects. The session is in the team's scope."""

    def count(self, session: Session, team_id: uuid.UUID) -> int:
        """How many projects have a pack; one query."""

    def packs(self, session: Session, team_id: uuid.UUID) -> Sequence[dict[str, Any]]:
        """All packs for VideoPack; a fixed number of queries."""


def set_pack_reader(config: Configurator, reader: PackReader) -> None:
    """``config.set_pack_reader(reader)``: who answers for the library's video packs."""
    config.registry[_READER] = reader


def pack_reader(registry: Registry) -> PackReader:
    """Who answers for the video packs."""
    return cast(PackReader, registry[_READER])
