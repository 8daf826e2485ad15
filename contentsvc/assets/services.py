"""A team's assets: made, found, changed."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import Session, joinedload

from contentsvc.assets.models import Asset, AssetCategory, AssetSource, AssetType
from contentsvc.db.tenancy import official_too
from contentsvc.http.errors import FieldErrors, NotFound
from contentsvc.storage.files import StoredMedia
from contentsvc.storage.models import MediaFile

NAME_LENGTH = 255
NOT_AN_IMAGE = "There is no such image."


class Assets:
    """The assets of one team, or of the platform without one. Deleted ones count as unknown."""

    def __init__(self, session: Session, team_id: uuid.UUID | None) -> None:
        self._session = session
        self._team_id = team_id

    def create(  # noqa: PLR0913  # a column each, all by name
        self,
        stored: StoredMedia,
        *,
        name: str,
        source: AssetSource | str,
        created_by: uuid.UUID | None,
        category: AssetCategory | str = AssetCategory.NONE,
        product_id: uuid.UUID | None = None,
        project_id: uuid.UUID | None = None,
        task_id: uuid.UUID | None = None,
        in_library: bool = True,
        metadata: Mapping[str, Any] | None = None,
    ) -> Asset:
        """A row for files that lie in storage already; ``name`` is cut to 255 characters."""
        public = MediaFile.of(stored.public)
        original = MediaFile.of(stored.original, is_public=False) if stored.original else public
        thumbnail = MediaFile.of(stored.thumbnail) if stored.thumbnail else None
        asset = Asset(
            team_id=self._team_id,
            name=name[:NAME_LENGTH],
            category=str(category),
            asset_type=str(stored.kind),
            source=str(source),
            file=public,
            original_file=original,
            thumbnail_file=thumbnail,
            mime_type=stored.media_type,
            size_bytes=stored.public.size_bytes,
            width=stored.width,
            height=stored.height,
            duration_seconds=stored.duration_seconds,
            product_id=product_id,
            project_id=project_id,
            task_id=task_id,
            in_library=in_library,
            meta=dict(metadata or {}),
            created_by=created_by,
            # The same moment for both: what is new has not been changed before it was made.
            created_at=func.statement_timestamp(),
            updated_at=func.statement_timestamp(),
        )
        self._session.add(asset)
        self._session.flush()
        return asset

    def get(self, asset_id: uuid.UUID) -> Asset:
        """One asset. Raises NotFound."""
        asset = self._session.scalar(self._all().where(Asset.id == asset_id))
        if asset is None:
            raise NotFound
        return asset

    def readable(self, asset_id: uuid.UUID) -> Asset:
        """One asset that the team may look at: its own or an official portrait. Raises NotFound."""
        asset = self.find_readable([asset_id]).get(asset_id)
        if asset is None:
            raise NotFound
        return asset

    def original(self, asset: Asset) -> MediaFile:
        """The file with the bytes as they came."""
        found = self._session.get(MediaFile, asset.original_file_id)
        if found is None:
            raise NotFound
        return found

    def find(self, ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, Asset]:
        """Those of the ids that name an asset of the team, in one statement."""
        wanted = set(ids)
        if not wanted:
            return {}
        return {asset.id: asset for asset in self._session.scalars(self._all().where(Asset.id.in_(wanted)))}

    def find_readable(self, ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, Asset]:
        """As :meth:`find`, official portraits among them."""
        wanted = set(ids)
        own = or_(Asset.team_id == self._team_id, Asset.team_id.is_(None))
        with official_too(self._session):
            found = self._session.scalars(self._known().where(own, Asset.id.in_(wanted)))
            return {asset.id: asset for asset in found}

    def require_images(self, ids: Sequence[tuple[str, uuid.UUID]], *, official: bool = False) -> list[Asset]:
        """The images the ids name, in their order; each id comes with the field that holds it.

        With ``official`` they may be official portraits, to be looked at and no more. Raises
        FieldErrors on the fields of unknown ids and of assets that are no images.
        """
        find = self.find_readable if official else self.find
        found = find(asset_id for _, asset_id in ids)
        images = {key: asset for key, asset in found.items() if asset.asset_type == AssetType.IMAGE}
        if faults := {field: [NOT_AN_IMAGE] for field, asset_id in ids if asset_id not in images}:
            raise FieldErrors(faults)
        return [images[asset_id] for _, asset_id in ids]

    def require_product(self, product_id: uuid.UUID | None) -> None:
        """Raises FieldErrors on ``product`` unless it is None or an active product of the team."""
        if product_id is None:
            return
        product = _product_columns()
        known = select(product.id).where(
            product.id == product_id, product.team_id == self._team_id, product.status == "active"
        )
        if self._session.scalar(known) is None:
            raise FieldErrors.one("product", "There is no such product.")

    def product_titles(self, ids: Iterable[uuid.UUID]) -> list[dict[str, Any]]:
        """Those of the ids that name a product of the team, archived ones included, by title."""
        product = _product_columns()
        known = select(product.id, product.title).where(
            product.id.in_(set(ids)), product.team_id == self._team_id
        )
        found = self._session.execute(known.order_by(product.title, product.id))
        return [dict(row) for row in found.mappings()]

    def update(self, asset: Asset, changes: Mapping[str, Any]) -> Asset:
        """Change name or description. Raises FieldErrors for a null."""
        if faults := {field: ["A text is expected."] for field, value in changes.items() if value is None}:
            raise FieldErrors(faults)
        for field, value in changes.items():
            setattr(asset, field, value)
        self._session.flush()
        return asset

    def _all(self) -> Select[Asset]:
        return self._known().where(Asset.team_id == self._team_id)

    @staticmethod
    def _known() -> Select[Asset]:
        return (
            select(Asset)
            .where(Asset.deleted_at.is_(None))
            .options(joinedload(Asset.file), joinedload(Asset.thumbnail_file))
        )


def _product_columns() -> Any:
    # Products build on assets, so their class is out of reach here; the foreign key isn't.
    (key,) = Asset.__table__.c.product_id.foreign_keys
    return key.column.table.c
