"""The products of one team."""

from __future__ import annotations

import uuid
from typing import Final

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import Session

from contentsvc import plugin
from contentsvc.assets.models import Asset
from contentsvc.assets.services import Assets
from contentsvc.http.errors import ApiError, ErrorCode, NotFound
from contentsvc.http.pagination import Slice, fetch_page
from contentsvc.products.gallery import (
    Gallery,
    arrange,
    hang,
    mark_cover,
    next_order,
    present_places,
    sent_places,
    without,
)
from contentsvc.products.models import Product, ProductImage, ProductStatus, SellingPoint
from contentsvc.products.schemas import (
    MAX_IMAGES,
    ProductCreate,
    ProductPatch,
    ProductQuery,
    SellingPointIn,
)

_PLAIN: Final = ("title", "brand", "category", "target_audience", "description", "specs")


class Products:
    """Products of a team. Every change locks the product's row first, so changes of one
    product happen one after the other."""

    def __init__(self, session: Session, team_id: uuid.UUID) -> None:
        self._session = session
        self._team_id = team_id

    def page(self, query: ProductQuery) -> Slice:
        """A page of the active products."""
        return self._page(ProductStatus.ACTIVE, query)

    def trash(self, query: ProductQuery) -> Slice:
        """A page of the archived products."""
        return self._page(ProductStatus.ARCHIVED, query)

    def get(self, product_id: uuid.UUID) -> Product:
        """An active product. Raises NotFound."""
        return _found(self.find_active(product_id))

    def find_active(self, product_id: uuid.UUID) -> Product | None:
        """An active product of the team, None when there is none of that id."""
        return self._session.scalar(self._select(ProductStatus.ACTIVE).where(Product.id == product_id))

    def get_any(self, product_id: uuid.UUID) -> Product:
        """An active or archived product. Raises NotFound."""
        return _found(self._session.scalar(self._select().where(Product.id == product_id)))

    def create(self, fields: ProductCreate, created_by: uuid.UUID) -> Product:
        """A new product. Raises FieldErrors about its images."""
        gallery = self._gallery(fields, None)
        product = Product(team_id=self._team_id, created_by=created_by)
        for name in _PLAIN:
            setattr(product, name, getattr(fields, name))
        product.selling_points = _selling_points([], fields.selling_points)
        self._session.add(product)
        hang(self._session, product, gallery)
        return self._changed(product)

    def update(self, product_id: uuid.UUID, fields: ProductPatch) -> Product:
        """Change what was sent. Raises NotFound, FieldErrors about images."""
        product = self._lock(product_id, ProductStatus.ACTIVE)
        sent = fields.model_fields_set
        if not sent:
            return product
        for name in sent.intersection(_PLAIN):
            setattr(product, name, getattr(fields, name))
        if "selling_points" in sent:
            product.selling_points = _selling_points(product.selling_points, fields.selling_points)
        if sent & {"images", "cover_asset"}:
            hang(self._session, product, self._gallery(fields, product))
        return self._changed(product)

    def require_room(self, product: Product) -> None:
        """Raise ApiError when the product can't take another image."""
        if len(product.images) >= MAX_IMAGES:
            raise ApiError(ErrorCode.CONFLICT, f"A product has at most {MAX_IMAGES} images.", status=400)

    def add_image(self, product_id: uuid.UUID, asset: Asset) -> Product:
        """Hang an asset behind the others. Raises NotFound, ApiError when there is no room."""
        product = self._lock(product_id, ProductStatus.ACTIVE)
        self.require_room(product)
        order = next_order([image.sort_order for image in product.images])
        added = ProductImage(asset_id=asset.id, sort_order=order)
        mark_cover(self._session, product, [*product.images, added], product.cover_asset or asset.id)
        return self._changed(product)

    def remove_image(self, product_id: uuid.UUID, image_id: uuid.UUID) -> Product:
        """Take an image away. Raises NotFound, ApiError for the last one."""
        product = self._lock(product_id, ProductStatus.ACTIVE)
        removed = next((image for image in product.images if image.id == image_id), None)
        if removed is None:
            raise NotFound
        if len(product.images) == 1:
            raise ApiError(ErrorCode.CONFLICT, "A product keeps at least one image.", status=400)
        mark_cover(self._session, product, *without(product.images, removed))
        return self._changed(product)

    def archive(self, product_id: uuid.UUID) -> None:
        """Move an active product to the trash. Raises NotFound."""
        product = self._lock(product_id, ProductStatus.ACTIVE)
        product.status = ProductStatus.ARCHIVED
        product.archived_at = func.clock_timestamp()
        self._changed(product)

    def restore(self, product_id: uuid.UUID) -> Product:
        """Bring a product back from the trash. Raises NotFound, ApiError for an active one."""
        product = self._lock_archived(product_id)
        product.status = ProductStatus.ACTIVE
        product.archived_at = None
        return self._changed(product)

    def purge(self, product_id: uuid.UUID) -> None:
        """Remove an archived product for good; assets and tasks stay, without a product.

        Raises NotFound, ApiError for an active one.
        """
        self._session.delete(self._lock_archived(product_id))
        self._session.flush()

    def facts(self, product: Product) -> plugin.ProductFacts:
        """What a provider is told of the product."""
        return plugin.ProductFacts(
            title=product.title,
            brand=product.brand,
            category=product.category,
            target_audience=product.target_audience,
            description=product.description,
            specs=dict(product.specs),
            selling_points=tuple(
                plugin.SellingPoint(title=point.title, detail=point.detail)
                for point in product.selling_points
            ),
        )

    def cover(self, product: Product) -> Asset:
        """The asset of the primary image. Raises ApiError for a product that has lost its images."""
        if product.cover is None:
            raise ApiError(ErrorCode.CONFLICT, "The product has no image.", status=400)
        return product.cover.asset

    def _page(self, status: ProductStatus, query: ProductQuery) -> Slice:
        statement = self._select(status)
        for column, wanted in ((Product.category, query.category), (Product.brand, query.brand)):
            if wanted:
                statement = statement.where(column == wanted)
        if query.q:
            texts = (Product.title, Product.brand, Product.description)
            statement = statement.where(or_(*(text.icontains(query.q, autoescape=True) for text in texts)))
        return fetch_page(self._session, _ordered(statement, query.ordering), query)

    def _select(self, *statuses: ProductStatus) -> Select[Product]:
        statement = select(Product).where(Product.team_id == self._team_id)
        return statement.where(Product.status.in_(statuses)) if statuses else statement

    def _lock(self, product_id: uuid.UUID, *statuses: ProductStatus) -> Product:
        statement = (
            self._select(*statuses)
            .where(Product.id == product_id)
            .with_for_update(key_share=True)
            .execution_options(populate_existing=True)
        )
        return _found(self._session.scalar(statement))

    def _lock_archived(self, product_id: uuid.UUID) -> Product:
        product = self._lock(product_id)
        if product.status != ProductStatus.ARCHIVED:
            raise ApiError(ErrorCode.NOT_ARCHIVED, "The product is not in the trash.")
        return product

    def _gallery(self, fields: ProductCreate, product: Product | None) -> Gallery:
        images = fields.images if product is None or "images" in fields.model_fields_set else None
        owned = {image.asset_id for image in product.images} if product else set()
        references = [(image.field(index), image.asset) for index, image in enumerate(images or ())]
        if fields.cover_asset is not None:
            references.append(("cover_asset", fields.cover_asset))
        Assets(self._session, self._team_id).require_images(
            [(field, asset_id) for field, asset_id in references if asset_id not in owned]
        )
        places = present_places(product) if product and images is None else sent_places(images or ())
        return arrange(places, cover=fields.cover_asset, old_cover=product.cover_asset if product else None)

    def _changed(self, product: Product) -> Product:
        product.updated_at = func.clock_timestamp()
        self._session.flush()
        self._session.refresh(product)
        return product


def _found(product: Product | None) -> Product:
    if product is None:
        raise NotFound
    return product


def _ordered(statement: Select[Product], ordering: str) -> Select[Product]:
    columns = (getattr(Product, ordering.removeprefix("-")), Product.id)
    return statement.order_by(*(c.desc() if ordering.startswith("-") else c.asc() for c in columns))


def _selling_points(present: list[SellingPoint], sent: list[SellingPointIn]) -> list[SellingPoint]:
    known = {str(point.id): point for point in present}
    points = []
    for index, item in enumerate(sent):
        point = known.pop((item.id or "").lower(), None) or SellingPoint()
        point.title = item.title
        point.detail = item.detail
        point.sort_order = index if item.sort_order is None else item.sort_order
        points.append(point)
    return points
