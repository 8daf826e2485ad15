"""Accounts: registration, login, one's own profile and sessions, invitations."""

from __future__ import annotations

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The routes, and the default avatar they answer with."""
    from contentsvc.accounts import invitation_views, profile_views, views

    config.include("contentsvc.accounts.avatar")
    for service in (*views.SERVICES, *profile_views.SERVICES, *invitation_views.SERVICES):
        config.add_cornice_service(service)
