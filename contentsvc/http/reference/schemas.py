"""JSON schemas of what operations read and answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from contentsvc.http.errors import ErrorCode
from contentsvc.http.operations import Operation

TEMPLATE = "#/components/schemas/{model}"

ERROR = {
    "type": "object",
    "title": "Error",
    "description": "A refusal: a sentence for people, and a code for programs.",
    "required": ["detail", "code"],
    "properties": {
        "detail": {"type": "string"},
        "code": {"type": "string", "enum": [code.value for code in ErrorCode]},
    },
}
FIELD_ERRORS = {
    "type": "object",
    "title": "FieldErrors",
    "description": (
        "Messages by field; nested fields dotted (images.0.asset), faults of the whole body under "
        "non_field_errors."
    ),
    "additionalProperties": {"type": "array", "items": {"type": "string"}},
}


class _Generator(GenerateJsonSchema):
    """Pydantic's generator, with tidy names of generic models, and only defaults a client may send."""

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        found = super().default_schema(schema)
        if found.get("default") == "" and found.get("minLength"):
            del found["default"]
        return found

    def normalize_name(self, name: str) -> str:
        return super().normalize_name(name).strip("_")


Key = tuple[str, str]


def schemas_of(operations: Sequence[Operation]) -> tuple[Mapping[Key, Any], dict[str, Any]]:
    """Schema of every operation's ``body``, ``query``, ``form`` and ``response``, and the components.

    Keys of the first are ``(operation id, part)``.
    """
    inputs: list[tuple[Key, Literal["validation", "serialization"], TypeAdapter[Any]]] = []
    for operation in operations:
        name = operation_id(operation)
        parts: list[tuple[str, Literal["validation", "serialization"], Any]] = [
            ("body", "validation", operation.body),
            ("query", "validation", operation.query),
            ("form", "validation", operation.upload.fields if operation.upload else None),
            ("response", "serialization", operation.response),
        ]
        inputs += [
            ((name, part), mode, TypeAdapter(model)) for part, mode, model in parts if model is not None
        ]
    found, definitions = TypeAdapter.json_schemas(inputs, ref_template=TEMPLATE, schema_generator=_Generator)
    components = {"Error": ERROR, "FieldErrors": FIELD_ERRORS, **definitions.get("$defs", {})}
    schemas = {key: found[key, mode] for key, mode, _ in inputs}
    return schemas, dict(sorted(components.items()))


def operation_id(operation: Operation) -> str:
    """A name for one operation, unique in the document: service and method."""
    return f"{operation.service}_{operation.method.lower()}"


def resolve(schema: Mapping[str, Any], components: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema, or what its ``$ref`` points to."""
    reference = schema.get("$ref")
    if reference is None:
        return schema
    target: Mapping[str, Any] = components[reference.rpartition("/")[2]]
    return target


def referenced(paths: Any, components: Mapping[str, Any]) -> dict[str, Any]:
    """The components that the paths refer to, directly or through each other."""
    wanted: set[str] = set()
    pending: list[Any] = [paths]
    while pending:
        item = pending.pop()
        if isinstance(item, Mapping):
            name = str(item.get("$ref", "")).removeprefix(TEMPLATE.format(model=""))
            if name in components and name not in wanted:
                wanted.add(name)
                pending.append(components[name])
            pending += item.values()
        elif isinstance(item, list):
            pending += item
    return {name: schema for name, schema in components.items() if name in wanted}
