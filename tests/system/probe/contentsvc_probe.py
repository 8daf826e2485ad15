"""A plugin for tests of real processes.

Jobs that take a while and settle into a table that counts: ``probe_order`` says how long a
job's step takes and how many steps it has; each settlement is a row of ``probe_effect``.
The test makes both tables.

``/probe/version`` tells which version of the module ``probe_version`` the web server runs,
after ``?seconds=`` of waiting; it makes the file ``?begun=`` before it waits.
"""

from __future__ import annotations

import os
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pyramid.security import NO_PERMISSION_REQUIRED
from sqlalchemy import text

from contentsvc.db.session import transaction_scope
from contentsvc.jobs.models import Queue
from contentsvc.jobs.run import JobRun
from contentsvc.plugin import hookimpl

KIND = "probe"


def run_probe(run: JobRun) -> None:
    """One step: wait, and settle or ask for the next one."""
    with transaction_scope(run.registry) as session:
        order = text(
            "UPDATE probe_order SET begun = begun + 1, pid = :pid WHERE id = :id"
            " RETURNING seconds, steps_left"
        )
        seconds, steps_left = session.execute(order, {"pid": os.getpid(), "id": run.subject_id}).one()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if run.lost.wait(0.02):
            return
    with transaction_scope(run.registry) as session:
        if steps_left > 1:
            session.execute(
                text("UPDATE probe_order SET steps_left = steps_left - 1 WHERE id = :id"),
                {"id": run.subject_id},
            )
            kept = run.again(session, 0.1, progress=True)
        else:
            session.execute(text("INSERT INTO probe_effect (order_id) VALUES (:id)"), {"id": run.subject_id})
            kept = run.finish(session)
        if not kept:
            session.rollback()


@hookimpl
def contentsvc_includeme(config: Any) -> None:
    """Register the kind, and the view where a test brings its version."""
    config.add_job_runner(KIND, Queue.GENERATE, run_probe)
    if find_spec("probe_version") is not None:
        version = import_module("probe_version").VERSION

        def show_version(request: Any) -> dict[str, Any]:
            if "begun" in request.params:
                Path(request.params["begun"]).touch()
            time.sleep(float(request.params.get("seconds", 0)))
            return {"version": version, "pid": os.getpid()}

        config.add_route("probe-version", "/probe/version")
        config.add_view(
            show_version, route_name="probe-version", renderer="json", permission=NO_PERMISSION_REQUIRED
        )
