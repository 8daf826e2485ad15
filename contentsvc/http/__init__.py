"""What every HTTP service shares: services, bodies, replies, errors, pages."""

from __future__ import annotations

from pyramid.config import Configurator

from contentsvc.http.errors import ApiError, ErrorCode, FieldErrors, NotFound, PermissionDenied
from contentsvc.http.pagination import Page, PageQuery, envelope, fetch_page
from contentsvc.http.permissions import Permission
from contentsvc.http.render import ModelRenderer
from contentsvc.http.request import ApiRequest, outside_transaction
from contentsvc.http.service import ApiService

__all__ = [
    "ApiError",
    "ApiRequest",
    "ApiService",
    "ErrorCode",
    "FieldErrors",
    "NotFound",
    "Page",
    "PageQuery",
    "Permission",
    "PermissionDenied",
    "envelope",
    "fetch_page",
    "outside_transaction",
]


def includeme(config: Configurator) -> None:
    """Cornice, the renderer, and the machinery around every view."""
    # Cornice's own exception views would answer in another shape; the transaction must not
    # look the caller up for requests that nobody has to sign in for.
    config.add_settings({"handle_exceptions": False, "tm.annotate_user": False})
    config.include("cornice")
    config.add_renderer("contentsvc", ModelRenderer)
    for name in (
        "retry",
        "tweens",
        "error_views",
        "rates",
        "idempotency",
        "streaming",
        "health",
        "metrics",
        "reference",
    ):
        config.include(f"contentsvc.http.{name}")
