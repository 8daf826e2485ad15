"""What other parts of a project need of its base assets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, cast

from pyramid.registry import Registry
from sqlalchemy import select
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset
from contentsvc.plugin import ReferenceRole
from contentsvc.products.services import Products
from contentsvc.projects.base_assets.groups import add_candidate, group_state
from contentsvc.projects.base_assets.pictures import ROLE_OF_KIND
from contentsvc.projects.core.metadata import AdoptState
from contentsvc.projects.models import BaseAssetGroup, GroupKind, Project

_HANDLERS: Final = "contentsvc.face_bearing_handlers"
_WEIGHT: Final = {GroupKind.PRODUCT: 0, GroupKind.PERSON: 1, GroupKind.SCENE: 2}

FaceHandler = Callable[[Session, Registry, Asset], None]
"""Told of an asset that shows a character; in the transaction that files it, in the team's scope."""


@dataclass(frozen=True)
class EntityPicture:
    """A picture the storyboard works from, and whom or what it shows."""

    role: ReferenceRole
    asset: Asset
    label: str
    kind: GroupKind


def adopted_references(session: Session, project: Project) -> list[EntityPicture]:
    """The pictures the storyboard may use: product, characters, scenes, in this order.

    Of each entity's own group the adopted asset, of characters and scenes only where the
    group is adopted. The product is always there: without a picture of its own made for
    the project, its main image.
    """
    statement = (
        select(BaseAssetGroup, Asset)
        .join(Asset, Asset.id == BaseAssetGroup.adopted_asset_id)
        .where(BaseAssetGroup.project_id == project.id, BaseAssetGroup.triview_of.is_(None))
        .order_by(BaseAssetGroup.created_at, BaseAssetGroup.id)
    )
    pictures = []
    for group, asset in session.execute(statement):
        kind = GroupKind(group.kind)
        if kind is GroupKind.PRODUCT or group_state(project, group.id) is AdoptState.ADOPTED:
            pictures.append(EntityPicture(ROLE_OF_KIND[kind], asset, group.label, kind))
    if not any(picture.kind is GroupKind.PRODUCT for picture in pictures):
        pictures.extend(_main_image(session, project))
    return sorted(pictures, key=lambda picture: _WEIGHT[picture.kind])


def _main_image(session: Session, project: Project) -> list[EntityPicture]:
    if project.product_id is None:
        return []
    product = Products(session, project.team_id).get_any(project.product_id)
    if product.cover is None:
        return []
    return [EntityPicture(ReferenceRole.PRODUCT, product.cover.asset, "", GroupKind.PRODUCT)]


def on_face_bearing(registry: Registry, handler: FaceHandler) -> None:
    """Have ``handler`` called for every new asset that shows a character: its own, and its shots."""
    registry.setdefault(_HANDLERS, []).append(handler)


def file_candidate(
    session: Session, registry: Registry, project: Project, group: BaseAssetGroup, asset: Asset
) -> None:
    """Add an asset to a group of a locked project and let the group use it; tell of a face."""
    add_candidate(session, project, group, asset.id)
    if group.kind == GroupKind.PERSON:
        tell_of_face(session, registry, asset)


def tell_of_face(session: Session, registry: Registry, asset: Asset) -> None:
    """Tell the handlers of a new asset that shows a character."""
    for handler in cast("list[FaceHandler]", registry.get(_HANDLERS, [])):
        handler(session, registry, asset)
