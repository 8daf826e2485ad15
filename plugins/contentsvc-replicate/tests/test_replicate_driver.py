"""What the distribution declares, and its check."""

from __future__ import annotations

from importlib import metadata
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from contentsvc.plugin import AuthenticationFailed, Model, ProviderError
from contentsvc.testing import Reply, serving
from contentsvc_declared import Declaration
from contentsvc_replicate import ReplicatePlugin, plugin
from contentsvc_replicate.predictions import check


def checked(reply: Reply) -> tuple[str, str]:
    """What the check says, and the path it asked for."""
    with serving(lambda _: reply) as server, httpx.Client(trust_env=False) as client:
        context: Any = SimpleNamespace(base_url=server.url, secret="r8_token", http=client)
        sentence = check(context)
        [request] = server.requests
        return sentence, f"{request.method} {request.path}"


def test_the_entry_point_leads_to_the_plugin() -> None:
    [entry] = [
        entry for entry in metadata.entry_points(group="contentsvc.plugins") if entry.name == "replicate"
    ]
    assert entry.load() is plugin


def test_every_model_has_options_that_can_be_used_and_none_is_a_default() -> None:
    models: list[Model] = []
    ReplicatePlugin().contentsvc_register_models(register=models.append)
    assert [model.name for model in models] == ["flux-dev", "nano-banana-2", "nano-banana-2", "seedance-2.0"]
    assert all(Declaration.of(model.options).input.prompt for model in models)
    assert not any(model.is_default for model in models)


def test_the_check_asks_whose_token_it_is() -> None:
    sentence, asked = checked(Reply.json({"type": "organization", "username": "acme", "name": "Acme"}))
    assert "of the account acme" in sentence
    assert asked == "GET /account"


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply.json({"detail": "Invalid token"}, 401), AuthenticationFailed),
        (Reply.json({"detail": "Sorry"}, 502), ProviderError),
        (Reply.json({"username": "<b>acme</b>"}), ProviderError),
    ],
)
def test_the_check_tells_what_is_wrong(reply: Reply, error: type[Exception]) -> None:
    with pytest.raises(error):
        checked(reply)
