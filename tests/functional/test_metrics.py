"""The figures of the whole service: the same in every process, since they are the database's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import update
from webtest import TestApp

from contentsvc.http.metrics import Family, Kind, Sample, render
from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.clock import in_seconds
from contentsvc.jobs.models import Job, Queue
from tests.fakes.provider import fake_provider
from tests.functional.conftest import Client
from tests.functional.generating import Database, Studio, add_fake_models, order
from tests.functional.queries import count_queries

LINE = re.compile(r'[a-z_]+(\{([a-z_]+="([^"\\\n]|\\.)*",?)+\})? (\d+(\.\d+)?(e-\d+)?)')
Scrape = Callable[[], dict[str, float]]


@pytest.fixture
def scrape(api: TestApp) -> Scrape:
    """Every series with its value."""

    def read() -> dict[str, float]:
        text = api.get("/api/metrics/", extra_environ={"REMOTE_ADDR": "127.0.0.1"}).text
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}

    return read


@pytest.fixture
def studio(registry: Registry, database: Database) -> Iterator[Studio]:
    with fake_provider() as server:
        with database() as session:
            add_fake_models(session, server.url)
        beat_once(registry, list(Queue))
        yield Studio(registry, database, server)


def of(figures: dict[str, float], name: str) -> dict[str, float]:
    """The series of one family that are not zero, by their labels."""
    start = f"contentsvc_{name}"
    return {
        key.removeprefix(start): value for key, value in figures.items() if key.startswith(start) and value
    }


def test_every_line_is_a_sample_or_a_comment(api: TestApp) -> None:
    text = api.get("/api/metrics/", extra_environ={"REMOTE_ADDR": "127.0.0.1"}).text
    strange = [line for line in text.splitlines() if not (line.startswith("# ") or LINE.fullmatch(line))]
    assert strange == []


def test_every_source_is_up(scrape: Scrape) -> None:
    figures = scrape()
    assert [
        figures[f'contentsvc_source_up{{source="{name}"}}']
        for name in ("billing", "jobs", "providers", "tasks")
    ] == [1] * 4


def test_running_work_is_told(studio: Studio, owner: Client, scrape: Scrape, database: Database) -> None:
    order(owner, count=2)
    with database() as session:
        session.execute(update(Job).values(ring_at=in_seconds(-90)))
    figures = scrape()
    assert of(figures, "tasks_open") == {'{status="RESERVED",task_type="free_image"}': 2}
    assert of(figures, "jobs{") == {'queue="generate",state="due"}': 2}
    assert 90 <= figures['contentsvc_job_oldest_due_seconds{queue="generate"}'] < 600
    assert figures["contentsvc_credits_frozen"] == 0.6
    assert figures["contentsvc_reservations_open"] == 2


def test_what_became_of_it_is_told(studio: Studio, owner: Client, scrape: Scrape) -> None:
    order(owner)
    studio.work()
    figures = scrape()
    assert of(figures, "tasks_open") == {}
    assert of(figures, "tasks_last_day") == {'{status="succeeded",task_type="free_image"}': 1}
    assert of(figures, "provider_calls_last_hour") == {'{provider="fake",outcome="succeeded"}': 1}
    assert figures["contentsvc_credits_balance"] == 99.7


def test_workers_are_told_by_queue(registry: Registry, scrape: Scrape) -> None:
    assert of(scrape(), "workers_online") == {}
    beat_once(registry, [Queue.POLL])
    assert of(scrape(), "workers_online") == {'{queue="poll"}': 1}


def test_a_scrape_takes_a_fixed_number_of_queries(
    studio: Studio, owner: Client, registry: Registry, scrape: Scrape
) -> None:
    with count_queries(registry) as few:
        scrape()
    order(owner, count=3)
    with count_queries(registry) as many:
        scrape()
    assert len(many) == len(few)


def test_label_values_are_escaped() -> None:
    family = Family("odd", Kind.GAUGE, "Odd names.", [Sample(Decimal("1.50"), {"name": 'a"b\\c\nd'})])
    assert render([family]).splitlines()[2] == 'contentsvc_odd{name="a\\"b\\\\c\\nd"} 1.50'


def test_a_teams_token_is_no_key(owner: Any) -> None:
    assert owner.get("/api/metrics/", status=403).json["code"] == "permission_denied"
