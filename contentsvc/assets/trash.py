"""The trash of the asset library: what is deleted, brought back, removed for good.

A deleted asset is hidden, and stays where it is in use. A purge takes its rows and names the
files that nobody needs any more; their bytes are removed once the rows are gone, so a crash
leaves bytes without a row, which the sweep finds, and never a row without bytes.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Final, Protocol, cast

import structlog
from pyramid.config import Configurator
from pyramid.registry import Registry
from sqlalchemy import Select, delete, exists, func, or_, select, update
from sqlalchemy.orm import Session, joinedload

from contentsvc.assets.models import Asset, AssetReview
from contentsvc.db.tenancy import platform_scope
from contentsvc.http.errors import ApiError, ErrorCode, NotFound
from contentsvc.http.pagination import PageQuery, Slice, fetch_page
from contentsvc.storage.backends import Storage
from contentsvc.storage.errors import StorageError
from contentsvc.storage.models import MediaFile

_HOLDERS: Final = "contentsvc.asset_holders"
_NO_SYNC: Final = {"synchronize_session": False}

log = structlog.get_logger(__name__)


class AssetHolder(Protocol):
    """Who uses assets in a way that a purge can't just cut. The session is in the team's scope."""

    def lock(self, session: Session, asset_id: uuid.UUID) -> None:
        """Lock what a purge of the asset would change; the asset's own row is locked afterwards."""

    def let_go(self, session: Session, asset_id: uuid.UUID) -> None:
        """Do without the asset. Raises ApiError ``conflict`` where that is impossible."""


def add_asset_holder(config: Configurator, holder: AssetHolder) -> None:
    """``config.add_asset_holder(holder)``: ask it before an asset is purged."""
    config.registry.setdefault(_HOLDERS, []).append(holder)


def holders_of(registry: Registry) -> Sequence[AssetHolder]:
    """Who is asked before an asset is purged."""
    return cast("Sequence[AssetHolder]", registry.get(_HOLDERS, ()))


class AssetTrash:
    """The deleted assets of one team."""

    def __init__(self, session: Session, team_id: uuid.UUID) -> None:
        self._session = session
        self._team_id = team_id

    def page(self, query: PageQuery) -> Slice:
        """A page of the deleted assets."""
        statement = (
            self._all()
            .where(Asset.deleted_at.is_not(None))
            .order_by(Asset.created_at.desc(), Asset.id.desc())
            .options(joinedload(Asset.file), joinedload(Asset.thumbnail_file))
        )
        return fetch_page(self._session, statement, query)

    def get_any(self, asset_id: uuid.UUID) -> Asset:
        """An asset of the team, deleted or not. Raises NotFound."""
        asset = self._session.scalar(self._all().where(Asset.id == asset_id))
        if asset is None:
            raise NotFound
        return asset

    def delete(self, asset: Asset) -> None:
        """Move an asset to the trash. Raises NotFound when somebody was faster."""
        moved = self._session.scalar(
            update(Asset)
            .where(Asset.id == asset.id, Asset.team_id == self._team_id, Asset.deleted_at.is_(None))
            .values(deleted_at=func.clock_timestamp())
            .returning(Asset.id),
            execution_options=_NO_SYNC,
        )
        if moved is None:
            raise NotFound

    def restore(self, asset_id: uuid.UUID) -> Asset:
        """Bring an asset back. Raises NotFound, ApiError for one that isn't deleted."""
        asset = self._lock(asset_id)
        asset.deleted_at = None
        self._session.flush()
        self._session.refresh(asset)
        return asset

    def purge(self, asset_id: uuid.UUID, holders: Iterable[AssetHolder]) -> list[str]:
        """Remove a deleted asset for good; the keys of the files that nobody needs any more.

        Whoever refers to it keeps his place without it. Raises NotFound, ApiError for one that
        isn't deleted (``not_archived``) or can't be missed (``conflict``).
        """
        asking = list(holders)
        for holder in asking:
            holder.lock(self._session, asset_id)
        # A review that gets its verdict locks its own row before the asset's.
        self._session.execute(
            select(AssetReview.id).where(AssetReview.asset_id == asset_id).with_for_update()
        )
        asset = self._lock(asset_id)
        for holder in asking:
            holder.let_go(self._session, asset_id)
        files = {asset.file_id, asset.original_file_id, asset.thumbnail_file_id} - {None}
        self._session.expunge(asset)
        self._session.execute(delete(Asset).where(Asset.id == asset_id), execution_options=_NO_SYNC)
        return self._drop_files(files)

    def _all(self) -> Select[Asset]:
        return select(Asset).where(Asset.team_id == self._team_id)

    def _lock(self, asset_id: uuid.UUID) -> Asset:
        """A deleted asset, locked against new references to it as well."""
        statement = self._all().where(Asset.id == asset_id).with_for_update(of=Asset)
        asset = self._session.scalar(statement.execution_options(populate_existing=True))
        if asset is None:
            raise NotFound
        if asset.deleted_at is None:
            raise ApiError(ErrorCode.NOT_ARCHIVED, "The asset is not in the trash.")
        return asset

    def _drop_files(self, ids: Iterable[uuid.UUID | None]) -> list[str]:
        shared = exists().where(
            or_(
                Asset.file_id == MediaFile.id,
                Asset.original_file_id == MediaFile.id,
                Asset.thumbnail_file_id == MediaFile.id,
            )
        )
        # Whoever shares a file counts, whatever his team.
        with platform_scope(self._session):
            dropped = self._session.scalars(
                delete(MediaFile).where(MediaFile.id.in_(ids), ~shared).returning(MediaFile.key),
                execution_options=_NO_SYNC,
            )
            return list(dropped)


def remove_bytes(storage: Storage, keys: Iterable[str]) -> None:
    """Remove files whose rows are gone, as far as that works; the sweep gets the rest."""
    for key in keys:
        try:
            storage.delete(key)
        except StorageError as error:
            log.warning("purged_file_left", key=key, error=error.detail)
