"""What a team can order from."""

from __future__ import annotations

from typing import Any

from contentsvc.http import ApiRequest, ApiService, Page, Permission, envelope
from contentsvc.providers.schemas import ModelOut, ModelPageQuery
from contentsvc.providers.services import list_orderable

models = ApiService("ai-models", "/api/ai/models/")


@models.get(permission=Permission.READ, query=ModelPageQuery, response=Page[ModelOut])
def list_models(request: ApiRequest) -> dict[str, Any]:
    """List the models that can be ordered.

    Active models of active providers, newest first; an administrator's change shows at
    once. ``capability`` narrows the list.
    """
    query: ModelPageQuery = request.validated["query"]
    return envelope(request, list_orderable(request.db, query, query.capability), query)
