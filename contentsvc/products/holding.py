"""What products say when an asset is to be purged."""

from __future__ import annotations

import uuid

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from contentsvc.http.errors import ApiError, ErrorCode
from contentsvc.products.gallery import mark_cover, without
from contentsvc.products.models import Product, ProductImage


class ProductImages:
    """Takes the asset out of its products, archived ones included; none may lose its only image."""

    def lock(self, session: Session, asset_id: uuid.UUID) -> None:
        """Lock the products that show the asset."""
        _lock(session, asset_id)

    def let_go(self, session: Session, asset_id: uuid.UUID) -> None:
        """Take it out; another image becomes the cover. Raises ApiError for an only image."""
        # Read anew: what was put to use until the asset was locked counts as well.
        for product in _lock(session, asset_id):
            if len(product.images) == 1:
                raise ApiError(ErrorCode.CONFLICT, "The asset is a product's only image.")
            gone = next(image for image in product.images if image.asset_id == asset_id)
            mark_cover(session, product, *without(product.images, gone))
            product.updated_at = func.clock_timestamp()
        session.flush()


def _lock(session: Session, asset_id: uuid.UUID) -> list[Product]:
    using = select(ProductImage.product_id).where(ProductImage.asset_id == asset_id)
    statement = (
        select(Product)
        .where(Product.id.in_(using))
        .order_by(Product.id)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    )
    return list(session.scalars(statement))
