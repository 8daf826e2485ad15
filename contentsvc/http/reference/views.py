"""``/api/openapi.json`` and ``/api/docs/``."""

from __future__ import annotations

import json
from typing import Any, Final

from pyramid.config import Configurator
from pyramid.registry import Registry
from pyramid.response import Response

from contentsvc.http.permissions import Permission
from contentsvc.http.reference.document import build_document
from contentsvc.http.reference.page import content_security_policy, render_page
from contentsvc.http.request import ApiRequest
from contentsvc.http.service import ApiService

_DOCUMENT: Final = "contentsvc.openapi"
_PAGE: Final = "contentsvc.docs"

openapi = ApiService("openapi", "/api/openapi.json")
docs = ApiService("docs", "/api/docs/")


def document_of(registry: Registry) -> dict[str, Any]:
    """The application's OpenAPI document, built once."""
    if _DOCUMENT not in registry:
        registry[_DOCUMENT] = build_document(registry)
    document: dict[str, Any] = registry[_DOCUMENT]
    return document


def _page_of(registry: Registry) -> str:
    if _PAGE not in registry:
        registry[_PAGE] = render_page(document_of(registry))
    page: str = registry[_PAGE]
    return page


@openapi.get(permission=Permission.PUBLIC)
def show_document(request: ApiRequest) -> Response:
    """The OpenAPI 3.1 document of every route.

    Built from the declarations that also validate requests and render replies.
    """
    body = json.dumps({**document_of(request.registry), "servers": [{"url": request.base_url}]})
    return Response(body=body.encode(), headerlist=[("Content-Type", "application/json")])


@docs.get(permission=Permission.PUBLIC, media_type="text/html")
def show_page(request: ApiRequest) -> Response:
    """This reference, for reading in a browser.

    One page without any outside asset.
    """
    response = Response(body=_page_of(request.registry).encode(), content_type="text/html", charset="utf-8")
    response.headers["Content-Security-Policy"] = content_security_policy()
    return response


def includeme(config: Configurator) -> None:
    """Register both."""
    for service in (openapi, docs):
        config.add_cornice_service(service)
