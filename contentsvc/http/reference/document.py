"""The OpenAPI 3.1 document, from the same declarations that validate and render."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any

from pyramid.registry import Registry

from contentsvc.http.errors import STATUS_OF, ErrorCode
from contentsvc.http.idempotency import HEADER as IDEMPOTENCY_HEADER
from contentsvc.http.operations import Operation
from contentsvc.http.permissions import Permission
from contentsvc.http.reference.schemas import operation_id, referenced, resolve, schemas_of
from contentsvc.http.service import ApiService

TITLE = "contentsvc"
# What belongs to no domain of content.
_TAGS = {"http": "operations"}
DESCRIPTION = """\
From a product photo to e-commerce marketing content, for many teams.

Sign in, then send `Authorization: Token <token>` with every request. Bodies are JSON in UTF-8 unless an \
operation takes a file. Ids are UUIDs, times ISO 8601 in UTC, credits strings with two decimals. Replies \
only ever gain members within one major version."""

_PLACEHOLDER = re.compile(r"\{(\w+)(?::[^{}]*)?\}")

PERMISSIONS: Mapping[Permission, str] = {
    Permission.PUBLIC: "everybody; no token is needed",
    Permission.PROFILE: "any signed-in user",
    Permission.READ: "every member of a team",
    Permission.WORK: "members, admins and owners of a team",
    Permission.MANAGE: "admins and owners of a team",
    Permission.EXPLAIN: "admins and owners of a team, and platform administrators",
    Permission.OWN: "owners of a team",
    Permission.PLATFORM: "platform administrators",
}
"""Who has a permission, in words."""


def operations_of(registry: Registry) -> list[Operation]:
    """Every declared operation, by path, then by method."""
    services = {id(service): service for service in registry.cornice_services.values()}
    found = [
        operation
        for service in services.values()
        if isinstance(service, ApiService)
        for operation in service.declared
    ]
    return sorted(found, key=lambda operation: (operation.path, operation.method))


def build_document(registry: Registry) -> dict[str, Any]:
    """The document; the same declarations always give the same document."""
    operations = operations_of(registry)
    schemas, components = schemas_of(operations)
    paths: dict[str, Any] = {}
    for operation in operations:
        item = paths.setdefault(_PLACEHOLDER.sub(r"{\1}", operation.path), {})
        item[operation.method.lower()] = _operation(operation, schemas, components)
    return {
        "openapi": "3.1.0",
        "info": {"title": TITLE, "version": version("contentsvc"), "description": DESCRIPTION},
        "tags": [{"name": name} for name in sorted({_tag(operation) for operation in operations})],
        "paths": paths,
        "components": {
            "schemas": referenced(paths, components),
            "headers": {
                "RequestId": {
                    "description": "Names this request in the log; the client's own where it sent one.",
                    "schema": {"type": "string"},
                },
                "RetryAfter": {
                    "description": "Seconds until another try makes sense.",
                    "schema": {"type": "integer", "minimum": 1},
                },
            },
            "securitySchemes": {
                "token": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Authorization",
                    "description": "`Token ` and the token that login or register answered.",
                }
            },
        },
    }


def _tag(operation: Operation) -> str:
    return _TAGS.get(operation.domain, operation.domain)


def _operation(
    operation: Operation, schemas: Mapping[Any, Any], components: Mapping[str, Any]
) -> dict[str, Any]:
    name = operation_id(operation)
    found: dict[str, Any] = {
        "operationId": name,
        "tags": [_tag(operation)],
        "summary": operation.summary,
        "description": "\n\n".join(
            part.replace("``", "`")
            for part in (operation.description, f"For {PERMISSIONS[operation.permission]}.")
            if part
        ),
        "x-permission": operation.permission.value,
        "parameters": list(_parameters(operation, schemas.get((name, "query"), {}), components)),
        "responses": _responses(operation, schemas.get((name, "response"))),
        "security": [] if operation.permission is Permission.PUBLIC else [{"token": []}],
    }
    if operation.body is not None:
        schema = schemas[name, "body"]
        found["requestBody"] = {
            "required": bool(resolve(schema, components).get("required")),
            "content": {"application/json": {"schema": schema}},
        }
    elif operation.upload is not None:
        found["requestBody"] = {
            "required": True,
            "content": {"multipart/form-data": {"schema": _form(resolve(schemas[name, "form"], components))}},
        }
    return found


def _form(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "file": {
                "type": "string",
                "contentMediaType": "application/octet-stream",
                "description": "The file; the name image is taken as well.",
            },
            **fields.get("properties", {}),
        },
        "required": ["file", *fields.get("required", [])],
    }


def _parameters(
    operation: Operation, query: Mapping[str, Any], components: Mapping[str, Any]
) -> Iterable[dict[str, Any]]:
    for name in _PLACEHOLDER.findall(operation.path):
        is_id = name == "id" or name.endswith("_id")
        schema = {"type": "string", "format": "uuid"} if is_id else {"type": "string"}
        yield {"name": name, "in": "path", "required": True, "schema": schema}
    model = resolve(query, components)
    for name, schema in model.get("properties", {}).items():
        yield _query_parameter(name, schema, required=name in model.get("required", ()))
    if operation.idempotent:
        yield {
            "name": IDEMPOTENCY_HEADER,
            "in": "header",
            "required": False,
            "description": "Repeats of one key and body within 24 hours answer what the first answered.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
        }


def _query_parameter(name: str, schema: Mapping[str, Any], *, required: bool) -> dict[str, Any]:
    found = {
        "name": name,
        "in": "query",
        "required": required,
        "schema": {key: value for key, value in schema.items() if key not in ("title", "description")},
    }
    if _takes_a_list(schema):
        found |= {"style": "form", "explode": False}
    if "description" in schema:
        found["description"] = schema["description"]
    return found


def _takes_a_list(schema: Mapping[str, Any]) -> bool:
    return any(one.get("type") == "array" for one in [schema, *schema.get("anyOf", ())])


def _responses(operation: Operation, schema: Any) -> dict[str, Any]:
    success: dict[str, Any] = {"description": "Success.", "headers": {"X-Request-ID": _header("RequestId")}}
    if operation.response is not None:
        success["content"] = {operation.media_type: {"schema": schema}}
    elif operation.status != 204:
        success["content"] = {operation.media_type: {"schema": {}}}
    found = {str(status): success for status in sorted({operation.status, *operation.other_statuses})}
    by_status: dict[int, list[ErrorCode]] = {}
    for code in _refusals(operation):
        by_status.setdefault(STATUS_OF.get(code, 400), []).append(code)
    if ErrorCode.CONFLICT in operation.refusals:
        # About a value that is taken it is a 409, about a state that doesn't fit a 400.
        by_status.setdefault(400, []).append(ErrorCode.CONFLICT)
    validates = bool(operation.body or operation.query or operation.upload)
    if validates:
        by_status.setdefault(400, [])
    for status in sorted(by_status):
        refusal = _refusal(status, by_status[status], fields=status == 400 and validates)
        found[str(status)] = _either(found.get(str(status)), refusal)
    return found


def _either(answer: dict[str, Any] | None, refusal: dict[str, Any]) -> dict[str, Any]:
    """A status that the view answers itself may be a refusal as well."""
    if answer is None:
        return refusal
    ((media_type, told),) = answer["content"].items()
    ((_, refused),) = refusal["content"].items()
    either = {media_type: {"schema": {"anyOf": [told["schema"], refused["schema"]]}}}
    return {**refusal, "content": either}


def _refusals(operation: Operation) -> Iterable[ErrorCode]:
    """The codes that follow from the declaration, then those the view declares itself."""
    # Any address may be unreadable, whatever the operation takes.
    codes = [ErrorCode.INTERNAL_ERROR, ErrorCode.UNAVAILABLE, ErrorCode.MALFORMED_JSON]
    if operation.permission is not Permission.PUBLIC:
        codes += [ErrorCode.NOT_AUTHENTICATED, ErrorCode.INVALID_TOKEN]
        if operation.permission is not Permission.PROFILE:
            codes.append(ErrorCode.PERMISSION_DENIED)
    if operation.rated:
        codes.append(ErrorCode.RATE_LIMITED)
    if _PLACEHOLDER.search(operation.path):
        codes.append(ErrorCode.NOT_FOUND)
    if operation.body is not None or operation.upload is not None:
        codes += [ErrorCode.PAYLOAD_TOO_LARGE, ErrorCode.UNSUPPORTED_MEDIA_TYPE]
    if operation.idempotent:
        codes.append(ErrorCode.CONFLICT)
    return dict.fromkeys([*codes, *operation.refusals])


def _refusal(status: int, codes: list[ErrorCode], *, fields: bool) -> dict[str, Any]:
    error = {"$ref": "#/components/schemas/Error"}
    schema: dict[str, Any] = error
    if fields:
        schema = {"anyOf": [{"$ref": "#/components/schemas/FieldErrors"}, error]}
    words = ["field errors"] if fields else []
    headers = {"X-Request-ID": _header("RequestId")}
    if status in (429, 503):
        headers["Retry-After"] = _header("RetryAfter")
    return {
        "description": ", ".join([*words, *(code.value for code in codes)]),
        "headers": headers,
        "content": {"application/json": {"schema": schema}},
    }


def _header(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/headers/{name}"}
