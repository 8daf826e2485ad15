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
from contentsvc.providers.health import install_circuits
from contentsvc.providers.models import ConfigStatus, ModelConfig, Provider
from tests.fakes.provider import FakeProvider, Reply, fake_provider
from tests.functional.conftest import Client
from tests.functional.projecting import act, add_project, add_script

APPROVED = Reply.json(200, {"approved": True})
REJECTED = Reply.json(200, {"approved": False, "reason": "Nobody can be seen."})
TAKEN = Reply.json(202, {"job": "job-1"})
RUNNING = Reply.json(202, {})
BUSY = Reply(status=429, headers={"Retry-After": "30"})
DOWN = Reply(status=503)
REFUSED = Reply(status=400)

PROCESSING = {"review_status": "processing", "review_error": ""}

MIRA = {"id": "mira", "type": "character", "name": "Mira"}
KITCHEN = {"id": "kitchen", "type": "scene", "name": "Kitchen"}


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
    # Neither is a pause waited for that the provider has asked for.
    install_circuits(registry)
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


def submit(client: Any, asset_id: str, status: int = 200) -> Any:
    """Submit an asset for its review; the reply."""
    return client.post(f"/api/assets/{asset_id}/submit-review/", status=status).json


def cast_project(registry: Registry, client: Client) -> str:
    """A project whose adopted script shows Mira in one segment and a kitchen in two; its id."""
    meta = {"script_entities": [MIRA, KITCHEN]}
    project_id = add_project(registry, client.team_id, meta=meta)
    segments = [
        {"narration": "Mira bakes.", "entity_refs": ["mira", "kitchen"]},
        {"narration": "The oven glows.", "entity_refs": ["kitchen"]},
        {"narration": "Order yours."},
    ]
    add_script(registry, client.team_id, project_id, segments=segments, adopted=True)
    return project_id


def precheck(client: Client, project_id: str) -> Any:
    """What holds a project's videos up; the reply."""
    return client.get(f"/api/projects/{project_id}/video-precheck/").json


def poll(client: Client, project_id: str) -> dict[str, str]:
    """The reviews of a project's faces by asset."""
    reviews: dict[str, str] = act(client, project_id, "poll-reviews").json["reviews"]
    return reviews


def blockers(client: Client, project_id: str) -> list[str]:
    """Assets that hold a project's videos up."""
    return [face["asset_id"] for face in precheck(client, project_id)["blocking"]]
