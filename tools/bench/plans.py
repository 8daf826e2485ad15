"""How PostgreSQL carries out what the application asks: its plans, and which indexes they use."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, event, text


@dataclass(frozen=True)
class Scan:
    """One way into a table: the plan's node, the table, the index if any."""

    node: str
    table: str
    index: str | None


@dataclass(frozen=True)
class Plan:
    """How one statement is carried out: the kinds of nodes, and its ways into tables."""

    statement: str
    nodes: frozenset[str]
    scans: Sequence[Scan]


def plans_of(
    engine: Engine, ask: Callable[[], object], tables: Collection[str], *settings: str
) -> list[Plan]:
    """The plans of the statements on any of ``tables`` that ``ask`` makes the application send.

    ``settings`` are SET LOCAL statements for the planner, which the application doesn't see.
    """
    with _recorded(engine) as sent:
        ask()
    with engine.connect() as connection:
        for setting in settings:
            connection.execute(text(f"SET LOCAL {setting}"))
        plans = [_explained(connection, statement, parameters) for statement, parameters in sent]
    return [plan for plan in plans if any(scan.table in tables for scan in plan.scans)]


@contextmanager
def _recorded(engine: Engine) -> Iterator[list[tuple[str, Any]]]:
    sent: list[tuple[str, Any]] = []

    def record(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_rest: Any) -> None:
        if statement.lstrip().upper().startswith(("SELECT", "WITH")):
            sent.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", record)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", record)


def _explained(connection: Connection, statement: str, parameters: Any) -> Plan:
    explained = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", parameters)
    nodes = list(_walked(explained.scalar_one()[0]["Plan"]))
    scans = [
        Scan(node["Node Type"], node["Relation Name"], node.get("Index Name"))
        for node in nodes
        if "Relation Name" in node
    ]
    return Plan(statement, frozenset(node["Node Type"] for node in nodes), scans)


def _walked(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The node and all below it; a bitmap scan of a table gets the name of the index below it."""
    children = node.get("Plans", [])
    if node["Node Type"] == "Bitmap Heap Scan":
        names = [
            found["Index Name"] for child in children for found in _walked(child) if "Index Name" in found
        ]
        node = node | {"Index Name": " + ".join(names)}
    yield node
    for child in children:
        yield from _walked(child)
