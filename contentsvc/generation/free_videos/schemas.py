"""Queries, bodies and replies of free videos."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from contentsvc.generation.schemas import AITaskOut, TaskStub
from contentsvc.http import PageQuery
from contentsvc.http.types import In, Out


class OrderedVideo(Out):
    """The order's task."""

    task: TaskStub


class VideoTasks(Out):
    """The tasks asked for."""

    tasks: list[AITaskOut]


class VideoQuery(PageQuery):
    """``favorited=1`` keeps the favourites."""

    favorited: Annotated[
        bool, BeforeValidator(lambda value: value in ("1", "true", True), json_schema_input_type=bool | str)
    ] = False


class FavoriteIn(In):
    """Whether a video is to be a favourite."""

    favorited: bool


class ReferenceUpload(In):
    """Text fields of a picture's upload, beside ``file``."""

    name: str = Field("", description="Default: the file's base name. Cut to 255 characters.")
