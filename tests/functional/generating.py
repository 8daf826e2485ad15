"""Steps the tests of generation share."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pyramid.registry import Registry
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from contentsvc.assets.reviews.services import POLL_KIND as VERDICT_KIND
from contentsvc.billing.invariants import check
from contentsvc.jobs.models import Job
from contentsvc.jobs.runner import run_due
from contentsvc.plugin import BillingUnit, Capability
from contentsvc.providers.models import ModelConfig, Provider
from tests.fakes.provider import FakeProvider

Database = Callable[..., AbstractContextManager[Session]]


@dataclass
class Studio:
    """A registry with a worker in the test's own thread, and a fake provider to order from."""

    registry: Registry
    database: Database
    provider: FakeProvider

    def work(self) -> None:
        """Run every job, also those that wait for their time; a runner that keeps raising fails the test.

        Verdicts on pictures are not waited for: see ``reviewing``.
        """
        for _ in range(20):
            with self.database() as session:
                session.execute(
                    update(Job)
                    .where(Job.state == "open", Job.lease_until.is_(None), Job.kind != VERDICT_KIND)
                    .values(ring_at=Job.created_at)
                )
            if not run_due(self.registry, limit=50):
                return
        raise AssertionError("there is always another job")

    def set_options(self, name: str, **options: Any) -> None:
        """Replace the options of the models with this name."""
        with self.database() as session:
            for model in session.scalars(select(ModelConfig).where(ModelConfig.name == name)):
                model.options = options

    def faults(self) -> list[str]:
        """What is wrong with the books; empty when everything adds up."""
        with self.database() as session:
            return list(check(session))


def add_fake_models(session: Session, url: str, names: tuple[str, ...] = ("fake-one", "fake-two")) -> None:
    """Models of the fake provider for both picture capabilities, 1 currency unit a picture."""
    provider = session.scalars(select(Provider).where(Provider.name == "fake")).one()
    provider.base_url = url
    for name in names:
        for capability in (Capability.IMAGE_GENERATION, Capability.IMAGE_EDIT):
            session.add(
                ModelConfig(
                    provider_id=provider.id,
                    name=name,
                    display_name=name.title(),
                    capability=capability,
                    unit_price=Decimal("0.02"),
                    billing_unit=BillingUnit.IMAGE,
                )
            )


def add_default_models(session: Session, url: str, *capabilities: Capability) -> None:
    """A fake model for each capability, its default: 0.02 currency units a task or picture."""
    provider = session.scalars(select(Provider).where(Provider.name == "fake")).one()
    provider.base_url = url
    chosen = ModelConfig.capability.in_(capabilities)
    session.execute(update(ModelConfig).where(chosen).values(is_default=False))
    for capability in capabilities:
        is_picture = capability in (Capability.IMAGE_GENERATION, Capability.IMAGE_EDIT)
        session.add(
            ModelConfig(
                provider_id=provider.id,
                name=f"fake-{capability}",
                display_name="Fake",
                capability=capability,
                unit_price=Decimal("0.02"),
                billing_unit=BillingUnit.IMAGE if is_picture else BillingUnit.TASK,
                is_default=True,
            )
        )


def order(client: Any, **body: Any) -> list[str]:
    """Order pictures; the tasks' ids."""
    reply = client.post_json(
        "/api/ai/generate-image/", {"prompt": "a quiet table", "image_model": "fake-one", **body}
    )
    return [task["id"] for task in reply.json["tasks"]]


def read(client: Any, task_id: str) -> Any:
    """A task as the API shows it."""
    return client.get(f"/api/ai/tasks/{task_id}/").json


def ledger_of(client: Any, task_id: str) -> list[str]:
    """Types of the ledger rows of a task, oldest first."""
    rows = client.get("/api/billing/ledgers/", {"page_size": 200}).json["results"]
    return [row["ledger_type"] for row in rows[::-1] if row["task"] == task_id]


def unknown_id() -> str:
    """An id nothing has."""
    return str(uuid.uuid4())
