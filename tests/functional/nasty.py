"""Input that breaks a naive service, made from the schemas of bodies and queries."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic import BaseModel

from contentsvc.http import ErrorCode

BROKEN_BODIES: dict[str, bytes] = {
    "cut off": b'{"name": "x',
    "no JSON": b"name=x",
    "an array": b"[]",
    "a string": b'"text"',
    "null": b"null",
    "a number": b"1",
    "NaN": b'{"x": NaN}',
    "an infinite number": b'{"x": 1e999}',
    "5000 digits": b'{"x": ' + b"9" * 5000 + b"}",
    "deep arrays": b"[" * 100_000,
    "deep objects": b'{"x":' * 100_000,
    "65 levels": b'{"x":' * 65 + b"1" + b"}" * 65,
    "not UTF-8": b'{"x": "\xff\xfe"}',
    "UTF-16": '{"x": 1}'.encode("utf-16"),
    "NUL in a value": b'{"x": "a\\u0000b"}',
    "NUL in a name": b'{"a\\u0000b": 1}',
    "a lone surrogate": b'{"x": "\\ud800"}',
    "a lone surrogate in a name": b'{"\\udfff": 1}',
    "NUL inside": b'{"x": [{"y": ["\\u0000"]}]}',
}
"""Bodies that no operation takes."""

OF_EVERY_TYPE: dict[str, Any] = {
    "null": None,
    "boolean": True,
    "integer": 7,
    "number": 1.5,
    "string": "text",
    "array": [[]],
    "object": {"x": 1},
}

EXTREME: dict[str, tuple[Any, ...]] = {
    "integer": (10**30, -(10**30), 2**63, -1, 0, 10**300),
    "number": (1e308, -1e308, 5e-324, 10**300, -0.0),
    "string": (
        "",
        " ",
        "x" * 100_000,
        "1e50000000",
        "NaN",
        "-Infinity",
        "9" * 5000,
        "٣",
        "\u202e",
        "'\"%_\\",
    ),
    "array": ([], [None], [[]] * 1000, ["x"] * 5000),
    "object": ({}, {str(number): number for number in range(5000)}),
}
"""Of the right type, and still no value to expect. Whether it is taken is the field's business."""

PLAIN = {"boolean": True, "integer": 1, "number": 1, "string": "a plain text", "array": [], "object": {}}

UNREADABLE = ("%00", "a%00b", "%FF", "%ED%A0%80", "%C3")
"""What no parameter of a query may hold."""

STRANGE = (
    *("", "-1", "0", "1.5", "9" * 100, "9" * 5000, "1e9", "NaN", "null", "true", "x" * 5000, "%27%22%25_%5C"),
    *("{00000000-0000-0000-0000-000000000000}", "%D9%A3", "1,2,,3", "2026-99-99", "+1", "1_000"),
)


class Wrong(NamedTuple):
    """A body whose only member ``field`` has, somewhere, a value of a type the field doesn't take."""

    field: str
    document: dict[str, Any]


def wrong_types(model: type[BaseModel]) -> Iterator[Wrong]:
    """Bodies with each wrong type in each field, those of nested objects included."""
    schema = model.model_json_schema(mode="validation")
    for field, part in schema.get("properties", {}).items():
        for value in _wrong_values(part, schema):
            yield Wrong(field, {field: value})


class Extreme(NamedTuple):
    """A body whose ``field`` holds an extreme value; ``kind`` is what that field's schema and value are."""

    field: str
    kind: str
    document: dict[str, Any]


def extremes(model: type[BaseModel], base: dict[str, Any]) -> Iterator[Extreme]:
    """Bodies with each extreme value in each field that takes its type; all else is as it should be.

    ``base`` are members that the schema alone can't tell, such as ids that exist.
    """
    schema = model.model_json_schema(mode="validation")
    properties = schema.get("properties", {})
    whole = {name: _plain_value(properties[name], schema) for name in schema.get("required", ())} | base
    for field, part in properties.items():
        told = {key: value for key, value in part.items() if key not in ("title", "description", "default")}
        for kind in sorted(_types(part, schema) & set(EXTREME)):
            for number, value in enumerate(EXTREME[kind]):
                yield Extreme(field, f"{told} {kind} {number}", {**whole, field: value})


def complaint(status: int, document: Any) -> str:
    """What is wrong with a refusal; empty for a 4xx in one of the two shapes there are."""
    if not 400 <= status < 500:
        return f"status {status}"
    if not isinstance(document, dict) or not document:
        return "no JSON object"
    if set(document) >= {"detail", "code"}:
        known = document["code"] in set(ErrorCode) and isinstance(document["detail"], str)
        return "" if known else f"unknown code {document['code']!r}"
    fine = all(
        isinstance(messages, list) and messages and all(isinstance(each, str) for each in messages)
        for messages in document.values()
    )
    return "" if fine else "neither detail and code nor lists of messages"


def _wrong_values(part: dict[str, Any], root: dict[str, Any]) -> Iterator[Any]:
    allowed = _types(part, root)
    if allowed:
        yield from (value for kind, value in OF_EVERY_TYPE.items() if kind not in allowed)
    for each in _alternatives(part, root):
        if each.get("type") == "array":
            yield from ([value] for value in _wrong_values(each.get("items", {}), root))
        for name, inner in each.get("properties", {}).items():
            yield from ({name: value} for value in _wrong_values(inner, root))


def _plain_value(part: dict[str, Any], root: dict[str, Any]) -> Any:
    """Some value that a schema takes, as far as it tells."""
    first = _alternatives(part, root)[0]
    if "enum" in first:
        return first["enum"][0]
    if first.get("format") == "uuid":
        return str(uuid.uuid4())
    return PLAIN[first.get("type", "string")]


def _types(part: dict[str, Any], root: dict[str, Any]) -> set[str]:
    """Names of the JSON types a schema takes; empty where it takes all."""
    found: set[str] = set()
    for each in _alternatives(part, root):
        if "type" in each:
            found.add(each["type"])
        elif "enum" in each or "const" in each:
            found.add("string")
        else:
            return set()
    # Whole numbers are numbers.
    return found | {"integer"} if "number" in found else found


def _alternatives(part: dict[str, Any], root: dict[str, Any]) -> list[dict[str, Any]]:
    if "$ref" in part:
        return _alternatives(root["$defs"][part["$ref"].rpartition("/")[2]], root)
    for word in ("anyOf", "oneOf", "allOf"):
        if word in part:
            return [each for choice in part[word] for each in _alternatives(choice, root)]
    return [part]
