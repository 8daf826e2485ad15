"""What other domains ask of products."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy.orm import Session

from contentsvc import plugin
from contentsvc.db.tenancy import enter_team
from contentsvc.http.errors import ApiError, NotFound
from contentsvc.products.models import Product
from contentsvc.products.services import Products
from tests.functional.library import add_assets


@pytest.fixture
def created(registry: Any, owner: Any) -> Any:
    first, second = add_assets(registry, owner.team_id, 2)
    return owner.post_json(
        "/api/products/",
        {
            "title": "Cup",
            "brand": "Lume",
            "category": "kitchen",
            "target_audience": "early birds",
            "description": "Glazed by hand.",
            "specs": {"volume": "90 ml"},
            "selling_points": [
                {"title": "Warm", "detail": "For an hour", "sort_order": 2},
                {"title": "Light", "sort_order": 1},
            ],
            "images": [first, second],
            "cover_asset": second,
        },
        status=201,
    ).json


@pytest.fixture
def session(database: Any, owner: Any) -> Iterator[Session]:
    with database() as session:
        enter_team(session, owner.team_id)
        yield session


def test_facts_say_what_the_customer_said(created: Any, owner: Any, session: Session) -> None:
    products = Products(session, owner.team_id)

    facts = products.facts(products.get(uuid.UUID(created["id"])))

    assert facts == plugin.ProductFacts(
        title="Cup",
        brand="Lume",
        category="kitchen",
        target_audience="early birds",
        description="Glazed by hand.",
        specs={"volume": "90 ml"},
        selling_points=(plugin.SellingPoint("Light"), plugin.SellingPoint("Warm", "For an hour")),
    )


def test_cover_is_the_primary_images_asset(created: Any, owner: Any, session: Session) -> None:
    products = Products(session, owner.team_id)

    cover = products.cover(products.get(uuid.UUID(created["id"])))

    assert str(cover.id) == created["cover_asset"]


def test_a_product_that_lost_its_images_has_no_cover(owner: Any, session: Session) -> None:
    product = Product(team_id=owner.team_id, title="Cup")
    session.add(product)
    session.flush()

    with pytest.raises(ApiError) as refusal:
        Products(session, owner.team_id).cover(product)

    assert refusal.value.status == 400


def test_a_product_that_lost_its_images_can_still_be_read(owner: Any, database: Any) -> None:
    with database() as session:
        product = Product(team_id=owner.team_id, title="Cup")
        session.add(product)
        session.flush()

    read = owner.get(f"/api/products/{product.id}/").json

    assert (read["cover_asset"], read["cover_url"], read["images"]) == (None, None, [])


def test_find_active_knows_active_products(created: Any, owner: Any, session: Session) -> None:
    found = Products(session, owner.team_id).find_active(uuid.UUID(created["id"]))

    assert found is not None
    assert found.title == "Cup"


def test_an_archived_product_is_not_active(created: Any, owner: Any, session: Session) -> None:
    owner.delete(f"/api/products/{created['id']}/", status=204)

    assert Products(session, owner.team_id).find_active(uuid.UUID(created["id"])) is None


def test_another_teams_product_is_unknown(created: Any, other: Any, session: Session) -> None:
    products = Products(session, other.team_id)

    assert products.find_active(uuid.UUID(created["id"])) is None
    with pytest.raises(NotFound):
        products.get(uuid.UUID(created["id"]))
