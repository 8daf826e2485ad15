"""Exports as clients see them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from contentsvc.assets.schemas import AssetOut
from contentsvc.generation.schemas import TaskStub
from contentsvc.http.types import Id, Link, Out


class ExportStarted(Out):
    """An export that was ordered."""

    task: TaskStub
    export_id: Id


class ExportOut(Out):
    """The newest export of a project."""

    export_id: Id
    status: Literal["generating", "succeeded", "failed"]
    progress: float = Field(description="0 to 1.")
    url: Link | None = Field(description="Of the finished film.")
    asset: AssetOut | None
    duration_seconds: float | None
    error: str | None
