"""What a ring costs."""

from __future__ import annotations

import uuid

import pytest
from pyramid.registry import Registry

from contentsvc.jobs.doorbell import Ring, doorbell_of, ring
from contentsvc.jobs.models import Queue


def test_a_ring_waits_for_no_disk(registry: Registry) -> None:
    storage = doorbell_of(registry, Queue.POLL).huey.storage
    assert storage.sql("show synchronous_commit", results=True) == [("off",)]


def test_nobody_looks_whether_a_ring_was_taken_back(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    bell = doorbell_of(registry, Queue.POLL)
    bell.send([bell.message(str(uuid.uuid4()), 0)])
    waiting = bell.huey.dequeue()
    asked: list[object] = []
    monkeypatch.setattr(bell.huey.storage, "peek_many", asked.append)
    monkeypatch.setattr(bell.huey.storage, "pop_data", asked.append)
    bell.huey.execute(waiting)
    assert asked == []


def test_many_rings_arrive_in_their_order(registry: Registry) -> None:
    ids = [uuid.uuid4() for _ in range(5)]
    assert ring(registry, Queue.POLL, [Ring(one, 3) for one in ids])
    huey = doorbell_of(registry, Queue.POLL).huey
    assert [huey.dequeue().args for _ in ids] == [[str(one), 3] for one in ids]
