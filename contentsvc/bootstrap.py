"""The rows a fresh database needs before the first request; safe to run at every start."""

from __future__ import annotations

from pyramid.registry import Registry


def bootstrap(registry: Registry) -> None:
    """Billing configuration, prompt templates, and what the plugins declare."""
