"""What the distribution declares, and what its check asks."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata

import pytest
from fal_dialects import Pictures

from contentsvc.plugin import ProviderError
from contentsvc.testing import Declared, Kind, Reply, Stage
from contentsvc_declared import Declaration
from contentsvc_fal import plugin


def test_the_entry_point_leads_to_the_plugin() -> None:
    [entry] = [entry for entry in metadata.entry_points(group="contentsvc.plugins") if entry.name == "fal"]
    assert entry.load() is plugin


def test_every_model_has_options_that_can_be_used_and_none_is_a_default() -> None:
    models = Declared.of(plugin).models
    assert [model.name for model in models] == ["flux-dev", "nano-banana", "nano-banana", "wan-2.7"]
    assert all(Declaration.of(model.options).output for model in models)
    assert not any(model.is_default for model in models)


@pytest.mark.parametrize("status", [200, 400, 404, 422])
def test_the_check_asks_after_a_job_that_is_not_there(stage_of: Callable[..., Stage], status: int) -> None:
    stage = stage_of(plugin, Pictures())
    stage.when(Kind.POLL, Reply.json({"detail": "Not found"}, status))
    assert "does not refuse the key" in stage.check_key().answer
    [request] = stage.provider.requests
    assert f"{request.method} {request.path}".startswith("GET /fal-ai/flux/requests/00000000-0000-")


@pytest.mark.parametrize("status", [307, 403, 429])
def test_the_check_tells_what_is_wrong(stage_of: Callable[..., Stage], status: int) -> None:
    stage = stage_of(plugin, Pictures())
    stage.when(Kind.POLL, Reply.json({"detail": "No"}, status))
    stage.refuses(stage.check_key(), ProviderError)
