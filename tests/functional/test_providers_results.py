"""What a provider's plugin notes of its results, looked at before it is kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pyramid.registry import Registry

from contentsvc.plugin import Done, GeneratedFile, ImageResult, ProviderError, Usage
from contentsvc.providers.calls import DEFECT
from tests.functional.calling import Call, add_model, caller, drivers, picture
from tests.functional.conftest import Client
from tests.functional.generating import Database


@pytest.fixture
def call(registry: Registry, database: Database, owner: Client) -> Iterator[Call]:
    assert owner.team_id is not None
    with drivers(registry):
        yield caller(registry, add_model(registry, database), owner.team_id)


@pytest.mark.parametrize(
    "notes",
    [{"seed": float("nan")}, {"note": "a\x00b"}, {"note": "\ud800"}, {"at": object()}, "a note", None],
    ids=["NaN", "NUL", "surrogate", "object", "text", "nothing"],
)
def test_notes_on_a_file_that_can_not_be_kept_are_a_defect(call: Call, notes: Any) -> None:
    def noted(ctx: Any) -> Any:
        path = ctx.work_dir / "picture.png"
        path.write_bytes(b"bytes")
        return Done(ImageResult(GeneratedFile(path, notes)))

    with pytest.raises(ProviderError, match=DEFECT), call() as (backend, ctx):
        backend.start(noted, ctx)


@pytest.mark.parametrize(
    "usage",
    [
        Usage(units=1.5),  # type: ignore[arg-type]
        Usage(raw={"tokens": float("inf")}),
        {"units": 1},
    ],
    ids=["float", "raw", "dict"],
)
def test_usage_that_can_not_be_priced_or_kept_is_a_defect(call: Call, usage: Any) -> None:
    def used(ctx: Any) -> Any:
        done = picture(ctx)
        return Done(ImageResult(done.result.image, usage))

    with pytest.raises(ProviderError, match=DEFECT), call() as (backend, ctx):
        backend.start(used, ctx)


def test_a_backslash_in_a_note_is_no_defect(call: Call) -> None:
    def noted(ctx: Any) -> Any:
        path = ctx.work_dir / "picture.png"
        path.write_bytes(b"bytes")
        return Done(ImageResult(GeneratedFile(path, {"font": "\\u0000"})))

    with call() as (backend, ctx):
        assert backend.start(noted, ctx).result.image.metadata == {"font": "\\u0000"}
