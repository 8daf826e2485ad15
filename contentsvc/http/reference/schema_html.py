"""JSON schemas as HTML: a type in a few words, an object as a table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Any

Json = Mapping[str, Any]

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_LIMITS = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minimum": "≥ {}",
    "maximum": "≤ {}",
    "exclusiveMinimum": "> {}",
    "exclusiveMaximum": "< {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "default": "default {}",
}


def anchor(name: str) -> str:
    """The id of a component's section."""
    return f"schema-{_UNSAFE.sub('-', name)}"


def schema_type(schema: Json) -> str:
    """A schema's type in a few words, components as links."""
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        return f'<a href="#{anchor(name)}">{escape(name)}</a>'
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            return " or ".join(dict.fromkeys(schema_type(option) for option in schema[word]))
    if "enum" in schema:
        return " | ".join(f"<code>{escape(str(value))}</code>" for value in schema["enum"])
    if "const" in schema:
        return f"<code>{escape(str(schema['const']))}</code>"
    return _plain_type(schema)


def _plain_type(schema: Json) -> str:
    kind = schema.get("type", "any")
    if kind == "array":
        return f"array of {schema_type(schema.get('items', {}))}"
    extra = schema.get("additionalProperties")
    if kind == "object" and isinstance(extra, Mapping):
        return f"object of {schema_type(extra)}"
    if isinstance(kind, list):
        return escape(" or ".join(kind))
    form = schema.get("format")
    return escape(f"{kind} ({form})" if form else str(kind))


def schema_table(schema: Json) -> str:
    """An object's members as a table; any other schema as its type."""
    members = schema.get("properties")
    if not members:
        return f'<p class="content">{schema_type(schema)}</p>'
    required = set(schema.get("required", ()))
    rows = "".join(_row(name, member, name in required) for name, member in members.items())
    return f'<table class="members"><tbody>{rows}</tbody></table>'


def _row(name: str, schema: Json, required: bool) -> str:
    mark = ' <em class="required">required</em>' if required else ""
    notes = [escape(schema.get("description", "")), *_limits(schema)]
    return (
        f"<tr><td><code>{escape(name)}</code>{mark}</td><td>{schema_type(schema)}</td>"
        f"<td>{'; '.join(note for note in notes if note)}</td></tr>"
    )


def _limits(schema: Json) -> list[str]:
    return [
        escape(words.format(schema[key])) for key, words in _LIMITS.items() if schema.get(key) is not None
    ]
