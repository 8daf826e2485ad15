"""Two thousand running videos, asked for by one process, while one of two providers hangs."""

from __future__ import annotations

import socket
import time
import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from contentsvc.db.session import transaction_scope
from contentsvc.generation.admission import POLL_KIND
from contentsvc.generation.models import AITask, TaskStatus, TaskType
from contentsvc.jobs.models import Job, Queue
from contentsvc.plugin import BillingUnit, Capability
from contentsvc.providers.models import ModelConfig, Provider
from tests.fakes.provider import FakeProvider, Reply
from tools.bench.figures import Figure, percentile
from tools.bench.house import INI, House, house, with_plugins

VIDEOS = 2000
THREADS = 16
SECONDS = 50.0
SETTLING_SECONDS = 2.0
# So many polls have made the interval the longest one.
ASKED_BEFORE = 20


class Asked(FakeProvider):
    """A provider whose work never ends, and when he was asked for which job."""

    def __init__(self) -> None:
        super().__init__()
        self.default = Reply.json(202, {"progress": 0.5})
        self.times: defaultdict[str, list[float]] = defaultdict(list)

    def poll(self, job_id: str) -> Reply:
        self.times[job_id].append(time.time())
        return self.default


def measure(folder: Path) -> Iterator[Figure]:
    """Half of the videos at a provider who answers, half at one who takes calls and says nothing."""
    own = folder / "polls"
    own.mkdir()
    with with_plugins(), _asked() as healthy, _hanging() as silent, house(own, _ini(own)) as running:
        interval = running.registry["contentsvc.settings"].generation.poll_max_seconds
        _add_videos(running, silent, interval)
        due = _add_videos(running, healthy.url, interval)
        time.sleep(SECONDS)
        end = time.time()
        times = {job: list(asked) for job, asked in healthy.times.items()}
    late = list(_lateness(due, times, interval, end))
    yield Figure(
        f"Lateness of polls, {VIDEOS} videos running, every second one at a provider who hangs",
        " / ".join(f"{percentile(late, share):.2f}" for share in (0.5, 0.95, 1)) + " s",
        f"p50 / p95 / largest of {len(late)} at the other one; one worker of {THREADS} threads, "
        f"an interval of {interval:.0f} s",
    )


@contextmanager
def _asked() -> Iterator[Asked]:
    provider = Asked()
    try:
        yield provider
    finally:
        provider.close()


@contextmanager
def _hanging() -> Iterator[str]:
    """The address of a server whose kernel takes connections that nobody answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=VIDEOS) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def _ini(folder: Path) -> Path:
    """development.ini with as many polling threads as a big installation has."""
    path = folder / "polls.ini"
    path.write_text(
        INI.read_text(encoding="utf-8").replace("workers.poll = 2", f"workers.poll = {THREADS}"),
        encoding="utf-8",
    )
    return path


def _add_videos(running: House, url: str, interval: float) -> dict[str, float]:
    """Half of the videos, asked for often before, the next times spread over one interval from now.

    When each is due, in seconds of the system's clock, by the provider's name for it.
    """
    ids = [uuid.uuid4() for _ in range(VIDEOS // 2)]
    with transaction_scope(running.registry) as session:
        provider = Provider(name=f"bench-{uuid.uuid4()}", display_name="Bench", driver="fake", base_url=url)
        model = ModelConfig(
            name="bench",
            display_name="Bench",
            capability=Capability.VIDEO_GENERATION,
            billing_unit=BillingUnit.TASK,
            provider=provider,
        )
        session.add_all([provider, model])
        session.flush()
        session.execute(insert(AITask), [_task(running, model, one) for one in ids])
        first = time.time() + SETTLING_SECONDS
        due = {str(one): first + interval * place / len(ids) for place, one in enumerate(ids)}
        session.execute(insert(Job), [_job(one, due[str(one)]) for one in ids])
    return due


def _task(running: House, model: ModelConfig, task_id: uuid.UUID) -> dict[str, Any]:
    return {
        "id": task_id,
        "team_id": running.team_id,
        "task_type": TaskType.FREE_VIDEO,
        "status": TaskStatus.POLLING,
        "estimated_cost": Decimal(1),
        "model_config_id": model.id,
        "model_name": model.name,
        "provider_name": model.provider.name,
        "remote_job_id": str(task_id),
        "submitted_at": datetime.now(UTC),
        "created_by": running.owner_id,
    }


def _job(task_id: uuid.UUID, due: float) -> dict[str, Any]:
    return {
        "kind": POLL_KIND,
        "subject_id": task_id,
        "queue": Queue.POLL,
        "attempt": ASKED_BEFORE,
        "ring_at": datetime.fromtimestamp(due, UTC),
    }


def _lateness(
    due: Mapping[str, float], times: Mapping[str, Sequence[float]], interval: float, end: float
) -> Iterator[float]:
    """By how many seconds each poll came after the last one and an interval; what never came counts."""
    for job, first in due.items():
        expected = first
        for asked in times.get(job, ()):
            yield max(0.0, asked - expected)
            expected = asked + interval
        if end > expected:
            yield end - expected
