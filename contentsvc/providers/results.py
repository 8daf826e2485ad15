"""What a backend hands over, checked before the service opens any of it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from contentsvc.plugin import (
    Capability,
    EntityResult,
    ExportResult,
    GeneratedFile,
    ImageResult,
    ReviewResult,
    SpeechResult,
    Usage,
    VideoResult,
)

RESULTS: Final[Mapping[Capability, type[Any]]] = MappingProxyType(
    {
        Capability.ENTITY_EXTRACTION: EntityResult,
        Capability.IMAGE_GENERATION: ImageResult,
        Capability.IMAGE_EDIT: ImageResult,
        Capability.VIDEO_GENERATION: VideoResult,
        Capability.SPEECH: SpeechResult,
        Capability.ASSET_REVIEW: ReviewResult,
        Capability.EXPORT: ExportResult,
    }
)


def result_fault(result: object, capability: Capability, work_dir: Path) -> str | None:
    """What is wrong with a result, or None.

    Its files must lie below the work folder: a name that the provider has chosen could
    lead to any file of this machine, which would then be the customer's picture. What is
    noted of files and usage is kept as JSON, so it must be that.
    """
    expected = RESULTS.get(capability)
    if expected is not None and not isinstance(result, expected):
        return f"a {expected.__name__} is expected, not {type(result).__name__}"
    root = work_dir.resolve()
    for file in files_of(result):
        path = (root / file.path).resolve()
        if not path.is_relative_to(root):
            return "a file lies outside of the work folder"
        if not path.is_file():
            return "a file does not exist"
        if not is_storable(file.metadata):
            return "a file's metadata is no JSON"
    usage = getattr(result, "usage", None)
    return None if usage is None or is_usage(usage) else "the usage is no figure, or its report no JSON"


def is_usage(value: object) -> bool:
    """Whether it is a usage whose units can be priced, or at least looked at, and stored."""
    return isinstance(value, Usage) and isinstance(value.units, Decimal | None) and is_storable(value.raw)


def is_storable(notes: object) -> bool:
    """Whether PostgreSQL takes it as a JSON object: no NaN, no NUL, no lone surrogate."""
    if not isinstance(notes, Mapping):
        return False
    try:
        text = json.dumps(dict(notes), ensure_ascii=False, allow_nan=False)
        text.encode()
    except (TypeError, ValueError, RecursionError):
        return False
    # Written out as an escape; of two backslashes the second is a character of its own.
    return "\\u0000" not in text.replace("\\\\", "")


def files_of(value: object) -> Iterator[GeneratedFile]:
    """The files in a result."""
    if isinstance(value, GeneratedFile):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from files_of(item)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from files_of(getattr(value, field.name))
