"""Assets deleted, brought back, and removed with their bytes."""

from __future__ import annotations

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from contentsvc.assets.models import Asset
from contentsvc.generation.models import AITask
from contentsvc.projects.models import ProjectExport
from contentsvc.storage.backends import backends_of, storage_of
from contentsvc.storage.backends.local import LocalStorage
from contentsvc.storage.errors import StorageError
from contentsvc.storage.models import MediaFile
from contentsvc.storage.sweeping import sweep_orphans
from tests.functional.conftest import Client, MakeClient
from tests.functional.filming import add_clip
from tests.functional.grouping import attached, groups
from tests.functional.library import add_asset, add_assets
from tests.functional.projecting import (
    add_product,
    add_project,
    add_script,
    add_storyboard,
    read_project,
)
from tests.functional.queries import count_queries
from tests.functional.reviewing import reviewer_of, submit
from tests.media_samples import exif, image, sound_wav

LIST = "/api/assets/"
TRASH = "/api/assets/trash/"


def path_of(asset_id: str) -> str:
    return f"{LIST}{asset_id}/"


def delete(client: Client, asset_id: str, status: int = 204) -> Any:
    return client.delete(path_of(asset_id), status=status)


def purge(client: Client, asset_id: str, status: int | str = 204) -> Any:
    return client.delete(f"{path_of(asset_id)}purge/", status=status)


def restore(client: Client, asset_id: str, status: int = 200) -> Any:
    return client.post(f"{path_of(asset_id)}restore/", status=status)


def end(client: Client, asset_id: str) -> None:
    """Delete an asset and purge it."""
    delete(client, asset_id)
    purge(client, asset_id)


@pytest.fixture
def asset(registry: Any, owner: Client) -> str:
    return add_asset(registry, owner.team_id)


# Deleted


def test_delete_answers_nothing(owner: Client, asset: str) -> None:
    assert delete(owner, asset).body == b""


def test_a_deleted_asset_is_hidden(owner: Client, asset: str) -> None:
    delete(owner, asset)
    owner.get(path_of(asset), status=404)
    owner.get(f"{path_of(asset)}raw/", status=404)
    owner.patch_json(path_of(asset), {"name": "x"}, status=404)
    assert owner.get(f"{LIST}?in_library=all").json["count"] == 0


def test_deleting_twice_is_404(owner: Client, asset: str) -> None:
    delete(owner, asset)
    delete(owner, asset, status=404)


def test_the_trash_shows_deleted_assets_whole(owner: Client, other: Client, asset: str) -> None:
    before = owner.get(path_of(asset)).json
    assert owner.get(TRASH).json["results"] == []
    delete(owner, asset)
    [row] = owner.get(TRASH).json["results"]
    assert row == before | {"updated_at": row["updated_at"]}
    assert other.get(TRASH).json["count"] == 0


def test_the_trash_has_pages(owner: Client, asset: str) -> None:
    delete(owner, asset)
    reply = owner.get(f"{TRASH}?page=2&page_size=1").json
    assert (reply["count"], reply["results"]) == (1, [])
    assert list(owner.get(f"{TRASH}?page=x", status=400).json) == ["page"]


def test_the_trash_takes_as_many_queries_for_many_as_for_one(registry: Any, owner: Client) -> None:
    deleted = {"deleted_at": func.clock_timestamp()}
    add_assets(registry, owner.team_id, 1, **deleted)
    with count_queries(registry) as for_one:
        owner.get(f"{TRASH}?page_size=200")
    add_assets(registry, owner.team_id, 19, **deleted)
    with count_queries(registry) as for_many:
        assert len(owner.get(f"{TRASH}?page_size=200").json["results"]) == 20
    assert len(for_many) == len(for_one)


def test_a_deleted_asset_stays_in_its_product(registry: Any, owner: Client) -> None:
    product = add_product(registry, owner.team_id)
    before = owner.get(f"/api/products/{product}/").json
    delete(owner, before["cover_asset"])
    assert owner.get(f"/api/products/{product}/").json == before


def test_a_deleted_asset_stays_in_groups_and_versions(registry: Any, owner: Client) -> None:
    project = filmed(registry, owner)
    before = read_project(owner, project)
    for each in used_by(before):
        delete(owner, each)
    after = read_project(owner, project)
    assert used_by(after) == used_by(before)
    assert (after["storyboard"]["status"], after["base_asset_groups"][0]["group_id"]) == (
        before["storyboard"]["status"],
        before["base_asset_groups"][0]["group_id"],
    )


def test_a_deleted_asset_is_no_reference(owner: Client, asset: str) -> None:
    delete(owner, asset)
    reply = owner.post_json("/api/products/", {"images": [asset]}, status=400).json
    assert list(reply) == ["images.0"]
    owner.post_json("/api/models/enroll-asset/", {"asset_id": asset}, status=404)


# Brought back


def test_restore_brings_the_asset_back(owner: Client, asset: str) -> None:
    before = owner.get(path_of(asset)).json
    delete(owner, asset)
    restored = restore(owner, asset).json
    assert restored == before | {"updated_at": restored["updated_at"]}
    assert owner.get(path_of(asset)).json == restored
    assert owner.get(TRASH).json["count"] == 0


@pytest.mark.parametrize("act", [restore, purge])
def test_an_active_asset_is_not_in_the_trash(owner: Client, asset: str, act: Any) -> None:
    assert act(owner, asset, status=400).json["code"] == "not_archived"
    owner.get(path_of(asset), status=200)


# Removed


class TestBytes:
    """What becomes of the files."""

    @pytest.fixture
    def uploaded(self, owner: Client) -> Any:
        files = [("file", "cup.jpg", image("JPEG", exif=exif()))]
        return owner.post("/api/assets/upload/", upload_files=files, status=201).json

    @pytest.fixture
    def keys(self, uploaded: Any, database: Any) -> list[str]:
        """Of the public copy, the original and the thumbnail."""
        with database() as session:
            asset = session.get_one(Asset, uuid.UUID(uploaded["id"]))
            files = (asset.file_id, asset.original_file_id, asset.thumbnail_file_id)
            return [session.get_one(MediaFile, file_id).key for file_id in files]

    def test_a_deleted_assets_link_serves_until_the_purge(self, owner: Client, uploaded: Any) -> None:
        delete(owner, uploaded["id"])
        owner.get(uploaded["preview_url"].removeprefix("http://localhost"), status=200)
        purge(owner, uploaded["id"])
        owner.get(uploaded["preview_url"].removeprefix("http://localhost"), status=404)

    def test_a_purge_removes_rows_and_bytes(
        self, registry: Any, owner: Client, uploaded: Any, keys: list[str], database: Any
    ) -> None:
        end(owner, uploaded["id"])
        assert [storage_of(registry).exists(key) for key in keys] == [False, False, False]
        with database() as session:
            assert session.scalars(select(MediaFile.id)).all() == []
            assert session.scalars(select(Asset.id)).all() == []

    def test_a_file_that_another_asset_shares_stays(
        self, registry: Any, owner: Client, uploaded: Any, keys: list[str], database: Any
    ) -> None:
        twin = add_asset(registry, owner.team_id)
        with database() as session:
            file_id = session.get_one(Asset, uuid.UUID(uploaded["id"])).file_id
            session.get_one(Asset, uuid.UUID(twin)).file_id = file_id
            key = session.get_one(MediaFile, file_id).key
        end(owner, uploaded["id"])
        assert [storage_of(registry).exists(each) for each in keys] == [each == key for each in keys]

    def test_bytes_that_can_not_be_removed_are_swept_later(
        self, registry: Any, owner: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        storage = LocalStorage(tmp_path / "media")
        monkeypatch.setattr(backends_of(registry), "_selected", storage)
        files = [("file", "cup.jpg", image("JPEG", exif=exif()))]
        kept, doomed = (
            owner.post("/api/assets/upload/", upload_files=files, status=201).json["id"] for _ in range(2)
        )

        def fail(_key: str) -> None:
            raise StorageError

        with monkeypatch.context() as broken:
            broken.setattr(storage, "delete", fail)
            end(owner, doomed)
        assert sweep_orphans(registry, older_than=-1) == 3
        owner.get(f"{path_of(kept)}raw/", status=200)


def test_a_purged_asset_is_unknown(owner: Client, asset: str) -> None:
    end(owner, asset)
    purge(owner, asset, status=404)
    restore(owner, asset, status=404)
    assert owner.get(TRASH).json["count"] == 0


def test_versions_keep_their_place_without_the_asset(registry: Any, owner: Client) -> None:
    project = filmed(registry, owner)
    before = read_project(owner, project)
    for each in used_by(before):
        end(owner, each)
    after = read_project(owner, project)
    assert [version["id"] for version in versions_of(after)] == [v["id"] for v in versions_of(before)]
    assert {version["asset"] for version in versions_of(after)} == {None}
    [group] = groups(owner, project)
    assert (group["candidate_assets"], group["adopted_asset"]) == ([], None)


def test_music_goes_with_its_asset(registry: Any, owner: Client) -> None:
    project = add_project(registry, owner.team_id)
    upload = [("file", "song.wav", sound_wav())]
    music = owner.post(f"/api/projects/{project}/upload-bgm/", upload_files=upload).json["bgm"]
    end(owner, music["asset"]["id"])
    assert read_project(owner, project)["bgm"] is None


def test_an_export_outlives_its_film(registry: Any, owner: Client, database: Any) -> None:
    project, film = add_project(registry, owner.team_id), add_asset(registry, owner.team_id)
    with database() as session:
        task = AITask(team_id=owner.team_id, task_type="export", estimated_cost=0, created_by=owner.user_id)
        session.add(task)
        session.flush()
        export = {"task_id": task.id, "asset_id": uuid.UUID(film), "status": "succeeded"}
        session.add(ProjectExport(team_id=owner.team_id, project_id=uuid.UUID(project), **export))
    end(owner, film)
    export = read_project(owner, project)["export"]
    assert (export["status"], export["asset"], export["url"]) == ("succeeded", None, None)


def test_a_products_only_image_can_not_be_purged(registry: Any, owner: Client) -> None:
    product = add_product(registry, owner.team_id)
    cover = owner.get(f"/api/products/{product}/").json["cover_asset"]
    delete(owner, cover)
    assert purge(owner, cover, status=409).json["code"] == "conflict"
    assert owner.get(f"/api/products/{product}/").json["cover_asset"] == cover


def test_one_of_several_images_leaves_the_product(registry: Any, owner: Client) -> None:
    first, second, third = add_assets(registry, owner.team_id, 3)
    product = owner.post_json("/api/products/", {"images": [first, second, third]}).json
    end(owner, first)
    after = owner.get(f"/api/products/{product['id']}/").json
    assert [image["asset"] for image in after["images"]] == [second, third]
    assert (after["cover_asset"], after["images"][0]["is_primary"]) == (second, True)
    assert after["updated_at"] > product["updated_at"]


def test_of_a_products_last_two_images_purged_at_once_one_stays(registry: Any, owner: Client) -> None:
    both = add_assets(registry, owner.team_id, 2)
    product = owner.post_json("/api/products/", {"images": both}).json["id"]
    for each in both:
        delete(owner, each)
    start = threading.Barrier(2)

    def purged(asset_id: str) -> int:
        start.wait(timeout=10)
        return int(purge(owner, asset_id, status="*").status_int)

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(purged, both)) == [204, 409]
    [image] = owner.get(f"/api/products/{product}/").json["images"]
    assert image["is_primary"] is True


def test_of_two_purges_at_once_one_finds_nothing(owner: Client, asset: str) -> None:
    delete(owner, asset)
    start = threading.Barrier(2)

    def purged(_: int) -> int:
        start.wait(timeout=10)
        return int(purge(owner, asset, status="*").status_int)

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(purged, range(2))) == [204, 404]


def test_an_archived_products_only_image_can_not_be_purged(registry: Any, owner: Client) -> None:
    product = add_product(registry, owner.team_id)
    cover = owner.get(f"/api/products/{product}/").json["cover_asset"]
    owner.delete(f"/api/products/{product}/")
    delete(owner, cover)
    purge(owner, cover, status=409)
    owner.delete(f"/api/products/{product}/purge/")
    purge(owner, cover)


def test_a_presenters_portrait_can_not_be_purged(owner: Client, asset: str) -> None:
    presenter = owner.post_json("/api/models/enroll-asset/", {"asset_id": asset}).json
    delete(owner, asset)
    assert purge(owner, asset, status=409).json["code"] == "conflict"
    owner.delete(f"/api/models/{presenter['id']}/")
    purge(owner, asset)


def test_a_review_ends_with_its_asset(registry: Any, owner: Client) -> None:
    portrait = add_asset(registry, owner.team_id, category="person")
    with reviewer_of(registry) as reviewer:
        submit(owner, portrait)
        end(owner, portrait)
        assert (reviewer.work(), reviewer.work(), reviewer.handed_in()) == (1, 0, [])


@pytest.mark.parametrize(("act", "status"), [(delete, 404), (restore, 404), (purge, 404)])
@pytest.mark.parametrize("asset_id", ["x", str(uuid.uuid4())])
def test_an_unknown_asset_is_not_found(owner: Client, act: Any, status: int, asset_id: str) -> None:
    act(owner, asset_id, status=status)


def test_a_viewer_sees_the_trash_and_changes_nothing(
    owner: Client, make_client: MakeClient, asset: str
) -> None:
    viewer = make_client("viewer", owner.team_id)
    delete(viewer, asset, status=403)
    delete(owner, asset)
    assert viewer.get(TRASH).json["count"] == 1
    restore(viewer, asset, status=403)
    purge(viewer, asset, status=403)


def filmed(registry: Any, owner: Client) -> str:
    """A project with a scene, a storyboard and a clip; its id."""
    project = add_project(registry, owner.team_id)
    script = add_script(registry, owner.team_id, project, adopted=True)
    attached(owner, project, add_asset(registry, owner.team_id), kind="scene", label="Kitchen")
    add_storyboard(registry, owner, project)
    add_clip(registry, owner.team_id, project, script["segment_ids"][0])
    return project


def versions_of(project: Any) -> list[Any]:
    """All versions of shots and clips."""
    holders = [*project["storyboard"]["shots"], *project["video_segments"]]
    return [version for holder in holders for version in holder["versions"]]


def used_by(project: Any) -> list[str]:
    """Ids of all assets in groups and versions."""
    candidates = [asset for group in project["base_asset_groups"] for asset in group["candidate_assets"]]
    return [asset["id"] for asset in [*candidates, *(version["asset"] for version in versions_of(project))]]
