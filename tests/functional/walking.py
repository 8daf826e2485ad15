"""All operations of the API, for tests that hold for every one of them."""

from __future__ import annotations

from typing import cast

from pyramid.registry import Registry

from contentsvc.http.operations import Operation
from contentsvc.http.service import ApiService


def operations_of(registry: Registry) -> list[Operation]:
    """What the registered services declare, in the order of registration."""
    services = cast("dict[str, ApiService]", registry.cornice_services)
    return [operation for service in services.values() for operation in service.declared]
