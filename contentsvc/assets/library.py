"""The library: lists, counts and facets of a team's assets. Deleted ones are never in it."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from sqlalchemy import ColumnElement, Select, Uuid, and_, func, or_, select, true
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset, AssetCategory, AssetSource
from contentsvc.assets.schemas import AssetOrdering, AssetQuery, InLibrary, Tab
from contentsvc.http.errors import FieldErrors
from contentsvc.http.pagination import PageQuery, Slice

MAX_KEYS: Final = 20
MAX_VALUES: Final = 1000
_BOOLEANS: Final = {"true": True, "false": False}
_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)
# So many characters of a number survive being read here.
_EXACT: Final = 15
_KEY: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}", re.ASCII)

_CATEGORY_OF_TAB = {
    Tab.TRYON: AssetCategory.MODEL_TRYON,
    Tab.KITS: AssetCategory.PLATFORM_KIT,
    Tab.CREATIONS: AssetCategory.FREE_CREATE,
}


Wanted: TypeAlias = Select[uuid.UUID, Any]
"""Ids of assets, each with its ``place``: what the list is ordered by."""


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
        ordering = query.ordering or AssetOrdering.CREATED_AT_DESCENDING
        wanted = (
            select(Asset.id, getattr(Asset, ordering.removeprefix("-")).label("place"))
            .where(Asset.team_id == self._team_id, Asset.deleted_at.is_(None))
            .where(*_filters(query), *_metadata_filters(metadata))
        )
        # No index gives these in order, and looking at each row is what costs.
        search = _read_all if query.q or metadata else _read_page
        count, ids = search(self._session, wanted, descending=ordering.startswith("-"), page=query)
        return Slice(count, self._load(ids))

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

    def _load(self, ids: Sequence[uuid.UUID]) -> list[Asset]:
        """The assets with these ids, in their order."""
        found = {asset.id: asset for asset in self._session.scalars(select(Asset).where(Asset.id.in_(ids)))}
        return [found[id_] for id_ in ids if id_ in found]

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
        texts = (Asset.name, Asset.description)
        conditions.append(or_(*(text.icontains(query.q, autoescape=True) for text in texts)))
    shown = query.in_library or (InLibrary.TRUE if query.category is None else InLibrary.ALL)
    if shown is not InLibrary.ALL:
        in_library = Asset.in_library.expression
        conditions.append(in_library if shown is InLibrary.TRUE else ~in_library)
    return conditions


def _metadata_filters(metadata: Mapping[str, str]) -> list[ColumnElement[bool]]:
    return [
        condition
        for key, value in metadata.items()
        for condition in (Asset.meta[key].astext == value, _may_hold(key, value))
    ]


def _may_hold(key: str, value: str) -> ColumnElement[bool]:
    """What an index can tell of documents whose ``key`` reads ``value`` as text."""
    forms: list[object] = [value]
    if value in _BOOLEANS:
        forms.append(_BOOLEANS[value])
    elif _NUMBER.fullmatch(value) and len(value) <= _EXACT:
        forms.append(float(value) if "." in value else int(value))
    elif _NUMBER.fullmatch(value) or value.startswith(("{", "[")):
        return true()
    return or_(*(Asset.meta.contains({key: form}) for form in forms))


def _read_page(
    session: Session, wanted: Wanted, *, descending: bool, page: PageQuery
) -> tuple[int, list[uuid.UUID]]:
    """How many rows are wanted, and the ids of a page: count and order from an index each."""
    count = session.scalar(wanted.with_only_columns(func.count(), maintain_column_froms=True))
    ids = session.scalars(_paged(wanted, wanted.selected_columns, descending=descending, page=page))
    return count or 0, list(ids)


def _read_all(
    session: Session, wanted: Wanted, *, descending: bool, page: PageQuery
) -> tuple[int, list[uuid.UUID]]:
    """The same where every row has to be looked at: once, for both."""
    found = wanted.cte("found").prefix_with("MATERIALIZED")
    number = select(func.count()).select_from(found).scalar_subquery()
    ids = _paged(select(found.c.id), found.c, descending=descending, page=page).scalar_subquery()
    count, on_page = session.execute(select(number, func.array(ids, type_=ARRAY(Uuid())))).one()
    return count, on_page


def _paged(
    statement: Select[*tuple[Any, ...]], columns: Any, *, descending: bool, page: PageQuery
) -> Select[*tuple[Any, ...]]:
    order = (columns.place, columns.id)
    return (
        statement.order_by(*(each.desc() if descending else each.asc() for each in order))
        .limit(page.limit)
        .offset(page.offset)
    )
