"""Values every capability shares: usage, files in and out, what is known of the product."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO, Protocol


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used, in the model's billing unit, and the provider's raw report.

    ``units`` is None where the provider reports no figure: the estimate is charged.
    ``raw`` is kept with the attempt, as JSON, for whoever explains a bill.
    """

    units: Decimal | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)


class MediaRef(Protocol):
    """A stored file that a request refers to."""

    @property
    def media_type(self) -> str:
        """MIME type, told from the bytes."""

    @property
    def size_bytes(self) -> int:
        """Length of what :meth:`open` yields."""

    @property
    def width(self) -> int | None:
        """Pixels; None for sound and documents."""

    @property
    def height(self) -> int | None:
        """Pixels; None for sound and documents."""

    @property
    def public_url(self) -> str | None:
        """A link the provider can fetch, None where the service isn't reachable from outside."""

    @property
    def handles(self) -> Mapping[str, str]:
        """The provider's own ids for this file, as the plugin stored them earlier."""

    def open(self) -> AbstractContextManager[BinaryIO]:
        """The bytes, as a stream; the caller closes it."""


@dataclass(frozen=True, slots=True)
class GeneratedFile:
    """A file the backend has written below :attr:`Context.work_dir`.

    The service tells the type from the bytes, moves the file into its storage and
    removes the work folder. ``metadata`` (JSON values) is stored with the asset.
    """

    path: Path
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SellingPoint:
    """One reason to buy, as the customer words it."""

    title: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ProductFacts:
    """What the customer says of the product; empty strings where nothing was said."""

    title: str = ""
    brand: str = ""
    category: str = ""
    target_audience: str = ""
    description: str = ""
    specs: Mapping[str, Any] = field(default_factory=dict)
    selling_points: tuple[SellingPoint, ...] = ()
