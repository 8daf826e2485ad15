"""Tables' base, engine, request session, tenancy."""

from __future__ import annotations

from pyramid.config import Configurator
from pyramid.request import Request
from sqlalchemy.orm import Session

from contentsvc.db.session import engine_of, install, joined_session, make_engine, make_sessions
from contentsvc.settings import Settings, SettingsError

EMBEDDED = "embedded"


def _request_session(request: Request) -> Session:
    return joined_session(request.registry, request.tm)


def includeme(config: Configurator) -> None:
    """Engine on the registry, ``request.db`` in the request's transaction."""
    settings: Settings = config.registry["contentsvc.settings"]
    if settings.database.url == EMBEDDED:
        raise SettingsError(
            ["database.url: an embedded database is started by the contentsvc command; use `contentsvc up`"]
        )
    engine = make_engine(settings.database, settings.database.url)
    install(config.registry, engine, make_sessions(engine))
    config.add_settings(
        {
            "tm.manager_hook": "pyramid_tm.explicit_manager",
            # Cornice returns its refusals; without the veto they would be committed.
            "tm.commit_veto": "pyramid_tm.default_commit_veto",
        }
    )
    config.include("pyramid_tm")
    config.add_request_method(_request_session, "db", reify=True)


__all__ = ["EMBEDDED", "engine_of", "includeme"]
