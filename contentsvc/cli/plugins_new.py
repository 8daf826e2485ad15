"""``contentsvc plugins new NAME --capability …``: a plugin to start from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from types import MappingProxyType
from typing import Final

from contentsvc.cli.ini import CommandError

NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")


@dataclass(frozen=True)
class Part:
    """One backend of the plugin: its module and class, what it backs, an example of a price."""

    module: str
    backend: str
    capabilities: tuple[str, ...]
    price: str
    unit: str
    is_job: bool = False


@dataclass(frozen=True)
class Chosen:
    """A capability that was asked for, and the part that backs it."""

    capability: str
    part: Part


PARTS: Final = (
    Part("images", "Images", ("image_generation", "image_edit"), "0.04", "IMAGE", is_job=True),
    Part("videos", "Videos", ("video_generation",), "0.10", "SECOND", is_job=True),
    Part("speech", "Speech", ("speech",), "0.015", "THOUSAND_CHARACTERS"),
    Part("scripts", "Scripts", ("script",), "0.02", "TASK"),
    Part("entities", "Entities", ("entity_extraction",), "0.01", "TASK"),
    Part("reviews", "Reviews", ("asset_review",), "0.01", "TASK"),
    Part("exports", "Exports", ("export",), "0.01", "SECOND", is_job=True),
)
UNITS: Final = MappingProxyType(
    {"IMAGE": "one", "SECOND": "a second", "THOUSAND_CHARACTERS": "a thousand characters", "TASK": "one"}
)
CAPABILITIES: Final = tuple(capability for part in PARTS for capability in part.capabilities)


def write_plugin(name: str, capabilities: Sequence[str], parent: Path) -> Path:
    """Write the distribution ``contentsvc-<name>`` below ``parent``; the new folder.

    Raises CommandError for names and capabilities that can't be, and for a folder that is
    there already.
    """
    if not NAME.fullmatch(name) or len(name) > 64:
        raise CommandError(f"{name!r} is no name for a plugin: small letters, digits, - and _ between them.")
    chosen = _chosen(capabilities)
    folder = parent / f"contentsvc-{name}"
    if folder.exists():
        raise CommandError(f"{folder} is there already.")
    for path, text in _contents(name, chosen):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return folder


def _chosen(capabilities: Sequence[str]) -> list[Chosen]:
    if unknown := [name for name in capabilities if name not in CAPABILITIES]:
        raise CommandError(f"There is no capability {unknown[0]!r}; there are {', '.join(CAPABILITIES)}.")
    if not capabilities:
        raise CommandError(f"--capability is missing: one or more of {', '.join(CAPABILITIES)}.")
    parts = {name: part for part in PARTS for name in part.capabilities}
    return [Chosen(name, parts[name]) for name in CAPABILITIES if name in capabilities]


def _contents(name: str, chosen: Sequence[Chosen]) -> Iterator[tuple[str, str]]:
    """Paths of the files below the distribution's folder, and what is in them."""
    package = f"contentsvc_{name.replace('-', '_')}"
    parts = list(dict.fromkeys(item.part for item in chosen))
    jobs = ["jobs"] if any(part.is_job for part in parts) else []
    words = _words(name, package, chosen)

    def filled(*templates: str) -> str:
        return "".join(_template(path).substitute(words) for path in templates)

    for file in ("setup.py", "pyproject.toml", "README.md"):
        yield file, filled(f"{file}.tmpl")
    yield "conftest.py", filled("conftest.py.tmpl")
    yield f"{package}/py.typed", ""
    modules = [*(part.module for part in parts), *jobs, "talk"]
    for module in ("__init__", *modules):
        yield f"{package}/{module}.py", filled(f"package/{module}.py.tmpl")
    pieces = ["base", *jobs, *(part.module for part in parts), "end"]
    yield "tests/example_server.py", filled(*(f"tests/{piece}.py.tmpl" for piece in pieces))
    yield "tests/test_conformance.py", filled("tests/test_conformance.py.tmpl")


def _template(path: str) -> Template:
    scaffold = files("contentsvc.cli").joinpath("scaffold", *path.split("/"))
    return Template(scaffold.read_text(encoding="utf-8"))


def _words(name: str, package: str, chosen: Sequence[Chosen]) -> dict[str, str]:
    """What the templates leave open."""
    title = name.replace("-", " ").replace("_", " ").title()
    parts = list(dict.fromkeys(item.part for item in chosen))
    imported = [("talk", "check"), *((part.module, part.backend) for part in parts)]
    return {
        "name": name,
        "package": package,
        "title": title,
        "capabilities": ", ".join(item.capability for item in chosen),
        "imports": _lines(f"from {package}.{module} import {name}" for module, name in sorted(imported)),
        "backends": _lines(
            f"                Capability.{item.capability.upper()}: {item.part.backend}," for item in chosen
        ),
        "models": "".join(
            _template("package/model.py.tmpl").substitute(
                name=name,
                title=title,
                capability=item.capability.upper(),
                price=item.part.price,
                unit=item.part.unit,
            )
            for item in chosen
        ).rstrip(),
        "model_rows": _lines(
            f"| `{name}-1` | {item.capability} | {item.part.price} for {UNITS[item.part.unit]} |"
            for item in chosen
        ),
        "dialects": _lines(f"    {_dialect(item)}," for item in chosen),
    }


def _dialect(item: Chosen) -> str:
    """Where one part backs several capabilities, its dialect is told which."""
    several = len(item.part.capabilities) > 1
    return f"{item.part.backend}({f'Capability.{item.capability.upper()}' if several else ''})"


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines)
