"""The functional tests' application and clients."""

from __future__ import annotations

from tests.functional.conftest import (  # noqa: F401 - fixtures are found by their names
    admin,
    api,
    configured,
    database,
    make_client,
    other,
    owner,
    registry,
    wsgi,
)
