"""Bodies, queries and replies of the AI area."""

from __future__ import annotations

import uuid
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from contentsvc.assets.schemas import AssetOut
from contentsvc.generation.models import TaskStatus, TaskType
from contentsvc.generation.ratios import Ratio
from contentsvc.http.pagination import Page, PageQuery
from contentsvc.http.types import Credits, Factor, Id, In, Out, Prompt, Timestamp, Word, parse_uuid

MAX_COUNT = 12
MAX_REFERENCES = 16


class ImageMode(StrEnum):
    IMAGE = "image"
    MODEL = "model"
    COVER = "cover"


def _uuid_or_none(value: object) -> uuid.UUID | None:
    try:
        return parse_uuid(value)
    except ValueError:
        return None


class GenerateImageIn(In):
    """An order of ``count`` pictures of one batch."""

    prompt: Prompt
    mode: ImageMode = ImageMode.IMAGE
    count: Annotated[int, Field(ge=1, le=MAX_COUNT)] = 1
    product_id: Id | None = None
    reference_product: bool | None = Field(
        None, description="Use the product's main image; by default yes for model and cover, no for image."
    )
    model_id: Id | None = Field(None, description="An image asset that shows the presenter.")
    model_entity_id: Id | None = Field(None, description="A presenter of the library.")
    ratio: Ratio | None = None
    image_model: Word | None = Field(None, description="Id or name of a model config.")
    reference_image_ids: Annotated[list[Id], Field(max_length=MAX_REFERENCES)] = Field(default_factory=list)
    batch_id: Annotated[uuid.UUID | None, BeforeValidator(_uuid_or_none, json_schema_input_type=Any)] = Field(
        None, description="Append to this batch; anything but a UUID starts a new one."
    )


class Resolution(StrEnum):
    """Length of a video's short side."""

    P480 = "480p"
    P720 = "720p"
    P1080 = "1080p"


class VideoOptions(In):
    """What a free video is made from beside its prompt. The pictures are assets of the team."""

    duration: Annotated[float, Field(ge=2, le=15, description="Seconds.")] = 5.0
    resolution: Resolution = Resolution.P720
    reference_ids: Annotated[list[Id], Field(max_length=MAX_REFERENCES)] = Field(default_factory=list)
    first_frame_id: Id | None = None
    last_frame_id: Id | None = Field(None, description="Only together with a first one.")
    video_model: Word | None = Field(None, description="Id or name of a model config; no other takes over.")


class GenerateVideoIn(VideoOptions):
    """An order of a free video."""

    prompt: Prompt


class SpokenText(In):
    """A text of a voice-over."""

    text: Prompt


class EstimateIn(GenerateImageIn, VideoOptions):
    """Any generation body with the type of task it would become."""

    task_type: TaskType
    prompt: Prompt = "estimate"
    reference_asset_id: Id | None = Field(None, description="Of a base asset's body.")
    video_segment_id: Id | None = Field(None, description="Of a clip's body.")
    items: Annotated[list[SpokenText], Field(max_length=100)] = Field(
        default_factory=list, description="Of a voice-over's body."
    )
    speed_ratio: Annotated[float, Field(ge=0.5, le=2)] = Field(1.0, description="Of a voice-over's body.")


class TaskStub(Out):
    id: Id
    status: TaskStatus


class TaskStubs(Out):
    tasks: list[TaskStub]


class TaskResult(TaskStub):
    error_message: str
    assets: list[AssetOut]


class TaskResults(Out):
    tasks: list[TaskResult]


class EstimateOut(Out):
    estimated_cost: Credits
    unit_price: Factor
    model: Id | None
    available: Credits


class AITaskOut(Out):
    """A task. ``model``, ``project``, ``product`` and ``created_by`` are ids."""

    id: Id
    task_type: TaskType
    status: TaskStatus
    progress: Annotated[float, Field(ge=0, le=1)]
    error_message: str
    estimated_cost: Credits
    actual_cost: Credits | None
    model: Id | None = Field(validation_alias="model_config_id")
    model_name: str
    provider: str = Field(validation_alias="provider_name")
    project: Id | None = Field(validation_alias="project_id")
    product: Id | None = Field(validation_alias="product_id")
    batch_id: Id | None
    metadata: dict[str, Any] = Field(validation_alias="meta")
    assets: list[AssetOut]
    read_at: Timestamp | None
    is_deleted: bool
    is_favorited: bool
    created_by: Id
    created_at: Timestamp
    submitted_at: Timestamp | None
    finished_at: Timestamp | None


class TaskPage(Page[AITaskOut]):
    unread_count: int


def parts(value: object) -> object:
    """The parts of a parameter that names several things, separated by commas; none of an empty one."""
    return value.split(",") if isinstance(value, str) and value else value or []


def listed(value: object) -> object:
    """The same without the empty ones."""
    return [part for part in value.split(",") if part] if isinstance(value, str) else value


class TaskQuery(PageQuery):
    task_type: Annotated[list[TaskType], BeforeValidator(listed)] | None = None
    status: TaskStatus | None = None
    project: Id | None = None
    product: Id | None = None
    batch_id: Id | None = None
    unread: Annotated[
        bool, BeforeValidator(lambda value: value in ("1", "true", True), json_schema_input_type=bool | str)
    ] = False


class PollQuery(In):
    """``ids``: comma separated; unknown ones are left out of the reply."""

    # With the empty ones: whoever counts the parts of what he sends comes to the same number.
    ids: Annotated[list[str], BeforeValidator(parts), Field(min_length=1, max_length=200)]


class MarkReadIn(In):
    ids: Annotated[list[str], Field(max_length=1000)] | None = None


class MarkReadOut(Out):
    updated: int
    unread_count: int
