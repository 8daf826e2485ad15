"""A provider's key stays where it belongs, however careless the plugin that was given it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyramid.registry import Registry
from webtest import TestApp

from contentsvc.db.session import engine_of
from contentsvc.jobs.beats import beat_once
from contentsvc.jobs.models import Queue
from contentsvc.plugin import (
    Accepted,
    AuthenticationFailed,
    Capability,
    ContentRejected,
    Context,
    Done,
    Driver,
    GeneratedFile,
    ImageRequest,
    ImageResult,
    OutcomeUnknown,
    Pending,
    ProviderError,
    RateLimited,
    ScriptResult,
    ScriptSegment,
    ScriptText,
    ScriptTool,
    Usage,
)
from contentsvc.providers.plugins import Plugins, install, plugins_of
from tests.canary import MARK, key_of, traces, traces_in_rows
from tests.fakes.provider import PICTURE, Reply, fake_provider
from tests.functional.calling import SOURCE
from tests.functional.conftest import Client
from tests.functional.generating import Database, Studio, order, read
from tests.functional.projecting import add_project
from tests.functional.scripting import Author, kinds

# What JSON and URLs write in another way is in it, too.
CANARY = key_of(f'odd"7+Q={MARK}odd', "sk-")


def _file(ctx: Context, name: str = "picture.png") -> Path:
    path = ctx.work_dir / name
    path.write_bytes(PICTURE)
    return path


def _tell_all(ctx: Context) -> Done[ImageResult]:
    """A picture, and the key wherever there is room for it."""
    key = str(ctx.secret)
    ctx.state["session"] = {"headers": [f"Bearer {key}"], key: 1}
    notes = {"request": {"headers": {"Authorization": f"Bearer {key}"}}, "keys": [key], key: "x"}
    return Done(ImageResult(GeneratedFile(_file(ctx), notes), Usage(Decimal(1), notes)))


def _raise(error: Callable[[str], Exception]) -> Callable[[Context], Any]:
    def act(ctx: Context) -> Any:
        ctx.state["last"] = str(ctx.secret)
        raise error(str(ctx.secret))

    return act


def _chain(ctx: Context) -> Any:
    try:
        float(str(ctx.secret))
    except ValueError as error:
        raise ProviderError(f"Failed with {ctx.secret}.") from error


def _echo(ctx: Context) -> Any:
    """What a provider says who repeats the request in his error."""
    reply = ctx.http.post(f"{ctx.base_url}/images", json={"token": ctx.secret}, params={"key": ctx.secret})
    raise ProviderError(reply.text)


def _progress(ctx: Context) -> Any:
    ctx.progress(float(str(ctx.secret)))


MISDEEDS: dict[str, Callable[[Context], Any]] = {
    "result": _tell_all,
    "defect": _raise(lambda key: KeyError({"authorization": key})),
    "refusal": _raise(lambda key: ContentRejected(f"not with {key}")),
    "login": _raise(lambda key: AuthenticationFailed(f"unknown key {json.dumps(key)}")),
    "rate": _raise(lambda key: RateLimited(f"https://acme.test/?key={key} is too fast", retry_after=0)),
    "lost": _raise(lambda key: OutcomeUnknown(f"sent {key!r}")),
    "chain": _chain,
    "echo": _echo,
    "progress": _progress,
    "file name": lambda ctx: Done(ImageResult(GeneratedFile(_file(ctx, str(ctx.secret))))),
    "folder": lambda ctx: Done(ImageResult(GeneratedFile(Path(str(ctx.secret))))),
    "job": lambda ctx: Accepted(f"job-{ctx.secret}"),
    "answer": lambda ctx: str(ctx.secret),
    "address": lambda ctx: ctx.http.get(f"http://127.0.0.1:9/{ctx.secret}"),
    "refused address": lambda ctx: ctx.http.get(f"http://user:{ctx.secret}@10.0.0.1/"),
    "download": lambda ctx: ctx.download(f"http://127.0.0.1:9/?k={ctx.secret}", name=str(ctx.secret)),
    "later": lambda _ctx: Accepted("job-1"),
}


class Careless:
    """Does the misdeed that the customer's words name."""

    def start(self, request: ImageRequest, ctx: Context) -> Any:
        return MISDEEDS[request.brief](ctx)

    def poll(self, job_id: str, ctx: Context) -> Any:
        if ctx.state.get("polled"):
            return _tell_all(ctx)
        ctx.state["polled"] = job_id
        return Pending(str(ctx.secret))  # type: ignore[arg-type]


class CarelessScripts:
    def stream(self, _request: Any, ctx: Context) -> Iterator[Any]:
        key = str(ctx.secret)
        yield ScriptTool(key, f"Asking with {key}")
        yield ScriptText(f"My key is {key}.")
        yield ScriptResult((ScriptSegment(f"The key {key}.", key, 5.0),), Usage(Decimal(1), {"key": key}))


@pytest.fixture
def studio(registry: Registry, database: Database, admin: Client) -> Iterator[Studio]:
    """A careless driver with the canary for a key, and its models, set up as an administrator does."""
    backends: Any = {Capability.IMAGE_GENERATION: Careless, Capability.SCRIPT: CarelessScripts}
    before = plugins_of(registry)
    plugins = Plugins()

    def check(ctx: Any) -> str:
        raise ProviderError(f"no use for {ctx.secret}")

    plugins.declared.drivers["acme"] = (SOURCE, Driver("acme", "Acme", backends, check=check))
    install(registry, plugins)
    with fake_provider() as server:
        server.default = Reply(401, json.dumps({"error": f"unknown key {CANARY}"}).encode())
        body = {"name": "acme", "display_name": "Acme", "base_url": server.url, "api_key": CANARY}
        row = admin.post_json("/api/admin/providers/", body, status=201).json
        for capability in backends:
            model = {"provider": "acme", "name": "one", "display_name": "One", "capability": capability}
            admin.post_json("/api/admin/models/", model, status=201)
        admin.patch_json(f"/api/admin/providers/{row['id']}/", {"api_key": CANARY + "x"})
        admin.patch_json(f"/api/admin/providers/{row['id']}/", {"api_key": CANARY})
        assert admin.post(f"/api/admin/providers/{row['id']}/test/").json["ok"] is False
        beat_once(registry, list(Queue))
        yield Studio(registry, database, server)
    install(registry, before)


def everything(registry: Registry, captured: pytest.LogCaptureFixture, *printed: str) -> dict[str, list[str]]:
    """Where the key is in what is written: database, log, standard error."""
    found = {
        "rows": traces_in_rows(engine_of(registry)),
        "log": traces(captured.text),
        "stderr": traces("".join(printed)),
    }
    return {place: hits for place, hits in found.items() if hits}


@pytest.mark.parametrize("misdeed", sorted(MISDEEDS))
def test_nothing_that_is_written_holds_the_key(
    studio: Studio,
    owner: Client,
    admin: Client,
    misdeed: str,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    [task_id] = order(owner, prompt=misdeed, image_model="one")
    studio.work()
    task = read(owner, task_id)
    assert task["status"] == ("succeeded" if misdeed in ("result", "later") else "failed")
    shown = [
        json.dumps(task),
        owner.get(f"/api/ai/tasks/{task_id}/explain/").text,
        admin.get(f"/api/admin/tasks/{task_id}/").text,
        admin.get("/api/admin/providers/").text,
        admin.get("/api/admin/audit/").text,
    ]
    assert everything(studio.registry, caplog, *capfd.readouterr()) == {}
    assert traces("\n".join(shown)) == []


def test_a_script_is_told_and_kept_without_it(
    studio: Studio, owner: Client, admin: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    models = admin.get("/api/admin/models/?provider=acme&capability=script").json
    admin.post(f"/api/admin/models/{models[0]['id']}/set-default/")
    author = Author(
        studio.registry, studio.database, studio.provider, owner, add_project(studio.registry, owner.team_id)
    )
    reply = author.stream()
    assert kinds(reply)[-1] == "done"
    assert traces(reply.text + json.dumps(author.read())) == []
    assert everything(studio.registry, caplog) == {}


def test_the_api_document_has_no_key(studio: Studio, api: TestApp) -> None:
    assert traces(api.get("/api/openapi.json").text) == []
