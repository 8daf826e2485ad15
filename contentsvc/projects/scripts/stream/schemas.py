"""Orders of scripts as clients send them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from contentsvc.generation.ratios import Ratio
from contentsvc.http.errors import FieldErrors
from contentsvc.http.types import Id, In, Prompt, Word
from contentsvc.plugin import ScriptMode

MIN_TOTAL_SECONDS, MAX_TOTAL_SECONDS = 5, 300
_MAX_POINTS = 100


class ScriptStreamIn(In):
    """A script to write, or to rewrite.

    ``theme`` needs a ``prompt``. ``revise`` rewrites ``base_version_id``, by default the
    working version; with ``target_index`` only that segment of it.
    """

    mode: ScriptMode
    prompt: Prompt | None = None
    model_config_id: Id | None = None
    selling_point_ids: Annotated[list[Word], Field(max_length=_MAX_POINTS)] | None = Field(
        None, description="Selling points of the product to build on; by default all."
    )
    base_version_id: Id | None = None
    aspect_ratio: Ratio | None = Field(
        None, description="By default that of the version that is rewritten, else 9:16."
    )
    total_duration: Annotated[float, Field(ge=MIN_TOTAL_SECONDS, le=MAX_TOTAL_SECONDS)] | None = Field(
        None, description="Seconds; left to the author by default."
    )
    target_index: int | None = Field(None, description="Place of the one segment to rewrite, from 0.")

    @model_validator(mode="after")
    def _fitting(self) -> ScriptStreamIn:
        if self.mode is ScriptMode.THEME and not (self.prompt or "").strip():
            raise FieldErrors.one("prompt", "A theme is needed.")
        if self.target_index is not None and self.mode is not ScriptMode.REVISE:
            raise FieldErrors.one("target_index", "Only a revision rewrites a single segment.")
        return self


class RerunSegmentIn(In):
    """A segment of the working script to write anew."""

    segment_id: str
    instruction: Prompt | None = None
