"""Clips by hand: uploaded, adopted, shown; what clips are refused for."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import delete, select, update

from contentsvc.assets.models import Asset
from contentsvc.generation.models import AITask
from contentsvc.jobs.models import WorkerBeat
from contentsvc.providers.models import ModelConfig
from tests import media_samples
from tests.fakes.provider import PICTURE
from tests.functional.boarding import REJECTED
from tests.functional.clipping import (
    clip_studio,
    filmed,
    first,
    made,
    poll,
    segments,
    submit,
    upload,
)
from tests.functional.conftest import Client, MakeClient
from tests.functional.generating import Database, Studio, unknown_id
from tests.functional.projecting import act, add_script, read_project
from tests.functional.queries import count_queries


@pytest.fixture
def studio(registry: Registry, database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[Studio]:
    with clip_studio(registry, database, monkeypatch) as studio:
        yield studio


@pytest.fixture
def project(registry: Registry, owner: Client) -> str:
    """A project of three segments without a storyboard."""
    return filmed(registry, owner)


# By hand


def test_an_uploaded_clip_is_adopted(owner: Client, project: str) -> None:
    segment = upload(owner, project, media_samples.video("mp4"))["video_segments"][0]
    [version] = segment["versions"]
    assert (segment["status"], segment["adopted_version"]) == ("succeeded", version["id"])
    assert (version["source"], version["asset"]["name"]) == ("uploaded", "cut.mp4")


def test_an_uploaded_clip_is_an_upload_of_the_project(owner: Client, project: str) -> None:
    asset = upload(owner, project, media_samples.video("mp4"))["video_segments"][0]["versions"][0]["asset"]
    assert (asset["source"], asset["asset_type"], asset["project"]) == ("uploaded", "video", project)


def test_an_upload_mends_a_failed_clip(studio: Studio, owner: Client, project: str) -> None:
    made(studio, owner, project, REJECTED)
    segment = upload(owner, project, media_samples.video("mp4"))["video_segments"][0]
    assert (segment["status"], segment["error"]) == ("succeeded", None)


def test_what_is_no_video_is_not_taken(owner: Client, project: str) -> None:
    assert list(upload(owner, project, PICTURE, 400)) == ["file"]


def test_an_upload_names_its_segment(owner: Client, project: str) -> None:
    path = f"/api/projects/{project}/upload-video-segment/"
    files = [("file", "cut.mp4", media_samples.video("mp4"))]
    assert list(owner.post(path, upload_files=files, status=400).json) == ["video_segment_id"]


def test_a_file_is_asked_for(owner: Client, project: str) -> None:
    path = f"/api/projects/{project}/upload-video-segment/"
    fields = {"video_segment_id": first(owner, project)}
    headers = {"Content-Type": "application/json"}
    assert owner.post_json(path, fields, headers=headers, status=415).json["code"] == "unsupported_media_type"


def test_another_version_can_be_adopted(studio: Studio, owner: Client, project: str) -> None:
    before = made(studio, owner, project)
    upload(owner, project, media_samples.video("mp4"))
    body = {
        "video_segment_id": before["video_segment_id"],
        "version_id": before["adopted_version"],
    }
    found = act(owner, project, "adopt-video-version", body).json["video_segments"][0]
    assert (found["adopted_version"], len(found["versions"])) == (before["adopted_version"], 2)


def test_a_purged_clip_leaves_its_place(owner: Client, project: str, database: Database) -> None:
    segment = upload(owner, project, media_samples.video("mp4"))["video_segments"][0]
    with database() as session:
        session.execute(delete(Asset).where(Asset.id == uuid.UUID(segment["versions"][0]["asset"]["id"])))
    assert segments(owner, project)[0]["versions"] == [{**segment["versions"][0], "asset": None}]
    assert poll(owner, project)["asset"] is None


# Segments that come and go


def test_the_clips_of_a_deleted_segment_are_not_shown(owner: Client, project: str) -> None:
    gone, *rest = segments(owner, project)
    act(owner, project, "delete-script-segment", {"segment_id": gone["segment_id"]})
    assert [(each["video_segment_id"], each["index"]) for each in segments(owner, project)] == [
        (rest[0]["video_segment_id"], 0),
        (rest[1]["video_segment_id"], 1),
    ]
    poll(owner, project, gone["video_segment_id"], status=404)


def test_another_adopted_script_has_clips_of_its_own(owner: Client, registry: Registry, project: str) -> None:
    add_script(registry, owner.team_id, project, adopted=True)
    assert segments(owner, project) == []
    assert len(act(owner, project, "skip-storyboard").json["video_segments"]) == 3


# Refusals


def test_a_clip_that_is_being_made_is_not_ordered_twice(studio: Studio, owner: Client, project: str) -> None:
    submit(owner, project)
    assert submit(owner, project, 400)["code"] == "conflict"


@pytest.mark.parametrize("prompt", ["", "x" * 4001, 7, None])
def test_a_prompt_out_of_bounds_is_refused(owner: Client, project: str, prompt: Any) -> None:
    assert list(submit(owner, project, 400, prompt=prompt)) == ["prompt"]


@pytest.mark.parametrize("action", ["submit-video-segment", "poll-video-segment", "adopt-video-version"])
def test_unknown_segments_are_not_found(
    owner: Client, other: Client, registry: Registry, project: str, action: str
) -> None:
    foreign = first(other, filmed(registry, other))
    for video_segment_id in (unknown_id(), "x", foreign):
        body = {"video_segment_id": video_segment_id, "prompt": "x", "version_id": unknown_id()}
        assert act(owner, project, action, body, status=404).json["code"] == "not_found"


def test_uploads_to_unknown_segments_are_not_found(
    owner: Client, other: Client, registry: Registry, project: str
) -> None:
    foreign = first(other, filmed(registry, other))
    for video_segment_id in (unknown_id(), "x", foreign):
        upload(owner, project, b"anything", 404, video_segment_id=video_segment_id)


def test_unknown_versions_are_not_found(owner: Client, project: str) -> None:
    upload(owner, project, media_samples.video("mp4"))
    one, two, _ = segments(owner, project)
    for version_id in (unknown_id(), "x", one["adopted_version"]):
        body = {"video_segment_id": two["video_segment_id"], "version_id": version_id}
        act(owner, project, "adopt-video-version", body, status=404)


def test_another_teams_project_is_not_found(other: Client, owner: Client, project: str) -> None:
    body = {"video_segment_id": first(owner, project), "prompt": "x", "version_id": unknown_id()}
    for action in ("submit-video-segment", "poll-video-segment", "adopt-video-version"):
        act(other, project, action, body, status=404)


def test_without_credit_nothing_is_ordered(
    studio: Studio, make_client: MakeClient, registry: Registry
) -> None:
    poor = make_client(balance=Decimal("1.64"))
    project = filmed(registry, poor)
    assert submit(poor, project, 402)["code"] == "insufficient_balance"
    assert segments(poor, project)[0]["status"] == "empty"


def test_without_a_worker_nothing_is_ordered(studio: Studio, owner: Client, project: str) -> None:
    with studio.database() as session:
        session.execute(delete(WorkerBeat))
    assert submit(owner, project, 503)["code"] == "no_worker"


def test_without_a_model_nothing_is_ordered(studio: Studio, owner: Client, project: str) -> None:
    with studio.database() as session:
        session.execute(update(ModelConfig).values(is_default=False))
    assert submit(owner, project, 503)["code"] == "no_model"


def test_viewers_only_watch(owner: Client, make_client: MakeClient, project: str) -> None:
    viewer = make_client(role="viewer", team_id=owner.team_id)
    body = {"video_segment_id": first(owner, project), "prompt": "x", "version_id": unknown_id()}
    for action in ("submit-video-segment", "adopt-video-version"):
        assert act(viewer, project, action, body, status=403).json["code"] == "permission_denied"
    assert upload(viewer, project, b"x", 403)["code"] == "permission_denied"
    assert poll(viewer, project)["status"] == "empty"


def test_the_same_key_orders_once(studio: Studio, owner: Client, project: str) -> None:
    body = {"video_segment_id": first(owner, project), "prompt": "x"}
    headers = {"Idempotency-Key": "once"}
    for _ in range(2):
        act(owner, project, "submit-video-segment", body, headers=headers, status=202)
    with studio.database() as session:
        assert len(session.scalars(select(AITask)).all()) == 1


def test_reading_clips_costs_the_same_however_many(studio: Studio, owner: Client, registry: Registry) -> None:
    counts = []
    for length in (1, 7):
        written = [{"visual_prompt": f"shot {n}"} for n in range(length)]
        project = filmed(registry, owner, segments=written)
        made(studio, owner, project)
        with count_queries(registry) as queries:
            read_project(owner, project)
        counts.append(len(queries))
    assert counts[0] == counts[1]
