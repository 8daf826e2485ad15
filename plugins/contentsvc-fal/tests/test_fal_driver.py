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
from contentsvc_fal import FalPlugin, plugin
from contentsvc_fal.queue import check


def checked(reply: Reply) -> tuple[str, str]:
    """What the check says, and the path it asked for."""
    with serving(lambda _: reply) as server, httpx.Client(trust_env=False) as client:
        context: Any = SimpleNamespace(base_url=server.url, secret="id:secret", http=client)
        sentence = check(context)
        [request] = server.requests
        return sentence, f"{request.method} {request.path}"


def test_the_entry_point_leads_to_the_plugin() -> None:
    [entry] = [entry for entry in metadata.entry_points(group="contentsvc.plugins") if entry.name == "fal"]
    assert entry.load() is plugin


def test_every_model_has_options_that_can_be_used_and_none_is_a_default() -> None:
    models: list[Model] = []
    FalPlugin().contentsvc_register_models(register=models.append)
    assert [model.name for model in models] == ["flux-dev", "nano-banana", "nano-banana", "wan-2.7"]
    assert all(Declaration.of(model.options).output for model in models)
    assert not any(model.is_default for model in models)


def test_the_check_asks_after_a_job_that_is_not_there() -> None:
    sentence, asked = checked(Reply.json({"detail": "Not found"}, 404))
    assert "does not refuse the key" in sentence
    assert asked.startswith("GET /fal-ai/flux/requests/00000000-")


@pytest.mark.parametrize(
    ("status", "error"), [(401, AuthenticationFailed), (403, AuthenticationFailed), (502, ProviderError)]
)
def test_the_check_tells_what_is_wrong(status: int, error: type[Exception]) -> None:
    with pytest.raises(error):
        checked(Reply.json({"detail": "No"}, status))
