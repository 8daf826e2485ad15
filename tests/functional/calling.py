"""Calls of a provider whose backend does what the test says."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from contentsvc.plugin import (
    Capability,
    Done,
    Driver,
    GeneratedFile,
    ImageResult,
    Pending,
    PluginSetting,
)
from contentsvc.providers.calls import provider_call
from contentsvc.providers.models import ModelConfig, Provider
from contentsvc.providers.plugins import Plugin, Plugins, plugins_of
from contentsvc.providers.plugins import install as install_plugins
from contentsvc.security.secrets import secret_box_of
from tests.canary import key_of

CANARY = key_of("acme")
SOURCE = Plugin("acme", "contentsvc-acme", "1.0")
Call = Callable[..., AbstractContextManager[Any]]


class Backend:
    """Does what the request, a function of the context, says."""

    def start(self, request: Any, ctx: Any) -> Any:
        return request(ctx)

    def poll(self, job_id: str, _ctx: Any) -> Any:
        return Pending(0.5) if job_id == "running" else job_id


class Unmakeable(Backend):
    def __init__(self) -> None:
        raise RuntimeError("no licence file")


def add_model(registry: Any, database: Any) -> ModelConfig:
    """A model with an API key, of a driver whose settings have a default."""
    with database() as session:
        provider = Provider(
            name="acme",
            display_name="Acme",
            driver="acme",
            base_url="http://127.0.0.1:9",
            api_key_encrypted=secret_box_of(registry).encrypt(CANARY),
        )
        row = ModelConfig(
            provider=provider,
            name="one",
            display_name="One",
            capability="image_generation",
            billing_unit="image",
            endpoint="v1",
            options={"style": "warm"},
        )
        session.add(row)
    return row


@contextmanager
def drivers(registry: Any) -> Iterator[Callable[..., None]]:
    """``use(backend, needs_secret=True)``: driver ``acme`` is backed by this class, at first ``Backend``."""
    before = plugins_of(registry)

    def use(backend: type[Any], *, needs_secret: bool = True) -> None:
        driver = Driver(
            "acme",
            "Acme",
            {Capability.IMAGE_GENERATION: backend},
            settings=(PluginSetting("quality", "80", "JPEG quality"),),
            needs_secret=needs_secret,
        )
        plugins = Plugins()
        plugins.declared.drivers["acme"] = (SOURCE, driver)
        plugins.settings["acme"] = {"quality": "80"}
        install_plugins(registry, plugins)

    use(Backend)
    yield use
    install_plugins(registry, before)


def caller(registry: Any, model: ModelConfig, team_id: uuid.UUID) -> Call:
    """``with call(...) as (backend, ctx)``, for this team unless told."""

    def make(**arguments: Any) -> AbstractContextManager[Any]:
        defaults: dict[str, Any] = {
            "team_id": team_id,
            "idempotency_key": "order-1",
            "on_progress": lambda _fraction: None,
            "is_cancelled": lambda: False,
        }
        return provider_call(registry, model, **defaults | arguments)

    return make


def raising(error: Exception) -> Callable[[Any], Any]:
    """A request at which the backend raises this."""

    def act(_ctx: Any) -> Any:
        raise error

    return act


def picture(ctx: Any) -> Done[ImageResult]:
    """What a backend that works at once answers."""
    path: Path = ctx.work_dir / "picture.png"
    path.write_bytes(b"bytes")
    return Done(ImageResult(GeneratedFile(path)))
