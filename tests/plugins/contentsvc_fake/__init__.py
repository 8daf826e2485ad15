"""A provider plugin that talks to the tests' own HTTP server, as a paid provider's would."""

from __future__ import annotations

from typing import Any

import httpx

from contentsvc.plugin import (
    Accepted,
    Capability,
    Context,
    Done,
    Driver,
    Entity,
    EntityRequest,
    EntityResult,
    GeneratedFile,
    ImageRequest,
    ImageResult,
    Pending,
    ProviderError,
    Usage,
    figure,
    hookimpl,
)
from contentsvc_fake.films import FakeExport
from contentsvc_fake.replies import content, document, raise_for
from contentsvc_fake.reviews import FakeReviews
from contentsvc_fake.scripts import FakeScripts
from contentsvc_fake.sound import FakeSpeech
from contentsvc_fake.videos import FakeVideos


class FakeImages:
    """``POST /images`` orders; 200 is the picture, 202 names a job to be asked for at ``/jobs/<id>``."""

    def start(self, request: ImageRequest, ctx: Context) -> Done[ImageResult] | Accepted:
        reply = ctx.http.post(
            f"{ctx.base_url}/images",
            json={
                "prompt": request.prompt,
                "model": ctx.model.name,
                "ratio": request.ratio,
                "references": [reference.role.value for reference in request.references],
            },
            headers={"Idempotency-Key": ctx.idempotency_key, "Authorization": f"Bearer {ctx.secret}"},
        )
        raise_for(reply)
        if reply.status_code == httpx.codes.ACCEPTED:
            return Accepted(document(reply, "job")["job"])
        return _done(reply, ctx)

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[ImageResult]:
        reply = ctx.http.get(f"{ctx.base_url}/jobs/{job_id}")
        raise_for(reply)
        if reply.status_code == httpx.codes.ACCEPTED:
            return Pending(document(reply, "progress")["progress"])
        return _done(reply, ctx)


class FakeEntities:
    """``POST /entities`` reads a script; the reply's ``entities`` are handed over as they are."""

    def start(self, request: EntityRequest, ctx: Context) -> Done[EntityResult]:
        reply = ctx.http.post(
            f"{ctx.base_url}/entities",
            json={
                "narrations": [segment.narration for segment in request.segments],
                "product": request.product.title,
            },
            headers={"Idempotency-Key": ctx.idempotency_key},
        )
        raise_for(reply)
        found = document(reply, "entities")
        entities = tuple(Entity(**item) for item in found["entities"])
        return Done(EntityResult(entities, Usage(figure(found.get("units", 1)))))

    def poll(self, job_id: str, _ctx: Context) -> Pending:
        raise ProviderError(f"Nothing was accepted for later under {job_id}.")


def _done(reply: httpx.Response, ctx: Context) -> Done[ImageResult]:
    path = ctx.work_dir / "picture.png"
    path.write_bytes(content(reply))
    return Done(ImageResult(GeneratedFile(path, {"made_by": "fake"}), Usage(raw={"pictures": 1})))


@hookimpl
def contentsvc_register_providers(register: Any) -> None:
    register(
        Driver(
            name="fake",
            display_name="Fake",
            capabilities={
                Capability.IMAGE_GENERATION: FakeImages,
                Capability.IMAGE_EDIT: FakeImages,
                Capability.ENTITY_EXTRACTION: FakeEntities,
                Capability.SPEECH: FakeSpeech,
                Capability.VIDEO_GENERATION: FakeVideos,
                Capability.EXPORT: FakeExport,
                Capability.SCRIPT: FakeScripts,
                Capability.ASSET_REVIEW: FakeReviews,
            },
            needs_secret=False,
        )
    )
