"""The route of a product's materials."""

from __future__ import annotations

from typing import Any

from contentsvc.http import ApiRequest, ApiService, Permission
from contentsvc.http.paths import path_id
from contentsvc.products.models import Product
from contentsvc.products.services import Products
from contentsvc.projects.materials.read import Materials
from contentsvc.projects.materials.schemas import MaterialsOut

materials = ApiService("product_materials", "/api/products/{id}/materials/")


def _active(request: ApiRequest) -> Product:
    return Products(request.db, request.identity.team_id).get(path_id(request))


@materials.get(permission=Permission.READ, subject=_active, response=MaterialsOut)
def get_materials(request: ApiRequest) -> dict[str, Any]:
    """All that shows a product.

    Characters of its projects, its own and generated pictures, finished works, and what each
    project has made. Deleted assets are left out.
    """
    return Materials(request.db, request.validated["subject"]).document()
