"""Script versions: which one counts, and edits by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.projecting import act, add_project, add_script, read_project


@pytest.fixture
def project(registry: Any, owner: Any) -> str:
    return add_project(registry, owner.team_id)


def test_adopting_moves_the_project_to_its_base_assets(registry: Any, owner: Any, project: str) -> None:
    script = add_script(registry, owner.team_id, project)

    reply = act(owner, project, "adopt-script", {"script_version_id": script["id"]}).json

    assert (reply["id"], reply["is_adopted"]) == (script["id"], True)
    assert reply["adopted_at"].endswith("Z")
    shown = read_project(owner, project)
    assert (shown["stage"], shown["status"]) == ("base_assets", "in_progress")
