"""Who is calling and what he may do: tables, passwords, tokens, policy."""

from __future__ import annotations

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """Password hashing and the security policy."""
    config.include("contentsvc.security.passwords")
    config.include("contentsvc.security.policy")
