"""Declaring operations: what can't be forgotten."""

from __future__ import annotations

from typing import Any

import pytest

from contentsvc.http import ApiService, Permission


def _service() -> Any:
    return ApiService("unit", "/api/unit/")


def test_an_operation_without_a_permission_cannot_be_declared() -> None:
    def view(_request: Any) -> None:
        """Do."""

    with pytest.raises(TypeError, match="permission"):
        _service().get()(view)


def test_an_operation_without_a_docstring_cannot_be_declared() -> None:
    def view(_request: Any) -> None:
        pass

    with pytest.raises(TypeError, match="docstring"):
        _service().get(permission=Permission.READ)(view)


@pytest.mark.parametrize(
    ("method", "permission", "expected"),
    [
        ("post", Permission.WORK, True),
        ("post", Permission.PUBLIC, False),
        ("patch", Permission.WORK, False),
        ("get", Permission.READ, False),
    ],
)
def test_posts_of_known_users_are_idempotent_unless_told(
    method: str, permission: Permission, expected: bool
) -> None:
    def view(_request: Any) -> None:
        """Do it.

        And more.
        """

    service = _service()
    getattr(service, method)(permission=permission)(view)
    (operation,) = service.declared
    assert operation.idempotent is expected
    assert (operation.summary, operation.description) == ("Do it", "And more.")
