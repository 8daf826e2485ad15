"""What can be reviewed: pictures of certain categories, and those that show a project's characters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias, cast

from pyramid.config import Configurator
from pyramid.registry import Registry
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset, AssetCategory, AssetType

REVIEWABLE: Final = frozenset(
    {
        AssetCategory.PERSON,
        AssetCategory.TRI_VIEW,
        AssetCategory.STORYBOARD,
        AssetCategory.MODEL_PORTRAIT,
    }
)
"""Categories whose pictures can be reviewed wherever they are used."""

_CHECKS: Final = "contentsvc.face_bearing_checks"

FaceBearingCheck: TypeAlias = Callable[[Session, Asset], bool]
"""Whether an asset shows a face where it is used; the session is in its team's scope."""


def add_face_bearing_check(config: Configurator, check: FaceBearingCheck) -> None:
    """``config.add_face_bearing_check(check)``: assets for which it is true can be reviewed too."""
    config.registry.setdefault(_CHECKS, []).append(check)


def is_reviewable(session: Session, registry: Registry, asset: Asset) -> bool:
    """Whether an asset is a picture of a reviewable category, or one that shows a face somewhere."""
    if asset.asset_type != AssetType.IMAGE:
        return False
    if asset.category in REVIEWABLE:
        return True
    checks = cast("list[FaceBearingCheck]", registry.get(_CHECKS, []))
    return any(check(session, asset) for check in checks)
