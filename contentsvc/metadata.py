"""All tables in one place, for migrations; importing this module imports every domain's models."""

from __future__ import annotations

from importlib import import_module

from contentsvc.db.base import Base

DOMAINS = (
    "http",
    "storage",
    "security",
    "jobs",
    "providers",
    "notifications",
    "billing",
    "assets",
    "products",
    "presenters",
    "generation",
    "projects",
    "accounts",
    "backoffice",
)

for _domain in DOMAINS:
    import_module(f"contentsvc.{_domain}.models")

metadata = Base.metadata
