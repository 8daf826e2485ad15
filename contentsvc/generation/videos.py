"""Clips: from a request to its task, from a task to the model's request, and the clip's way home."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from pyramid.registry import Registry
from sqlalchemy import select
from sqlalchemy.orm import Session
from typing_extensions import override

from contentsvc.assets.media import media_ref
from contentsvc.assets.models import Asset
from contentsvc.generation.images import Reference, reference_ids
from contentsvc.generation.models import AITask
from contentsvc.generation.prompts import Composed
from contentsvc.generation.workflows import Workflow
from contentsvc.generation.works import Stored, Work
from contentsvc.plugin import (
    BillingUnit,
    ImageReference,
    ProviderError,
    ReferenceRole,
    VideoRequest,
    VideoResult,
)
from contentsvc.providers.models import ModelConfig
from contentsvc.storage.errors import MediaRejected
from contentsvc.storage.ingest import ingest

RATIO: Final = "9:16"
DEFAULT_RESOLUTION: Final = "720p"
# Five seconds of 720 x 1280 pixels at 24 frames, 1,024 pixels a token.
TOKENS_PER_SECOND: Final = 21_600


@dataclass(frozen=True)
class Clip:
    """A clip to order: ``brief`` is what the customer typed, ``words`` what the model is told.

    ``resolution`` and ``seed`` as in the plugin interface; frames are pictures of the team.
    """

    brief: str
    words: Composed
    seconds: float
    seed: int
    name: str = "Clip"
    resolution: str = DEFAULT_RESOLUTION
    first_frame: uuid.UUID | None = None
    last_frame: uuid.UUID | None = None
    references: tuple[Reference, ...] = ()
    model_named: bool = False

    def document(self) -> dict[str, Any]:
        """The request of its task, from which :class:`VideoWorkflow` makes the model's."""
        return {
            "name": self.name,
            "brief": self.brief,
            "prompt": self.words.prompt,
            "duration_seconds": self.seconds,
            "ratio": RATIO,
            "resolution": self.resolution,
            "seed": self.seed,
            "first_frame": str(self.first_frame) if self.first_frame else None,
            "last_frame": str(self.last_frame) if self.last_frame else None,
            "references": [
                {"role": reference.role.value, "asset": str(reference.asset_id)}
                for reference in self.references
            ],
            "model_named": self.model_named,
        }

    def units(self, model: ModelConfig) -> Decimal:
        """Billing units that the clip may take on a model."""
        return video_units(model, self.seconds, characters=len(self.words.prompt))


def video_units(model: ModelConfig, seconds: float, *, characters: int = 0) -> Decimal:
    """Billing units of so many seconds; tokens by the model's ``tokens_per_second``."""
    length = Decimal(str(seconds))
    if model.billing_unit == BillingUnit.THOUSAND_TOKENS:
        rate = Decimal(str(model.options.get("tokens_per_second") or TOKENS_PER_SECOND))
        return length * rate / 1000
    if model.billing_unit == BillingUnit.SECOND:
        return length
    if model.billing_unit == BillingUnit.THOUSAND_CHARACTERS:
        return Decimal(characters) / 1000
    return Decimal(1)


class VideoWorkflow(Workflow):
    """One clip a task."""

    @override
    def request(self, session: Session, registry: Registry, task: AITask) -> VideoRequest:
        asked = task.request
        frames = {name: uuid.UUID(asked[name]) for name in ("first_frame", "last_frame") if asked[name]}
        found = self._pictures(session, {*frames.values(), *reference_ids(task)})
        media = {id_: media_ref(registry, asset, task.provider_name) for id_, asset in found.items()}
        return VideoRequest(
            prompt=asked["prompt"],
            duration_seconds=asked["duration_seconds"],
            ratio=asked["ratio"],
            resolution=asked["resolution"],
            seed=asked["seed"],
            references=tuple(
                ImageReference(ReferenceRole(named["role"]), media[uuid.UUID(named["asset"])])
                for named in asked["references"]
            ),
            **{name: media[id_] for name, id_ in frames.items()},
        )

    @override
    def store(self, registry: Registry, task: AITask, result: VideoResult) -> Stored:
        clip = result.video
        name = f"{task.request['name']}{clip.path.suffix}"
        try:
            media = ingest(registry, clip.path, name, kinds=("video",), trusted=True)
        except MediaRejected as error:
            raise ProviderError("The model returned a clip that can't be used.") from error
        work = Work(media=media, name=name, category="", metadata=dict(clip.metadata))
        return Stored(works=(work,), usage=result.usage)

    def _pictures(self, session: Session, ids: set[uuid.UUID]) -> dict[uuid.UUID, Asset]:
        """The order's pictures. Deleted since it was taken still counts: the bytes are there."""
        found = {asset.id: asset for asset in session.scalars(select(Asset).where(Asset.id.in_(ids)))}
        if found.keys() != ids:
            raise ProviderError("A picture of this order has been removed for good.")
        return found
