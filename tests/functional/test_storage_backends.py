"""What every storage backend does, on a folder and on a server that speaks S3."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from contentsvc.storage.backends import FileMissing, Storage, StorageError
from contentsvc.storage.backends.local import LocalStorage
from contentsvc.storage.backends.s3 import S3Storage
from contentsvc.storage.keys import new_key
from tests.functional.storages import make_bucket, s3_server, s3_settings

DATA = bytes(range(256)) * 1000
MIB = 1024 * 1024


@pytest.fixture(scope="module")
def s3_address() -> Iterator[str]:
    with s3_server() as address:
        yield address


@dataclass
class Bucket:
    storage: S3Storage
    name: str
    client: Any


@pytest.fixture(scope="module")
def shared_bucket(s3_address: str) -> Iterator[Bucket]:
    client = make_bucket(s3_address, "media")
    yield Bucket(S3Storage(s3_settings(s3_address, "media")), "media", client)
    client.close()


@pytest.fixture
def bucket(shared_bucket: Bucket) -> Bucket:
    """The bucket, empty; a client takes a second to make, a bucket's files are soon gone."""
    found = shared_bucket.client.list_objects_v2(Bucket=shared_bucket.name)
    for item in found.get("Contents", ()):
        shared_bucket.client.delete_object(Bucket=shared_bucket.name, Key=item["Key"])
    return shared_bucket


@pytest.fixture
def folder(tmp_path: Path) -> LocalStorage:
    return LocalStorage(tmp_path / "media")


@pytest.fixture(params=["folder", "bucket"])
def storage(request: pytest.FixtureRequest) -> Storage:
    if request.param == "folder":
        return request.getfixturevalue("folder")
    return request.getfixturevalue("bucket").storage


@pytest.fixture
def stored(storage: Storage, tmp_path: Path) -> str:
    """A key under which DATA is stored."""
    key = new_key()
    storage.put(key, file_of(tmp_path, DATA), "application/octet-stream")
    return key


def file_of(folder: Path, data: bytes) -> Path:
    path = folder / uuid.uuid4().hex
    path.write_bytes(data)
    return path


def test_what_was_put_is_read(storage: Storage, stored: str) -> None:
    assert b"".join(storage.read(stored)) == DATA


@pytest.mark.parametrize(
    ("start", "end"), [(0, 1), (0, 10), (100, 200_000), (255_999, 256_000), (1000, None)]
)
def test_part_of_a_file_is_read(storage: Storage, stored: str, start: int, end: int | None) -> None:
    assert b"".join(storage.read(stored, start, end)) == DATA[start:end]


def test_pieces_are_small(storage: Storage, stored: str) -> None:
    assert max(len(piece) for piece in storage.read(stored)) <= 64 * 1024


def test_empty_file_is_kept(storage: Storage, tmp_path: Path) -> None:
    key = new_key()
    storage.put(key, file_of(tmp_path, b""), "text/plain")
    assert b"".join(storage.read(key)) == b""


def test_file_of_many_parts_is_kept_whole(storage: Storage, tmp_path: Path) -> None:
    data = os.urandom(20 * MIB)
    key = new_key()
    storage.put(key, file_of(tmp_path, data), "video/mp4")
    assert b"".join(storage.read(key)) == data


def test_source_stays_where_it_is(storage: Storage, tmp_path: Path) -> None:
    path = file_of(tmp_path, DATA)
    storage.put(new_key(), path, "text/plain")
    assert path.read_bytes() == DATA


def test_deleted_file_is_missing(storage: Storage, stored: str) -> None:
    storage.delete(stored)
    with pytest.raises(FileMissing):
        storage.read(stored)


def test_unknown_file_is_missing(storage: Storage) -> None:
    with pytest.raises(FileMissing):
        storage.read(new_key())


def test_deleting_twice_does_no_harm(storage: Storage, stored: str) -> None:
    storage.delete(stored)
    storage.delete(stored)
    assert not storage.exists(stored)


def test_exists_tells_known_from_unknown(storage: Storage, stored: str) -> None:
    assert (storage.exists(stored), storage.exists(new_key())) == (True, False)


def test_path_is_no_key(storage: Storage, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not a storage key"):
        storage.put("../../escaped", file_of(tmp_path, DATA), "text/plain")


def test_reading_can_stop_early(storage: Storage, stored: str) -> None:
    stream = storage.read(stored)
    assert len(next(stream)) > 0
    stream.close()
    assert list(stream) == []


def test_fresh_file_is_not_stale(storage: Storage, stored: str) -> None:
    assert list(storage.stale_keys(3600)) == []


def test_file_older_than_asked_is_stale(storage: Storage, stored: str) -> None:
    assert list(storage.stale_keys(-3600)) == [stored]


def test_check_of_a_usable_place_returns(storage: Storage) -> None:
    storage.check()


class TestFolder:
    """What only the folder promises."""

    def test_has_no_links(self, folder: LocalStorage) -> None:
        assert folder.link(new_key(), filename="a.png", media_type="image/png", seconds=60) is None

    def test_failed_write_leaves_nothing(self, folder: LocalStorage, tmp_path: Path) -> None:
        with pytest.raises(StorageError):
            folder.put(new_key(), tmp_path / "missing", "text/plain")
        assert [path for path in (tmp_path / "media").rglob("*") if path.is_file()] == []

    def test_interrupted_write_is_tidied_away(self, folder: LocalStorage, tmp_path: Path) -> None:
        key = new_key()
        folder.put(key, file_of(tmp_path, DATA), "text/plain")
        [kept] = [path for path in (tmp_path / "media").rglob("*") if path.is_file()]
        partial = kept.with_name(f"{new_key()}.part")
        partial.write_bytes(b"half")
        yesterday = time.time() - 90_000
        os.utime(partial, (yesterday, yesterday))
        folder.tidy(3600)
        assert (partial.exists(), folder.exists(key)) == (False, True)

    def test_running_write_is_left_alone(self, folder: LocalStorage, tmp_path: Path) -> None:
        partial = tmp_path / "media" / "ab" / "cd" / "abcd.part"
        partial.parent.mkdir(parents=True)
        partial.write_bytes(b"half")
        folder.tidy(3600)
        assert partial.exists()

    def test_file_cut_short_is_an_error_and_not_an_end(self, folder: LocalStorage, tmp_path: Path) -> None:
        key = new_key()
        folder.put(key, file_of(tmp_path, DATA), "text/plain")
        stream = folder.read(key)
        [path] = [path for path in (tmp_path / "media").rglob("*") if path.is_file()]
        os.truncate(path, 10)
        with pytest.raises(StorageError):
            b"".join(stream)

    def test_place_that_is_a_file_is_not_ready(self, tmp_path: Path) -> None:
        with pytest.raises(StorageError):
            LocalStorage(file_of(tmp_path, b"")).check()


class TestBucket:
    """What only S3 promises."""

    def link(self, storage: S3Storage, key: str) -> str:
        link = storage.link(key, filename="größe.png", media_type="image/png", seconds=60)
        assert link is not None
        return link

    def test_signed_link_serves_the_bytes(self, bucket: Bucket, tmp_path: Path) -> None:
        key = new_key()
        bucket.storage.put(key, file_of(tmp_path, DATA), "image/png")
        reply = httpx.get(self.link(bucket.storage, key))
        assert (reply.content, reply.headers["content-type"]) == (DATA, "image/png")
        assert reply.headers["content-disposition"].endswith("filename*=UTF-8''gr%C3%B6%C3%9Fe.png")

    def test_signed_link_serves_ranges(self, bucket: Bucket, tmp_path: Path) -> None:
        key = new_key()
        bucket.storage.put(key, file_of(tmp_path, DATA), "image/png")
        reply = httpx.get(self.link(bucket.storage, key), headers={"Range": "bytes=5-9"})
        assert (reply.status_code, reply.content) == (206, DATA[5:10])

    def test_public_address_replaces_signed_links(self, s3_address: str) -> None:
        settings = s3_settings(s3_address, "any", s3_public_url="https://cdn.example/media/")
        key = new_key()
        assert self.link(S3Storage(settings), key) == f"https://cdn.example/media/{key}"

    def test_object_carries_its_media_type(self, bucket: Bucket, tmp_path: Path) -> None:
        key = new_key()
        bucket.storage.put(key, file_of(tmp_path, DATA), "video/webm")
        found = bucket.client.head_object(Bucket=bucket.name, Key=key)
        assert (found["ContentType"], found["CacheControl"]) == (
            "video/webm",
            "public, max-age=31536000, immutable",
        )

    def test_interrupted_upload_is_tidied_away(self, bucket: Bucket) -> None:
        bucket.client.create_multipart_upload(Bucket=bucket.name, Key=new_key())
        bucket.storage.tidy(-3600)
        assert "Uploads" not in bucket.client.list_multipart_uploads(Bucket=bucket.name)

    def test_missing_bucket_is_not_ready(self, s3_address: str) -> None:
        with pytest.raises(StorageError):
            S3Storage(s3_settings(s3_address, "no-such-bucket")).check()

    def test_foreign_objects_are_never_stale(self, bucket: Bucket) -> None:
        bucket.client.put_object(Bucket=bucket.name, Key="backups/dump.sql", Body=b"x")
        assert list(bucket.storage.stale_keys(-3600)) == []

    def test_unreachable_server_is_a_storage_error(self, tmp_path: Path) -> None:
        storage = S3Storage(s3_settings("http://127.0.0.1:1", "any"))
        with pytest.raises(StorageError):
            storage.put(new_key(), file_of(tmp_path, DATA), "text/plain")
