"""The product routes."""

from __future__ import annotations

from typing import Any

from contentsvc.assets.models import AssetCategory, AssetSource
from contentsvc.assets.services import Assets
from contentsvc.http import (
    ApiRequest,
    ApiService,
    Page,
    Permission,
    envelope,
    outside_transaction,
)
from contentsvc.http.operations import UploadSpec
from contentsvc.http.paths import path_id
from contentsvc.products.models import Product
from contentsvc.products.schemas import (
    ImageUploadFields,
    ProductCreate,
    ProductOut,
    ProductPatch,
    ProductQuery,
)
from contentsvc.products.services import Products
from contentsvc.storage.files import MediaKind
from contentsvc.storage.ingest import ingest

products = ApiService("products", "/api/products/")
trash = ApiService("product_trash", "/api/products/trash/")
product = ApiService("product", "/api/products/{id}/")
images = ApiService("product_images", "/api/products/{id}/images/")
image = ApiService("product_image", "/api/products/{id}/images/{image_id}/")
restoring = ApiService("product_restore", "/api/products/{id}/restore/")
purging = ApiService("product_purge", "/api/products/{id}/purge/")

SERVICES = (products, trash, product, images, image, restoring, purging)

IMAGE_UPLOAD = UploadSpec(
    fields=ImageUploadFields, max_bytes=lambda settings: settings.uploads.image_max_bytes
)


def _products(request: ApiRequest) -> Products:
    return Products(request.db, request.identity.team_id)


def _active(request: ApiRequest) -> Product:
    return _products(request).get(path_id(request))


def _any(request: ApiRequest) -> Product:
    return _products(request).get_any(path_id(request))


@products.get(permission=Permission.READ, query=ProductQuery, response=Page[ProductOut])
def list_products(request: ApiRequest) -> dict[str, Any]:
    """List products.

    Active products only, newest first unless ``ordering`` says otherwise. ``q`` is looked for
    in title, brand and description.
    """
    query = request.validated["query"]
    return envelope(request, _products(request).page(query), query)


@products.post(permission=Permission.WORK, body=ProductCreate, response=ProductOut, status=201)
def create_product(request: ApiRequest) -> Product:
    """Create a product.

    It needs an image: upload it as an asset first, then name it in ``images`` or as
    ``cover_asset``. Without a ``cover_asset`` the first primary image is the cover, else the first.
    """
    return _products(request).create(request.validated["body"], request.identity.user.id)


@product.get(permission=Permission.READ, subject=_active, response=ProductOut)
def get_product(request: ApiRequest) -> Product:
    """Get a product."""
    found: Product = request.validated["subject"]
    return found


@product.patch(permission=Permission.WORK, subject=_active, body=ProductPatch, response=ProductOut)
def change_product(request: ApiRequest) -> Product:
    """Change a product.

    Fields left out stay. ``images`` and ``selling_points`` replace the whole list; a selling
    point sent with its ``id`` keeps it.
    """
    return _products(request).update(request.validated["subject"].id, request.validated["body"])


@product.delete(permission=Permission.WORK, subject=_active, status=204)
def archive_product(request: ApiRequest) -> None:
    """Move a product to the trash."""
    _products(request).archive(request.validated["subject"].id)


@images.post(
    permission=Permission.WORK, subject=_active, upload=IMAGE_UPLOAD, response=ProductOut, status=201
)
def add_image(request: ApiRequest) -> Product:
    """Upload an image to a product.

    The picture becomes an asset of the team and the last of the product's images.
    """
    product_id, upload = request.validated["subject"].id, request.validated["upload"]
    _products(request).require_room(request.validated["subject"])
    with outside_transaction(request):
        stored = ingest(request.registry, upload.path, upload.filename, kinds=(MediaKind.IMAGE,))
    asset = Assets(request.db, request.identity.team_id).create(
        stored,
        name=upload.filename,
        category=AssetCategory.PRODUCT,
        source=AssetSource.UPLOADED,
        created_by=request.identity.user.id,
        product_id=product_id,
    )
    return _products(request).add_image(product_id, asset)


@image.delete(permission=Permission.WORK, subject=_active, response=ProductOut)
def remove_image(request: ApiRequest) -> Product:
    """Take an image from a product.

    The asset stays. When the cover is taken, the next image becomes the cover; the last
    image can't be taken.
    """
    return _products(request).remove_image(request.validated["subject"].id, path_id(request, "image_id"))


@trash.get(permission=Permission.READ, query=ProductQuery, response=Page[ProductOut])
def list_trash(request: ApiRequest) -> dict[str, Any]:
    """List archived products.

    Filters and order as in the list of products.
    """
    query = request.validated["query"]
    return envelope(request, _products(request).trash(query), query)


@restoring.post(permission=Permission.WORK, subject=_any, response=ProductOut)
def restore_product(request: ApiRequest) -> Product:
    """Bring a product back from the trash."""
    return _products(request).restore(request.validated["subject"].id)


@purging.delete(permission=Permission.WORK, subject=_any, status=204)
def purge_product(request: ApiRequest) -> None:
    """Remove an archived product for good.

    Its assets and projects stay, without a product.
    """
    _products(request).purge(request.validated["subject"].id)
