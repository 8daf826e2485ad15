"""The library: lists, counts and facets of a team's assets. Deleted ones are never in it."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, and_, func, or_, select
from sqlalchemy.orm import Session, joinedload

from contentsvc.assets.models import Asset, AssetCategory, AssetSource
from contentsvc.assets.schemas import AssetOrdering, AssetQuery, InLibrary, Tab
from contentsvc.http.errors import FieldErrors
from contentsvc.http.pagination import Slice, fetch_page

MAX_KEYS: Final = 20
MAX_VALUES: Final = 1000
_KEY: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}", re.ASCII)

_CATEGORY_OF_TAB = {
    Tab.TRYON: AssetCategory.MODEL_TRYON,
    Tab.KITS: AssetCategory.PLATFORM_KIT,
    Tab.CREATIONS: AssetCategory.FREE_CREATE,
}


class Library:
    """The assets of one team as lists and numbers."""

    def __init__(self, session: Session, team_id: uuid.UUID) -> None:
        self._session = session
        self._team_id = team_id

    def page(self, query: AssetQuery, metadata: Mapping[str, str]) -> Slice:
        """A page of the list; ``metadata`` holds the values asked for by key.

        Raises FieldErrors on ``m_<key>`` for what can't be a key.
        """
        check_keys(metadata, field="m_{}")
        statement = self._living().where(*_filters(query), *_metadata_filters(metadata))
        return fetch_page(self._session, _ordered(statement, query.ordering), query)

    def summary(self) -> dict[str, int]:
        """How many assets each tab shows; one query."""
        counts = [func.count().filter(in_tab(tab)).label(tab.value) for tab in Tab]
        return dict(self._session.execute(self._shelf(*counts)).mappings().one())

    def facets(self, tab: Tab | None, keys: Sequence[str]) -> dict[str, Any]:
        """What there is to filter by in the library, or in one tab of it, without products' titles.

        ``products`` are the ids. One query, and one for each of ``keys``. Raises FieldErrors on
        ``meta_keys`` for what can't be a key, and for too many.
        """
        check_keys(keys, field="meta_keys")
        columns = (Asset.source, Asset.asset_type, Asset.product_id)
        found = self._session.execute(self._shelf(*columns, tab=tab).distinct()).all()
        return {
            "sources": sorted({source for source, _, _ in found}),
            "kinds": sorted({kind for _, kind, _ in found}),
            "metadata": {key: self._values(key, tab) for key in keys},
            "products": {product for _, _, product in found if product is not None},
        }

    def _values(self, key: str, tab: Tab | None) -> Sequence[str]:
        value = Asset.meta[key].astext
        statement = self._shelf(value, tab=tab).where(value.is_not(None)).distinct()
        return self._session.scalars(statement.order_by(value).limit(MAX_VALUES)).all()

    def _living(self) -> Select[Asset]:
        return (
            select(Asset)
            .where(Asset.team_id == self._team_id, Asset.deleted_at.is_(None))
            .options(joinedload(Asset.file), joinedload(Asset.thumbnail_file))
        )

    def _shelf(self, *columns: Any, tab: Tab | None = None) -> Select[Any]:
        """Columns of what the library shows by itself."""
        statement = select(*columns).where(
            Asset.team_id == self._team_id, Asset.deleted_at.is_(None), Asset.in_library
        )
        return statement if tab is None else statement.where(in_tab(tab))


def check_keys(keys: Iterable[str], *, field: str) -> None:
    """Raises FieldErrors for names that no key of an asset's metadata has, and for too many."""
    named = list(keys)
    if len(named) > MAX_KEYS:
        raise FieldErrors.one(field.format(named[MAX_KEYS]), f"At most {MAX_KEYS} keys are taken.")
    if faults := {
        field.format(key): ["A key has 1 to 64 letters, digits, '_', '-' or '.'."]
        for key in named
        if not _KEY.fullmatch(key)
    }:
        raise FieldErrors(faults)


def in_tab(tab: Tab) -> ColumnElement[bool]:
    """Condition that an asset shows in a tab; uploads always show in ``others``."""
    if tab is Tab.OTHERS:
        return or_(Asset.source == AssetSource.UPLOADED, Asset.category == AssetCategory.NONE)
    return and_(Asset.source == AssetSource.GENERATED, Asset.category == _CATEGORY_OF_TAB[tab])


def _filters(query: AssetQuery) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    for column, value in (
        (Asset.category, query.category),
        (Asset.source, query.source),
        (Asset.asset_type, query.asset_type),
        (Asset.product_id, query.product),
    ):
        if value is not None:
            conditions.append(column == value)
    if query.tab is not None:
        conditions.append(in_tab(query.tab))
    if query.q:
        conditions.append(
            or_(
                Asset.name.icontains(query.q, autoescape=True),
                Asset.description.icontains(query.q, autoescape=True),
            )
        )
    shown = query.in_library or (InLibrary.TRUE if query.category is None else InLibrary.ALL)
    if shown is not InLibrary.ALL:
        in_library = Asset.in_library.expression
        conditions.append(in_library if shown is InLibrary.TRUE else ~in_library)
    return conditions


def _metadata_filters(metadata: Mapping[str, str]) -> list[ColumnElement[bool]]:
    return [Asset.meta[key].astext == value for key, value in metadata.items()]


def _ordered(statement: Select[Any], asked: AssetOrdering | None) -> Select[Any]:
    ordering = asked or AssetOrdering.CREATED_AT_DESCENDING
    column: Any = getattr(Asset, ordering.removeprefix("-"))
    columns = (column, Asset.id)
    if ordering.startswith("-"):
        return statement.order_by(*(each.desc() for each in columns))
    return statement.order_by(*columns)
