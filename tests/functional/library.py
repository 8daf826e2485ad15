"""Rows of the asset library, made without an upload."""

from __future__ import annotations

import uuid
from typing import Any

from pyramid.registry import Registry

from contentsvc.assets.models import Asset, AssetSource, AssetType
from contentsvc.db.session import transaction_scope
from contentsvc.storage.models import MediaFile


def add_asset(registry: Registry, team_id: uuid.UUID | None, **fields: Any) -> str:
    """A committed asset of the team; its id as clients write it. It has a file's row, but no bytes."""
    return add_assets(registry, team_id, 1, **fields)[0]


def add_assets(registry: Registry, team_id: uuid.UUID | None, number: int, **fields: Any) -> list[str]:
    """Several at once."""
    with transaction_scope(registry) as session:
        assets = []
        for _ in range(number):
            media = MediaFile(
                key=uuid.uuid4().hex,
                filename="cup.png",
                media_type="image/png",
                size_bytes=3,
                etag="0" * 64,
            )
            session.add(media)
            session.flush()
            values = {
                "name": "Cup",
                "asset_type": AssetType.IMAGE,
                "source": AssetSource.UPLOADED,
                "mime_type": "image/png",
                "size_bytes": 3,
            } | fields
            assets.append(Asset(team_id=team_id, file_id=media.id, original_file_id=media.id, **values))
        session.add_all(assets)
        session.flush()
        return [str(asset.id) for asset in assets]
