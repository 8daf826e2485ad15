"""The reference as one HTML page, made from the OpenAPI document."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from contentsvc.http.reference.schema_html import anchor, schema_table, schema_type

_CODE = re.compile(r"(``?)([^`]+)\1")
_METHODS = ("get", "post", "put", "patch", "delete")

Json = Mapping[str, Any]


@cache
def _asset(name: str) -> str:
    return files("contentsvc.http.reference").joinpath(name).read_text(encoding="utf-8")


def content_security_policy() -> str:
    """Nothing may be loaded; only the page's own style and script run."""
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        f"style-src '{_digest(_asset('page.css'))}'; script-src '{_digest(_asset('page.js'))}'"
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def render_page(document: Json) -> str:
    """The whole page."""
    groups = _grouped(document)
    schemas = document["components"]["schemas"]
    return Template(_asset("page.html")).substitute(
        title=escape(document["info"]["title"]),
        version=escape(document["info"]["version"]),
        introduction=_prose(document["info"]["description"]),
        style=_asset("page.css"),
        script=_asset("page.js"),
        count=sum(len(operations) for operations in groups.values()),
        navigation="".join(_navigation(tag, operations) for tag, operations in groups.items()),
        operations="".join(_group(tag, operations) for tag, operations in groups.items()),
        schema_links="".join(f'<li><a href="#{anchor(name)}">{escape(name)}</a></li>' for name in schemas),
        schemas="".join(_schema(name, schema) for name, schema in schemas.items()),
    )


def _grouped(document: Json) -> dict[str, list[tuple[str, str, Json]]]:
    groups: dict[str, list[tuple[str, str, Json]]] = {tag["name"]: [] for tag in document["tags"]}
    for path, item in document["paths"].items():
        for method in _METHODS:
            if method in item:
                groups[item[method]["tags"][0]].append((method, path, item[method]))
    return groups


def _navigation(tag: str, operations: list[tuple[str, str, Json]]) -> str:
    links = "".join(
        f'<li data-find="{_findable(method, path, operation)}"><a href="#{escape(operation["operationId"])}">'
        f"{_verb(method)}<span>{escape(operation['summary'])}</span></a></li>"
        for method, path, operation in operations
    )
    return f"<section><h2>{escape(_heading(tag))}</h2><ul>{links}</ul></section>"


def _group(tag: str, operations: list[tuple[str, str, Json]]) -> str:
    articles = "".join(_operation(method, path, operation) for method, path, operation in operations)
    return (
        f'<section class="group"><h2 id="tag-{escape(tag)}">{escape(_heading(tag))}</h2>{articles}</section>'
    )


def _operation(method: str, path: str, operation: Json) -> str:
    name = escape(operation["operationId"])
    title = f'<h3><a class="self" href="#{name}">{escape(operation["summary"])}</a></h3>'
    who = f'<span class="who">{escape(operation["x-permission"])}</span>'
    address = f'<p class="address">{_verb(method)}<code>{_path(path)}</code>{who}</p>'
    parts = [
        f"<header>{title}{address}</header>",
        _prose(operation["description"]),
        _parameters(operation["parameters"]),
        _request_body(operation.get("requestBody")),
        _responses(operation["responses"]),
    ]
    return f'<article id="{name}" data-find="{_findable(method, path, operation)}">{"".join(parts)}</article>'


def _parameters(parameters: Iterable[Json]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(one['name'])}</code>{_required(one['required'])}</td>"
        f"<td>{escape(one['in'])}</td><td>{schema_type(one['schema'])}</td>"
        f"<td>{escape(one.get('description', ''))}</td></tr>"
        for one in parameters
    )
    if not rows:
        return ""
    return (
        "<h4>Parameters</h4><table><thead><tr><th>Name</th><th>In</th><th>Type</th><th></th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def _request_body(body: Json | None) -> str:
    if body is None:
        return ""
    ((media_type, content),) = body["content"].items()
    return (
        f"<h4>Body <small>{escape(media_type)}{'' if body['required'] else ', optional'}</small></h4>"
        f"{_content(content['schema'])}"
    )


def _responses(responses: Json) -> str:
    rows = []
    for status, response in responses.items():
        refused = int(status) >= 400
        inner = ""
        if not refused:
            for media_type, content in response.get("content", {}).items():
                inner += f"<small>{escape(media_type)}</small>{_content(content['schema'])}"
        rows.append(
            f'<li class="{"refused" if refused else "success"}"><b>{escape(status)}</b> '
            f"{escape(response['description'])}{inner}</li>"
        )
    return f'<h4>Replies</h4><ul class="replies">{"".join(rows)}</ul>'


def _content(schema: Json) -> str:
    if not schema:
        return ""
    if "properties" in schema:
        return schema_table(schema)
    return f'<p class="content">{schema_type(schema)}</p>'


def _schema(name: str, schema: Json) -> str:
    description = _prose(schema.get("description", ""))
    return (
        f'<details class="schema" id="{anchor(name)}"><summary>{escape(name)}</summary>'
        f"{description}{schema_table(schema)}</details>"
    )


def _verb(method: str) -> str:
    return f'<span class="verb {method}">{method.upper()}</span>'


def _path(path: str) -> str:
    return re.sub(r"\{(\w+)\}", r"<i>{\1}</i>", escape(path))


def _required(required: bool) -> str:
    return ' <em class="required">required</em>' if required else ""


def _heading(tag: str) -> str:
    return tag.replace("_", " ").capitalize()


def _findable(method: str, path: str, operation: Json) -> str:
    return escape(f"{method} {path} {operation['summary']} {operation['tags'][0]}".lower())


def _prose(text: str) -> str:
    paragraphs = (_CODE.sub(r"<code>\2</code>", escape(part)) for part in text.split("\n\n") if part.strip())
    return "".join(f"<p>{part}</p>" for part in paragraphs)
