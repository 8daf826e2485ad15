"""No view of the API without a permission: what the configured application has registered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from cryptography.fernet import Fernet
from pyramid.config import Configurator
from pyramid.interfaces import IExceptionResponse

from contentsvc import configure
from contentsvc.db.session import engine_of
from contentsvc.http import ApiService, Permission


@pytest.fixture(scope="module")
def configurator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Configurator]:
    """The application, configured as for a server that never comes up."""
    folder = tmp_path_factory.mktemp("var")
    config = configure(
        None,
        **{
            "var_dir": str(folder),
            "database.url": "postgresql://nobody@127.0.0.1:1/nothing",
            "queue.backend": "postgres",
            "storage.root": str(folder / "media"),
            "secrets.keys": Fernet.generate_key().decode(),
            "auth.argon2_memory_kib": "8",
            "auth.argon2_time_cost": "1",
        },
    )
    yield config
    engine_of(config.registry).dispose()


@pytest.fixture(scope="module")
def views(configurator: Configurator) -> list[Any]:
    """What Pyramid knows of every registered view."""
    return list(configurator.introspector.get_category("views"))


def permissions_of(view: Any) -> list[str]:
    return [related["value"] for related in view["related"] if related.category_name == "permissions"]


def describe(view: Any) -> str:
    return f"{view['introspectable']['request_methods']} {view['introspectable']['route_name']}"


def is_operation(view: Any) -> bool:
    shown = view["introspectable"]
    return bool(shown["route_name"] and shown["request_methods"])


def test_every_operation_has_one_permission_of_ours(views: list[Any]) -> None:
    operations = [view for view in views if is_operation(view)]
    known = [[permission.value] for permission in Permission]

    assert len(operations) > 30
    assert [describe(view) for view in operations if permissions_of(view) not in known] == []


def test_every_other_view_only_answers_refusals(views: list[Any]) -> None:
    others = [view["introspectable"] for view in views if not is_operation(view)]

    reachable = [
        shown
        for shown in others
        # Cornice's own answer to methods that a path doesn't take.
        if getattr(shown["callable"], "__module__", "") != "cornice.pyramidhook"
        and shown["context"] is not IExceptionResponse
        and not (isinstance(shown["context"], type) and issubclass(shown["context"], Exception))
    ]
    assert [(shown["route_name"], shown["callable"]) for shown in reachable] == []


def test_the_open_operations_are_known(views: list[Any]) -> None:
    """Whoever opens another one to everybody says so here."""
    open_ones = {
        view["introspectable"]["route_name"]
        for view in views
        if is_operation(view) and permissions_of(view) == [Permission.PUBLIC]
    }

    assert open_ones == {
        "register",
        "validate-invite",
        "login",
        "default-avatar",
        "media",
        "health",
        "ready",
        "metrics",  # which asks for a token of its own
        "openapi",
        "docs",
    }


def test_operation_without_permission_cannot_be_declared() -> None:
    service = ApiService("forgetful", "/api/forgetful/")

    with pytest.raises(TypeError, match="permission"):

        @service.get(response=None)
        def read(_request: Any) -> None:
            """Read."""


def test_operation_with_an_unknown_permission_cannot_be_declared() -> None:
    with pytest.raises(ValueError, match="superuser"):
        Permission("superuser")
