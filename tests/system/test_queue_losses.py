"""The doorbell loses everything, or goes away: the work doesn't."""

from __future__ import annotations

import pytest
import redis

from tests.system.farm import Farm
from tests.system.processes import eventually


@pytest.mark.parametrize("queue_settings", ["redis"], indirect=True)
def test_after_flushall_with_50_open_jobs_all_finish(farm: Farm, redis_server: redis.Redis) -> None:
    for _ in range(50):
        farm.order(0.05)
    assert redis_server.dbsize() > 0
    redis_server.flushall()
    farm.start_workers(1)
    eventually(lambda: farm.open_jobs() == 0, what="all jobs to finish")
    assert (farm.settled(), farm.settled_twice()) == (50, 0)


@pytest.mark.parametrize("queue_settings", ["postgres"], indirect=True)
def test_after_the_embedded_queue_is_emptied_with_50_open_jobs_all_finish(farm: Farm) -> None:
    for _ in range(50):
        farm.order(0.05)
    with farm.engine.begin() as connection:
        assert connection.exec_driver_sql("DELETE FROM huey_task").rowcount == 50
    farm.start_workers(1)
    eventually(lambda: farm.open_jobs() == 0, what="all jobs to finish")
    assert (farm.settled(), farm.settled_twice()) == (50, 0)
