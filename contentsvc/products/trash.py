"""The trash of a team: deleted products and assets in one list."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from sqlalchemy import Select, literal, select, union_all
from sqlalchemy.orm import Session, raiseload

from contentsvc.assets.models import Asset
from contentsvc.http.pagination import PageQuery, Slice, count_of
from contentsvc.products.models import Product, ProductStatus


class TrashKind(StrEnum):
    """What lies in the trash."""

    PRODUCT = "product"
    ASSET = "asset"


class Trash:
    """Deleted things of one team, the last deleted first."""

    def __init__(self, session: Session, team_id: uuid.UUID) -> None:
        self._session = session
        self._team_id = team_id

    def page(self, kind: TrashKind | None, query: PageQuery) -> Slice:
        """A page of rows for TrashRow; a fixed number of queries."""
        parts = [self._deleted(each) for each in ([kind] if kind else TrashKind)]
        count = count_of(self._session, select(union_all(*parts).subquery()))
        rows = self._session.execute(_merged(parts, query)).mappings().all()
        pictures = self._pictures(rows)
        return Slice(count=count, rows=[{**row, "preview_url": pictures[row["id"]]} for row in rows])

    def _deleted(self, kind: TrashKind) -> Select[*tuple[Any, ...]]:
        if kind is TrashKind.ASSET:
            columns = (Asset.id, Asset.name.label("title"), Asset.deleted_at.label("deleted_at"))
            statement = select(literal(kind.value).label("kind"), *columns)
            return statement.where(Asset.team_id == self._team_id, Asset.deleted_at.is_not(None))
        columns = (Product.id, Product.title.label("title"), Product.archived_at.label("deleted_at"))
        statement = select(literal(kind.value).label("kind"), *columns)
        return statement.where(Product.team_id == self._team_id, Product.status == ProductStatus.ARCHIVED)

    def _pictures(self, rows: Sequence[Mapping[Any, Any]]) -> dict[uuid.UUID, str | None]:
        """Paths of the assets' files and the products' covers by the rows' ids."""
        ids = {kind: [row["id"] for row in rows if row["kind"] == kind] for kind in TrashKind}
        assets = self._session.scalars(select(Asset).where(Asset.id.in_(ids[TrashKind.ASSET])))
        products = self._session.scalars(
            select(Product)
            .where(Product.id.in_(ids[TrashKind.PRODUCT]))
            .options(raiseload(Product.selling_points))
        )
        found: dict[uuid.UUID, str | None] = {asset.id: asset.file.path for asset in assets}
        return found | {product.id: product.cover_url for product in products}


def _merged(parts: Sequence[Select[*tuple[Any, ...]]], query: PageQuery) -> Select[*tuple[Any, ...]]:
    """A page of all parts. None gives more rows than the pages up to this one have, so that
    each is read along its index."""
    heads = [
        _newest_first(part, part.selected_columns).limit(query.offset + query.limit).subquery()
        for part in parts
    ]
    whole = union_all(*(select(head) for head in heads)).subquery()
    return _newest_first(select(whole), whole.c).limit(query.limit).offset(query.offset)


def _newest_first(statement: Select[*tuple[Any, ...]], columns: Any) -> Select[*tuple[Any, ...]]:
    return statement.order_by(columns.deleted_at.desc(), columns.id.desc())
