"""Accounts: registration, login, one's own profile and sessions; the team, its members and invitations."""

from __future__ import annotations

from pyramid.config import Configurator

SWEEP_SECONDS = 24 * 3600


def includeme(config: Configurator) -> None:
    """The routes, the default avatar they answer with, and the removal of ended sessions."""
    from contentsvc.accounts import invitation_views, profile_views, team_views, views
    from contentsvc.security.tokens import sweep_sessions

    config.include("contentsvc.accounts.avatar")
    for module in (views, profile_views, team_views, invitation_views):
        for service in module.SERVICES:
            config.add_cornice_service(service)
    config.add_recurring("sweep_sessions", SWEEP_SECONDS, sweep_sessions)
