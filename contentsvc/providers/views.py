"""What a team can order from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from contentsvc.http import ApiRequest, ApiService, Page, Permission, envelope
from contentsvc.providers.catalog import catalog_of
from contentsvc.providers.schemas import ModelOut, ModelPageQuery
from contentsvc.providers.services import list_orderable

models = ApiService("ai-models", "/api/ai/models/")


@models.get(permission=Permission.READ, query=ModelPageQuery, response=Page[ModelOut])
def list_models(request: ApiRequest) -> dict[str, Any]:
    """List the models that can be ordered.

    Active models of active providers, newest first; an administrator's change shows at
    once. ``capability`` narrows the list. Models whose provider needs an API key and has none
    are left out; one whose plugin has been removed shows as ``inactive``. An order of
    either is answered 503 ``no_model``.
    """
    query: ModelPageQuery = request.validated["query"]
    catalog = catalog_of(request.registry)
    found = list_orderable(request.db, query, query.capability, keyed=catalog.keyed_drivers())
    offered = replace(found, rows=[catalog.as_offered(row) for row in found.rows])
    return envelope(request, offered, query)
