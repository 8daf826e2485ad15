"""Counting what the application asks of its database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyramid.registry import Registry
from sqlalchemy import event

from contentsvc.db.session import engine_of


@contextmanager
def count_queries(registry: Registry) -> Iterator[list[str]]:
    """The statements the application's engine sends within the block, in order.

    Statements of all threads count. Use ``len()`` of what it yields.
    """
    statements: list[str] = []

    def record(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        statements.append(statement)

    engine = engine_of(registry)
    event.listen(engine, "before_cursor_execute", record)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", record)
