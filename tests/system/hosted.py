"""A service whose provider is a local server that speaks a real provider's language."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import select

from contentsvc.billing.pricing import PriceSnapshot
from contentsvc.db.session import transaction_scope
from contentsvc.generation.models import AITask
from contentsvc.plugin import Capability
from contentsvc.providers.models import ModelConfig, Provider
from contentsvc.security.secrets import secret_box_of
from contentsvc.testing import ProviderServer, serving
from contentsvc.testing.server import Answer
from tests.system.installation import Installation, Person, installed


@contextmanager
def hosted(
    postgres_url: str, folder: Path, provider: str, answer: Answer, *, key: str = "", **settings: str
) -> Iterator[tuple[Installation, ProviderServer]]:
    """A service of one's own, see :func:`house`, and a provider that is a :func:`guest` there."""
    with house(postgres_url, folder, **settings) as service, guest(service, provider, answer, key) as server:
        yield service, server


@contextmanager
def house(postgres_url: str, folder: Path, **settings: str) -> Iterator[Installation]:
    """A web server and a worker."""
    with installed(postgres_url, folder, **settings) as service:
        service.start_web()
        service.start_worker()
        yield service


@contextmanager
def guest(service: Installation, provider: str, answer: Answer, key: str = "") -> Iterator[ProviderServer]:
    """A declared provider at a local address, with a key if one is told.

    The books are checked at the end.
    """
    with serving(answer) as server:
        _set_up(service, provider, server.url, key)
        yield server
        assert service.faults() == []
        _set_up(service, provider, "", "")


def _set_up(service: Installation, provider: str, url: str, key: str) -> None:
    with transaction_scope(service.registry) as session:
        row = session.scalars(select(Provider).where(Provider.name == provider)).one()
        row.base_url = url
        row.api_key_encrypted = secret_box_of(service.registry).encrypt(key) if key else None


def add_model(service: Installation, provider: str, **values: Any) -> None:
    """A model that the administrator has made."""
    with transaction_scope(service.registry) as session:
        row = session.scalars(select(Provider).where(Provider.name == provider)).one()
        session.add(ModelConfig(provider_id=row.id, display_name=values["name"], **values))


def make_default(service: Installation, provider: str, capability: Capability) -> None:
    """Make the provider's first model of a capability the one that orders get."""
    with transaction_scope(service.registry) as session:
        models = (
            session.scalars(select(ModelConfig).where(ModelConfig.capability == capability)).unique().all()
        )
        for model in models:
            model.is_default = False
        session.flush()
        next(model for model in models if model.provider.name == provider).is_default = True


def uploaded(person: Person, picture: bytes) -> str:
    """The id of a picture the person has uploaded."""
    reply = person.http.post("/api/assets/upload/", files={"file": ("cup.png", picture)})
    return str(reply.raise_for_status().json()["id"])


def clip_ordered(person: Person, **body: Any) -> str:
    """The task of a free video that was ordered."""
    reply = person.http.post("/api/ai/generate-video/", json={"prompt": "steam rises from a cup", **body})
    assert reply.status_code == httpx.codes.ACCEPTED, reply.text
    return str(reply.json()["task"]["id"])


def work_of(person: Person, task: Any) -> bytes:
    """The bytes of the one asset a task has made."""
    assert task["status"] == "succeeded", task["error_message"]
    [asset] = task["assets"]
    return person.http.get(asset["preview_url"]).raise_for_status().content


def units_charged(service: Installation, task: Any) -> Decimal:
    """How many units were charged, where the charge is what these cost."""
    with transaction_scope(service.registry) as session:
        price = session.get_one(AITask, uuid.UUID(task["id"])).price
    units = Decimal(price["units_actual"])
    fields = {name: price[name] for name in PriceSnapshot.model_fields}
    assert PriceSnapshot.model_validate(fields).charge_for(units) == Decimal(task["actual_cost"])
    return units
