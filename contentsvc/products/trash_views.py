"""The route of the whole trash."""

from __future__ import annotations

from typing import Annotated, Any

from contentsvc.assets.schemas import BlankIsAbsent
from contentsvc.http import ApiRequest, ApiService, Page, PageQuery, Permission, envelope
from contentsvc.http.types import Id, Link, Out, Timestamp
from contentsvc.products.trash import Trash, TrashKind

whole_trash = ApiService("trash", "/api/trash/")


class TrashQuery(PageQuery):
    """``kind`` picks products or assets; both without."""

    kind: Annotated[TrashKind | None, BlankIsAbsent] = None


class TrashRow(Out):
    """A deleted product or asset. ``preview_url`` is a product's cover, an asset's file."""

    kind: TrashKind
    id: Id
    title: str
    preview_url: Link | None
    deleted_at: Timestamp


@whole_trash.get(permission=Permission.READ, query=TrashQuery, response=Page[TrashRow])
def list_whole_trash(request: ApiRequest) -> dict[str, Any]:
    """List deleted products and assets, the last deleted first.

    Restore and purge them by their own routes.
    """
    query: TrashQuery = request.validated["query"]
    found = Trash(request.db, request.identity.team_id).page(query.kind, query)
    return envelope(request, found, query)
