"""From a product photo to finished pictures, through real processes and the default provider."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from tests.conftest import SAMPLE_PHOTO
from tests.system.installation import Installation, Person, installed


@pytest.fixture
def service(postgres_url: str, tmp_path: Path) -> Iterator[Installation]:
    with installed(postgres_url, tmp_path) as made:
        made.start_web()
        made.start_worker()
        yield made
        assert made.faults() == []


@pytest.fixture
def person(service: Installation) -> Person:
    return service.person()


def _product_of(person: Person, photo: Path) -> str:
    with photo.open("rb") as file:
        asset = person.http.post("/api/assets/upload/", files={"file": (photo.name, file)})
    body = {
        "title": "Espresso cup",
        "selling_points": [{"title": "Keeps hot for an hour"}, {"title": "Fired twice"}],
        "images": [asset.raise_for_status().json()["id"]],
    }
    product: str = person.http.post("/api/products/", json=body).raise_for_status().json()["id"]
    return product


def _order_set(person: Person, product: str) -> list[Any]:
    """A finished platform set: its tasks."""
    order = {"prompt": "breakfast at a window", "mode": "cover", "product_id": product, "count": 2}
    reply = person.http.post("/api/ai/generate-image/", json=order)
    assert reply.status_code == httpx.codes.ACCEPTED, reply.text
    return [person.finished(task["id"], 60) for task in reply.json()["tasks"]]


def test_a_photo_becomes_a_platform_set(person: Person) -> None:
    tasks = _order_set(person, _product_of(person, SAMPLE_PHOTO))
    assert [task["status"] for task in tasks] == ["succeeded", "succeeded"]
    pictures = [
        person.http.get(task["assets"][0]["preview_url"]).raise_for_status().content for task in tasks
    ]
    opened = [Image.open(io.BytesIO(data)) for data in pictures]
    for picture in opened:
        picture.load()
        assert max(picture.size) >= 1024
    assert pictures[0] != pictures[1]
