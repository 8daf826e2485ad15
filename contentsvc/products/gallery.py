"""The images of a product: which there are, in what order, and which one is the cover."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from contentsvc.http.errors import FieldErrors
from contentsvc.products.models import Product, ProductImage
from contentsvc.products.schemas import MAX_IMAGES, ImageIn


@dataclass(frozen=True)
class Place:
    """Where an asset hangs."""

    asset_id: uuid.UUID
    sort_order: int
    is_primary: bool


@dataclass(frozen=True)
class Gallery:
    """Places in display order, and the asset that is the cover."""

    places: tuple[Place, ...]
    cover: uuid.UUID


def sent_places(images: Sequence[ImageIn]) -> list[Place]:
    """The images of a request as places. Raises FieldErrors for an asset named twice."""
    places: list[Place] = []
    seen: set[uuid.UUID] = set()
    repeated: dict[str, list[str]] = {}
    for index, image in enumerate(images):
        if image.asset in seen:
            repeated[image.field(index)] = ["This asset is in the list already."]
        seen.add(image.asset)
        order = index if image.sort_order is None else image.sort_order
        places.append(Place(image.asset, order, image.is_primary))
    if repeated:
        raise FieldErrors(repeated)
    return places


def present_places(product: Product) -> list[Place]:
    """The images a product has, none of them marked: the cover is decided anew."""
    return [Place(image.asset_id, image.sort_order, is_primary=False) for image in product.images]


def arrange(places: Sequence[Place], *, cover: uuid.UUID | None, old_cover: uuid.UUID | None) -> Gallery:
    """Order the places and decide the cover.

    ``cover`` is the asset asked for, added where it is missing. Else the first place marked
    primary is the cover, else the old cover, else the first. Raises FieldErrors on ``images``
    when there is none, or too many.
    """
    hung = sorted(places, key=lambda place: place.sort_order)
    if cover is not None and cover not in {place.asset_id for place in hung}:
        hung.append(Place(cover, next_order([place.sort_order for place in hung]), is_primary=True))
    if not hung:
        raise FieldErrors.one("images", "A product has at least one image.")
    if len(hung) > MAX_IMAGES:
        raise FieldErrors.one("images", f"A product has at most {MAX_IMAGES} images.")
    candidates = [
        cover,
        *(place.asset_id for place in hung if place.is_primary),
        *(place.asset_id for place in hung if place.asset_id == old_cover),
        hung[0].asset_id,
    ]
    chosen = next(asset_id for asset_id in candidates if asset_id is not None)
    return Gallery(tuple(hung), chosen)


def next_order(orders: Sequence[int]) -> int:
    """The sort order behind all others."""
    return min(max(orders, default=-1) + 1, 2**31 - 1)


def hang(session: Session, product: Product, gallery: Gallery) -> None:
    """Give the product these images; an asset that it already has keeps its image's id."""
    present = {image.asset_id: image for image in product.images}
    images = []
    for place in gallery.places:
        image = present.get(place.asset_id) or ProductImage(asset_id=place.asset_id)
        image.sort_order = place.sort_order
        images.append(image)
    mark_cover(session, product, images, gallery.cover)


def mark_cover(session: Session, product: Product, images: list[ProductImage], cover: uuid.UUID) -> None:
    """Make ``images`` the product's, and the one of asset ``cover`` its primary."""
    # The database allows one primary at every statement: the old one goes before the new one comes.
    for image in images:
        image.is_primary = bool(image.is_primary) and image.asset_id == cover
    product.images = images
    session.flush()
    next(image for image in images if image.asset_id == cover).is_primary = True
    session.flush()


def without(images: Sequence[ProductImage], removed: ProductImage) -> tuple[list[ProductImage], uuid.UUID]:
    """The other images, and the asset that is the cover then: the next one's, if it was the cover."""
    position = list(images).index(removed)
    rest = [image for image in images if image is not removed]
    cover = next((image.asset_id for image in rest if image.is_primary), None)
    return rest, cover or rest[position % len(rest)].asset_id
