"""Whether a picture of a person may be used: the capability asset_review."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from contentsvc.plugin.backends import Backend
from contentsvc.plugin.values import MediaRef


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """A picture that shows a face. ``name`` is for people.

    A provider that sorts assets into groups keeps the team's one group in ``ctx.state``.
    """

    media: MediaRef
    name: str


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """The verdict; ``reason`` is a sentence for the customer where it is no.

    ``handles`` are the provider's own ids for a picture that has passed: the provider's
    backends find them in :attr:`MediaRef.handles` wherever the picture is used later.
    """

    is_approved: bool
    reason: str = ""
    handles: Mapping[str, str] = field(default_factory=dict)


ReviewBackend: TypeAlias = Backend[ReviewRequest, ReviewResult]
