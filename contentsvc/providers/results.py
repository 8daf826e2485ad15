"""What a backend hands over, checked before the service opens any of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
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
    lead to any file of this machine, which would then be the customer's picture.
    """
    expected = RESULTS.get(capability)
    if expected is not None and not isinstance(result, expected):
        return f"a {expected.__name__} is expected, not {type(result).__name__}"
    root = work_dir.resolve()
    for file in _files(result):
        path = (root / file.path).resolve()
        if not path.is_relative_to(root):
            return "a file lies outside of the work folder"
        if not path.is_file():
            return "a file does not exist"
    return None


def _files(value: object) -> Iterator[GeneratedFile]:
    if isinstance(value, GeneratedFile):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _files(item)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _files(getattr(value, field.name))
