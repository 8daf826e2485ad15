"""The rows a fresh database needs before the first request; safe to run at every start."""

from __future__ import annotations

from pyramid.registry import Registry

from contentsvc.billing.accounts import ensure_config
from contentsvc.db.session import transaction_scope
from contentsvc.generation.prompts import ensure_templates
from contentsvc.providers.sync import renew_api_keys, sync


def bootstrap(registry: Registry) -> None:
    """Billing configuration, prompt templates, and what the plugins declare."""
    with transaction_scope(registry) as session:
        ensure_config(session)
        ensure_templates(session)
        sync(session, registry)
        renew_api_keys(session, registry)
