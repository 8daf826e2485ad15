"""Nothing of the contract is missing, and nothing is there that it doesn't know."""

from __future__ import annotations

from typing import Any

import pytest
from pyramid.registry import Registry

from contentsvc.http.operations import Operation
from contentsvc.http.permissions import Permission
from contentsvc.http.reference.document import build_document
from tests.contract.operations import OPERATIONS, Who
from tests.functional.walking import operations_of

NEEDS = {
    Who.PUBLIC: Permission.PUBLIC,
    Who.ANYONE: Permission.PROFILE,
    Who.VIEWER: Permission.READ,
    Who.MEMBER: Permission.WORK,
    Who.ADMIN: Permission.MANAGE,
    Who.OWNER: Permission.OWN,
    Who.AUDITOR: Permission.EXPLAIN,
    Who.PLATFORM: Permission.PLATFORM,
}
CONTRACT = {operation.label: operation for operation in OPERATIONS}


@pytest.fixture(scope="module")
def registered(configured: Any) -> dict[str, Operation]:
    return {
        f"{operation.method} {operation.path}": operation for operation in operations_of(configured.registry)
    }


@pytest.fixture(scope="module")
def document(configured: Any) -> dict[str, Any]:
    registry: Registry = configured.registry
    return build_document(registry)


@pytest.fixture(scope="module")
def documented(document: dict[str, Any]) -> dict[str, Any]:
    return {
        f"{method.upper()} {path}": operation
        for path, item in document["paths"].items()
        for method, operation in item.items()
    }


def test_no_operation_is_written_down_twice() -> None:
    assert len(CONTRACT) == len(OPERATIONS)


def test_every_operation_of_the_contract_is_registered(registered: dict[str, Operation]) -> None:
    assert sorted(CONTRACT.keys() - registered.keys()) == []


def test_every_registered_operation_is_in_the_contract(registered: dict[str, Operation]) -> None:
    assert sorted(registered.keys() - CONTRACT.keys()) == []


def test_every_operation_of_the_contract_is_documented(documented: dict[str, Any]) -> None:
    assert sorted(CONTRACT.keys() - documented.keys()) == []


def test_every_documented_operation_is_in_the_contract(documented: dict[str, Any]) -> None:
    assert sorted(documented.keys() - CONTRACT.keys()) == []


def test_who_may_call_them_is_what_their_views_declare(registered: dict[str, Operation]) -> None:
    declared = {label: registered[label].permission for label in CONTRACT}
    assert declared == {label: NEEDS[operation.who] for label, operation in CONTRACT.items()}


def test_their_success_is_documented_with_its_status(documented: dict[str, Any]) -> None:
    missing = {
        label: operation.status
        for label, operation in CONTRACT.items()
        if str(operation.status) not in documented[label]["responses"]
    }
    assert missing == {}


def test_the_ids_they_take_are_documented(document: dict[str, Any], documented: dict[str, Any]) -> None:
    missing = {
        label: names
        for label, operation in CONTRACT.items()
        if (
            names := {name.removesuffix("[]") for name in operation.names}
            - _shown(document, documented[label])
        )
    }
    assert missing == {}


def _shown(document: dict[str, Any], operation: dict[str, Any]) -> set[str]:
    """Names of an operation's parameters and of its body's fields."""
    shown = {parameter["name"] for parameter in operation["parameters"]}
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = content["schema"]
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        shown |= schema["properties"].keys()
    return shown
