"""Pages of a list: query parameters, envelope, and the two statements behind one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BeforeValidator, Field, WithJsonSchema
from sqlalchemy import Select, func, select

from contentsvc.http.request import ApiRequest
from contentsvc.http.types import In, Out

MAX_PAGE_SIZE = 200
_WHOLE = re.compile(r"[0-9]{1,100}", re.ASCII)
# A page nobody has: PostgreSQL's OFFSET is a bigint.
_MAX_OFFSET = 2**62

T = TypeVar("T")


def _positive(value: object) -> object:
    if isinstance(value, str):
        if not _WHOLE.fullmatch(value) or int(value) < 1:
            raise ValueError("a positive whole number is expected")
        return int(value)
    return value


PageNumber = Annotated[
    int, BeforeValidator(_positive), Field(ge=1), WithJsonSchema({"type": "integer", "minimum": 1})
]
"""A positive whole number in a query."""


class PageQuery(In):
    """``page`` from 1, ``page_size`` up to 200 (a larger one counts as 200)."""

    page: PageNumber = 1
    page_size: PageNumber = 20

    @property
    def limit(self) -> int:
        """Rows on a page."""
        return min(self.page_size, MAX_PAGE_SIZE)

    @property
    def offset(self) -> int:
        """Rows before this page."""
        return min((self.page - 1) * self.limit, _MAX_OFFSET)


class Page(Out, Generic[T]):
    """The envelope of every paginated list."""

    count: int
    page: int
    page_size: int
    next: str | None
    previous: str | None
    results: list[T]


@dataclass(frozen=True)
class Slice:
    """A page's rows and the number of all rows, as services return it."""

    count: int
    rows: Sequence[Any]


def fetch_page(session: Any, statement: Select[Any], query: PageQuery) -> Slice:
    """One page of ``statement`` (ordered, selecting one entity) and the count of all its rows.

    Two statements, whatever the page size, plus those of eager-loading options.
    """
    counted = statement.order_by(None).options().with_only_columns(func.count(), maintain_column_froms=True)
    count = session.scalar(counted)
    rows = session.scalars(statement.limit(query.limit).offset(query.offset)).unique().all()
    return Slice(count=count or 0, rows=rows)


def envelope(request: ApiRequest, found: Slice, query: PageQuery, **members: Any) -> dict[str, Any]:
    """The reply's envelope; ``members`` join it (``unread_count`` of the task list)."""
    last = max(1, -(-found.count // query.limit))
    return {
        "count": found.count,
        "page": query.page,
        "page_size": query.limit,
        "next": _link(request, query.page + 1) if query.page < last else None,
        "previous": _link(request, min(query.page - 1, last)) if query.page > 1 else None,
        "results": found.rows,
        **members,
    }


def _link(request: ApiRequest, page: int) -> str:
    parameters = [(k, v) for k, v in request.GET.items() if k != "page"] + [("page", str(page))]
    path: str = request.current_route_path(_query=parameters)
    return f"{request.base_url}{path}"


def count_of(session: Any, statement: Select[Any]) -> int:
    """How many rows a statement would give."""
    return session.scalar(select(func.count()).select_from(statement.order_by(None).subquery())) or 0
