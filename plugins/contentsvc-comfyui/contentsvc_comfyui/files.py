"""Workflow files: a graph as ComfyUI exports it for its API, and which of its inputs are slots."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from contentsvc.plugin import ProviderError
from contentsvc_declared import first_fault

MAX_BYTES: Final = 4 * 1024 * 1024
EXAMPLES: Final = Path(__file__).parent / "workflows"

_NAME: Final = re.compile(r"\w[\w.-]{0,127}")


def _several(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Target = Annotated[str, StringConstraints(pattern=r"^[^.]+\..+$", max_length=200)]
Targets = Annotated[list[Target], BeforeValidator(_several)]
Side = Annotated[int, Field(ge=16, le=16384)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Frames(_Part):
    """How many frames a clip has: seconds by ``per_second``, up to the next ``multiple``, ``plus`` some."""

    to: Targets
    per_second: float = Field(gt=0, le=240)
    multiple: int = Field(1, ge=1)
    plus: int = Field(0, ge=0)
    max: int = Field(100_000, ge=1)


class Slots(_Part):
    """Inputs of the graph, as ``node.input``, that an order fills; most may be several at once.

    ``references`` take one picture each, in this order.
    """

    prompt: Targets
    negative_prompt: Targets = Field(default_factory=list)
    seed: Targets = Field(default_factory=list)
    width: Targets = Field(default_factory=list)
    height: Targets = Field(default_factory=list)
    frames: Frames | None = None
    seconds: Targets = Field(default_factory=list)
    first_frame: Targets = Field(default_factory=list)
    last_frame: Targets = Field(default_factory=list)
    references: Targets = Field(default_factory=list)

    def all(self) -> Iterator[str]:
        """Every input that is one."""
        for name in type(self).model_fields:
            value = getattr(self, name)
            yield from value.to if isinstance(value, Frames) else value or ()


class Node(BaseModel):
    """A node of the graph, as far as anything here looks at it."""

    model_config = ConfigDict(extra="allow")

    class_type: str
    inputs: dict[str, Any] = Field(default_factory=dict)


class WorkflowFile(_Part):
    """A file.

    ``sizes`` are width and height in pixels by ratio ("9:16"), for clips also by ratio and
    resolution ("9:16 720p"). ``output`` is the node whose file is the result; empty: any.
    """

    slots: Slots
    sizes: dict[str, tuple[Side, Side]] = Field(default_factory=dict)
    output: str = ""
    workflow: dict[str, Node]

    @model_validator(mode="before")
    @classmethod
    def _no_drawing(cls, value: Any) -> Any:
        graph = value.get("workflow") if isinstance(value, Mapping) else None
        if isinstance(graph, Mapping) and "nodes" in graph:
            raise ValueError("the workflow is a drawing; export it with Export (API)")
        return value

    @model_validator(mode="after")
    def _slots_are_there(self) -> Self:
        for target in self.slots.all():
            check_target(self.workflow, target)
        if self.output and self.output not in self.workflow:
            raise ValueError(f"there is no node {self.output}")
        if (self.slots.width or self.slots.height) and not self.sizes:
            raise ValueError("width and height are slots, and there are no sizes")
        return self


def check_target(graph: Mapping[str, Node], target: str) -> tuple[str, str]:
    """Node and input of a target. Raises ValueError where the graph lacks them."""
    node, _, name = target.partition(".")
    if node not in graph:
        raise ValueError(f"there is no node {node}")
    if name not in graph[node].inputs:
        raise ValueError(f"node {node} ({graph[node].class_type}) has no input {name}")
    return node, name


def folder_of(settings: Mapping[str, str]) -> Path:
    """Where the workflow files are."""
    named = settings.get("workflows", "")
    return Path(named) if named else EXAMPLES


def read_workflow(folder: Path, name: str) -> WorkflowFile:
    """The file of a name, without ``.json``. Raises ProviderError, which says what is wrong with it."""
    if not _NAME.fullmatch(name):
        raise ProviderError("The model's endpoint must be the name of a workflow file, without .json.")
    try:
        with (folder / f"{name}.json").open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ProviderError(f"There is no workflow file {name}.json on this machine.") from None
    except OSError:
        raise ProviderError(f"The workflow file {name}.json can't be read.") from None
    if len(data) > MAX_BYTES:
        raise ProviderError(f"The workflow file {name}.json is too large.")
    try:
        return WorkflowFile.model_validate_json(data)
    except ValidationError as error:
        raise ProviderError(f"The workflow file {name}.json can't be used: {first_fault(error)}.") from None


def names_in(folder: Path) -> list[str]:
    """Names of the workflow files in a folder."""
    return sorted(path.stem for path in folder.glob("*.json") if _NAME.fullmatch(path.stem))
