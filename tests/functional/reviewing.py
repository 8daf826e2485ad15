"""A reviewer whose verdicts the test writes, and the steps the tests of reviews share."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyramid.registry import Registry
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from contentsvc.assets.models import AssetReview
from contentsvc.assets.reviews.services import POLL_KIND, START_KIND
from contentsvc.db.session import transaction_scope
from contentsvc.jobs.clock import in_seconds
from contentsvc.jobs.models import Job
from contentsvc.jobs.runner import run_job
from contentsvc.plugin import BillingUnit, Capability
from contentsvc.providers.models import ConfigStatus, ModelConfig, Provider
from tests.fakes.provider import FakeProvider, Reply, fake_provider

APPROVED = Reply.json(200, {"approved": True})
REJECTED = Reply.json(200, {"approved": False, "reason": "Nobody can be seen."})
TAKEN = Reply.json(202, {"job": "job-1"})
RUNNING = Reply.json(202, {})
BUSY = Reply(status=429)
DOWN = Reply(status=503)
REFUSED = Reply(status=400)


@dataclass
class Reviewer:
    """The provider that reviews, and a worker for its jobs in the test's own thread."""

    registry: Registry
    provider: FakeProvider

    def work(self) -> int:
        """Run each open job of a review once, also those that wait for their time; how many."""
        return run_reviews(self.registry)

    def finish(self) -> None:
        """Run them until none is left."""
        finish_reviews(self.registry)

    def waits(self) -> list[float]:
        """Seconds until each open job of a review is rung."""
        left = (Job.ring_at - in_seconds(0)).label("left")
        with transaction_scope(self.registry) as session:
            return [each.total_seconds() for each in session.scalars(select(left).where(*_open_jobs()))]

    def set_options(self, **options: Any) -> None:
        """Replace the options of the model that reviews."""
        with transaction_scope(self.registry) as session:
            _reviewing(session, options=options)

    def close(self) -> None:
        """Let nothing back review any more."""
        with transaction_scope(self.registry) as session:
            _reviewing(session, status=ConfigStatus.INACTIVE)

    def open(self) -> None:
        """Let it be backed again."""
        with transaction_scope(self.registry) as session:
            _reviewing(session, status=ConfigStatus.ACTIVE)

    def age(self, asset_id: str, minutes: float) -> None:
        """Make an asset's review as old as that."""
        with transaction_scope(self.registry) as session:
            session.execute(
                update(AssetReview)
                .where(AssetReview.asset_id == uuid.UUID(asset_id))
                .values(submitted_at=in_seconds(-60 * minutes))
            )

    def handed_in(self) -> list[str]:
        """Names of the pictures the provider was given, in order."""
        return [order["name"] for order in self.provider.orders]


def run_reviews(registry: Registry) -> int:
    """Run each open job of a review once, also those that wait for their time; how many."""
    with transaction_scope(registry) as session:
        jobs = session.execute(select(Job.id, Job.fence).where(*_open_jobs())).all()
    return sum(run_job(registry, job.id, job.fence) for job in jobs)


def finish_reviews(registry: Registry) -> None:
    """Run them until none is left."""
    for _ in range(20):
        if not run_reviews(registry):
            return
    raise AssertionError("there is always another review to ask for")


def _open_jobs() -> tuple[Any, ...]:
    return (Job.kind.in_([START_KIND, POLL_KIND]), Job.state == "open")


def _reviewing(session: Session, **values: Any) -> None:
    chosen = ModelConfig.capability == Capability.ASSET_REVIEW
    session.execute(update(ModelConfig).where(chosen, ModelConfig.is_default).values(**values))


@contextmanager
def reviewer_of(registry: Registry) -> Iterator[Reviewer]:
    """A reviewer that approves at once unless told, as the default model."""
    with fake_provider() as server:
        server.default = APPROVED
        with transaction_scope(registry) as session:
            _reviewing(session, is_default=False)
            provider = Provider(name="reviewer", display_name="Reviewer", driver="fake", base_url=server.url)
            session.add(provider)
            session.flush()
            session.add(
                ModelConfig(
                    provider_id=provider.id,
                    name="reviewer",
                    display_name="Reviewer",
                    capability=Capability.ASSET_REVIEW,
                    billing_unit=BillingUnit.TASK,
                    is_default=True,
                )
            )
        yield Reviewer(registry, server)


def status_of(client: Any, asset_id: str) -> str:
    """An asset's review as its team sees it."""
    status: str = client.get(f"/api/assets/{asset_id}/").json["review_status"]
    return status
