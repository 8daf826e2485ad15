"""What the distribution declares, and what its check asks."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata

from replicate_dialects import Pictures

from contentsvc.plugin import ProviderError
from contentsvc.testing import Declared, Kind, Reply, Stage
from contentsvc_declared import Declaration
from contentsvc_replicate import plugin


def test_the_entry_point_leads_to_the_plugin() -> None:
    entries = metadata.entry_points(group="contentsvc.plugins")
    [entry] = [entry for entry in entries if entry.name == "replicate"]
    assert entry.load() is plugin


def test_every_model_has_options_that_can_be_used_and_none_is_a_default() -> None:
    models = Declared.of(plugin).models
    assert [model.name for model in models] == ["flux-dev", "nano-banana-2", "nano-banana-2", "seedance-2.0"]
    assert all(Declaration.of(model.options).input.prompt for model in models)
    assert not any(model.is_default for model in models)


def test_the_check_asks_whose_token_it_is(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of(plugin, Pictures())
    stage.when(Kind.POLL, stage.subject.dialect.checked)
    assert "of the account acme" in stage.check_key().answer
    [request] = stage.provider.requests
    assert f"{request.method} {request.path}" == "GET /v1/account"


def test_an_account_with_an_odd_name_is_not_repeated(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of(plugin, Pictures())
    stage.when(Kind.POLL, Reply.json({"username": "<b>acme</b>"}))
    assert "can't be read" in str(stage.refuses(stage.check_key(), ProviderError))
