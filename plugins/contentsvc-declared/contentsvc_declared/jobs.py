"""Pictures and clips that are jobs at their provider's: placed, asked for, fetched."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Self

from contentsvc.plugin import (
    Accepted,
    BillingUnit,
    Capability,
    Context,
    Done,
    GeneratedFile,
    ImageRequest,
    ImageResult,
    Pending,
    Usage,
    VideoRequest,
    VideoResult,
    figure,
)
from contentsvc_declared.media import file_name

CAPABILITIES: Final = (Capability.IMAGE_GENERATION, Capability.IMAGE_EDIT, Capability.VIDEO_GENERATION)
"""What :class:`Jobs` can back."""

_MARK: Final = "?seconds="
_LONGEST_SECONDS: Final = 24 * 60 * 60


@dataclass(frozen=True)
class Job:
    """The provider's name of a job, and how many seconds of a clip were ordered, where that is known."""

    name: str
    seconds: float | None = None

    @property
    def id(self) -> str:
        """Both in one: who polls sees nothing else of the order."""
        return self.name if self.seconds is None else f"{self.name}{_MARK}{self.seconds:g}"

    @classmethod
    def of(cls, text: str) -> Self:
        """Read an ``id``."""
        name, mark, seconds = text.rpartition(_MARK)
        if not mark:
            return cls(text)
        try:
            known = float(seconds)
        except ValueError:
            return cls(name)
        return cls(name, known if math.isfinite(known) else None)


@dataclass(frozen=True)
class Made:
    """What a job has made.

    ``link`` leads to the file, ``file`` is its name where the link doesn't end in it. ``headers``
    are sent to the provider's own host only. ``figures`` are kept for whoever explains a bill;
    ``ran`` is how many seconds the provider has worked.
    """

    link: str
    file: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    figures: Mapping[str, float] = field(default_factory=dict)
    ran: float | None = None


class Jobs(ABC):
    """A backend of any of :data:`CAPABILITIES`; which of them, the model says."""

    @abstractmethod
    def place(self, request: ImageRequest | VideoRequest, ctx: Context) -> Job:
        """Order it. Raises what :meth:`contentsvc.plugin.Backend.start` may."""

    @abstractmethod
    def ask(self, job: str, ctx: Context) -> Made | None:
        """What the job of this name has made, None while it runs. Raises ProviderError where it failed."""

    def start(self, request: ImageRequest | VideoRequest, ctx: Context) -> Accepted:
        """Place the order."""
        return Accepted(self.place(request, ctx).id)

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[ImageResult | VideoResult]:
        """Ask for what was ordered, and fetch it."""
        job = Job.of(job_id)
        made = self.ask(job.name, ctx)
        if made is None:
            return Pending()
        is_clip = ctx.model.capability is Capability.VIDEO_GENERATION
        stem, suffix = ("clip", ".mp4") if is_clip else ("picture", ".png")
        name = file_name(stem, made.file or made.link, suffix)
        file = GeneratedFile(ctx.download(made.link, name=name, headers=made.headers))
        usage = _usage(job, made, ctx)
        return Done(VideoResult(file, usage) if is_clip else ImageResult(file, usage))


def _usage(job: Job, made: Made, ctx: Context) -> Usage:
    """Seconds are those of the clip that was ordered; where none were, those the provider worked."""
    raw = dict(made.figures)
    if job.seconds is not None:
        raw["ordered_seconds"] = job.seconds
    seconds = figure(made.ran if job.seconds is None else job.seconds)
    if ctx.model.billing_unit is not BillingUnit.SECOND or seconds is None or seconds > _LONGEST_SECONDS:
        return Usage(raw=raw)
    return Usage(round(seconds, 3), raw)
