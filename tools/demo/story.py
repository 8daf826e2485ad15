"""What the demo does: found a team, photograph a product, order pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.demo.client import Client

CREDITS = "50.00"
PASSWORD = "a demo's own password"

PRODUCT = {
    "title": "House Espresso",
    "brand": "Pikolo",
    "category": "Coffee",
    "target_audience": "People who take three minutes for a coffee",
    "description": "A short, syrupy espresso from a neighbourhood bar, served in a warm red cup.",
    "specs": {"Roast": "Medium", "Volume": "30 ml", "Extraction": "27 s", "Served": "Red stoneware cup"},
    "selling_points": [
        {"title": "Roasted this week", "detail": "Small batches, never older than ten days."},
        {"title": "Pulled to order", "detail": "Ground for your cup, not for the queue."},
        {"title": "A warm cup", "detail": "Preheated stoneware keeps the crema."},
    ],
}


@dataclass
class Chapter:
    """Pictures that belong together on the contact sheet."""

    title: str
    text: str
    assets: list[dict[str, Any]] = field(default_factory=list)


def found_team(base_url: str, admin_password: str) -> Client:
    """A new team with credits, made as an operator and a customer would; the owner's client."""
    admin = sign_in(base_url, "admin", admin_password)
    invitation = admin.post("/api/admin/invitations/")
    owner = Client(base_url).post(
        "/api/auth/register/",
        {
            "username": "demo.owner",
            "password": PASSWORD,
            "invite_code": invitation["code"],
            "team_name": "Demo shop",
        },
    )
    admin.post(
        "/api/admin/ledgers/adjust/",
        {"team": owner["team"]["id"], "amount": CREDITS, "reason": "credits for the demo"},
    )
    return Client(base_url, owner["token"])


def sign_in(base_url: str, username: str, password: str) -> Client:
    """A signed-in user's client."""
    login = Client(base_url).post("/api/auth/login/", {"username": username, "password": password})
    return Client(base_url, login["token"])


def add_product(client: Client, photo: Path) -> dict[str, Any]:
    """Upload the photo and describe what it shows."""
    asset = client.upload("/api/assets/upload/", photo, category="product")
    product: dict[str, Any] = client.post(
        "/api/products/", {**PRODUCT, "cover_asset": asset["id"], "images": [{"asset": asset["id"]}]}
    )
    return product


def make_pictures(client: Client, product: dict[str, Any]) -> list[Chapter]:
    """A platform set, a presenter with try-ons, and free creations."""
    kit = client.pictures(
        "Platform set",
        {
            "mode": "cover",
            "prompt": "Warm morning light, calm and honest",
            "product_id": product["id"],
            "count": 8,
            "ratio": "1:1",
        },
    )
    story = client.pictures(
        "Platform set, 9:16",
        {
            "mode": "cover",
            "prompt": "Warm morning light, calm and honest",
            "product_id": product["id"],
            "count": 2,
            "ratio": "9:16",
        },
    )
    portrait = client.pictures(
        "Presenter",
        {"mode": "model", "prompt": "a friendly woman with dark hair in a linen shirt", "ratio": "3:4"},
    )
    presenter = client.post("/api/models/enroll-asset/", {"asset_id": portrait[0]["id"], "name": "Mara"})
    try_on = client.pictures(
        "Try-on",
        {
            "mode": "model",
            "prompt": "Mara presents the espresso",
            "product_id": product["id"],
            "model_entity_id": presenter["id"],
            "count": 3,
            "ratio": "3:4",
        },
    )
    free = client.pictures(
        "Free creation",
        {
            "mode": "image",
            "prompt": "An autumn poster: the first coffee of a foggy morning",
            "product_id": product["id"],
            "reference_product": True,
            "count": 3,
            "ratio": "2:3",
        },
    )
    return [
        Chapter("Platform set", "One photo, a layout a picture; facts and points are the shop's.", kit),
        Chapter("For stories", "The same set at 9:16.", story),
        Chapter("Presenter", "Drawn, and labelled as an illustration in its metadata.", portrait),
        Chapter("Try-on", "The presenter with the product.", try_on),
        Chapter("Free creation", "From a sentence and the photo.", free),
    ]
