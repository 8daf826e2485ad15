"""Which paths there are, and which methods they take."""

from __future__ import annotations

from typing import Any

from pyramid.interfaces import IRoutesMapper
from pyramid.registry import Registry


def known_path(registry: Registry, path: str) -> bool:
    """Whether some route's pattern matches the path."""
    return _route(registry, path) is not None


def methods_of(registry: Registry, path: str) -> tuple[str, ...]:
    """The methods a path takes, HEAD included, sorted; () for an unknown path."""
    route = _route(registry, path)
    return () if route is None else methods_of_route(registry, route.name)


def methods_of_route(registry: Registry, name: str) -> tuple[str, ...]:
    """The methods the views of a route are registered for."""
    methods: set[str] = set()
    for item in registry.introspector.get_category("views") or ():
        view = item["introspectable"]
        if view["route_name"] == name:
            declared = view["request_methods"] or ()
            methods |= {declared} if isinstance(declared, str) else set(declared)
    if "GET" in methods:
        methods.add("HEAD")
    return tuple(sorted(methods))


def _route(registry: Registry, path: str) -> Any:
    mapper = registry.getUtility(IRoutesMapper)
    return next((route for route in mapper.get_routes() if route.match(path) is not None), None)
