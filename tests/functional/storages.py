"""Storage for tests: a registry without a database, and a server that speaks S3."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import boto3
from pyramid.registry import Registry

from contentsvc.db.session import transaction_scope
from contentsvc.settings import StorageSettings, UploadSettings
from contentsvc.storage.backends import Storage, StorageBackends, install, storage_of
from contentsvc.storage.backends.local import LocalStorage
from contentsvc.storage.files import FileFacts, StoredMedia
from contentsvc.storage.ingest import ingest, install_slots
from contentsvc.storage.keys import new_key
from contentsvc.storage.models import MediaFile

DATA = bytes(range(256)) * 1000
"""The bytes of the files that :func:`add_file` makes."""

CREDENTIALS = {
    "s3_access_key_id": "test-key",
    "s3_secret_access_key": "test-secret",
    "s3_region": "eu-west-1",
}


@contextmanager
def s3_server() -> Iterator[str]:
    """The address of a server process that speaks S3 and forgets everything at the end."""
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        try:
            assert server.stdout is not None
            line = next(line for line in server.stdout if "Running on" in line)
            yield line.rsplit("Running on ", 1)[1].strip()
        finally:
            server.kill()


def s3_settings(address: str, bucket: str, **more: Any) -> StorageSettings:
    """Settings of a bucket on that server."""
    return StorageSettings(backend="s3", s3_bucket=bucket, s3_endpoint_url=address, **CREDENTIALS, **more)


def make_bucket(address: str, bucket: str) -> Any:
    """An empty bucket; the client that made it."""
    client = boto3.session.Session().client(
        "s3",
        endpoint_url=address,
        region_name=CREDENTIALS["s3_region"],
        aws_access_key_id=CREDENTIALS["s3_access_key_id"],
        aws_secret_access_key=CREDENTIALS["s3_secret_access_key"],
    )
    client.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    return client


class Intake:
    """Takes in bytes and reads what was stored."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "media"
        self.registry = media_registry(LocalStorage(self.root), folder)

    def limit(self, **limits: Any) -> None:
        self.registry = media_registry(LocalStorage(self.root), self.folder, **limits)

    def take(self, data: bytes, filename: str = "file.bin", **options: Any) -> StoredMedia:
        path = self.folder / "incoming"
        path.write_bytes(data)
        return ingest(self.registry, path, filename, **options)

    def read(self, facts: FileFacts | None) -> bytes:
        assert facts is not None
        return b"".join(storage_of(self.registry).read(facts.key))

    def files(self) -> list[Path]:
        return [path for path in self.root.rglob("*") if path.is_file()]


class _Settings:
    """The two groups of settings that taking in a file reads."""

    def __init__(self, uploads: UploadSettings) -> None:
        self.uploads = uploads
        self.storage = StorageSettings(backend="test")


def media_registry(storage: Storage, folder: Path, **limits: Any) -> Registry:
    """A registry on which files can be taken in; ``limits`` are settings of ``uploads``."""
    registry = Registry()
    settings: Any = _Settings(UploadSettings(temp_dir=folder / "temporary", **limits))
    registry["contentsvc.settings"] = settings
    backends = StorageBackends(settings)
    backends.add("test", lambda _options: storage)
    install(registry, backends)
    install_slots(registry)
    return registry


def add_file(registry: Registry, **fields: Any) -> MediaFile:
    """A file with DATA in the application's storage, and its committed row."""
    file = MediaFile(
        **{
            "key": new_key(),
            "filename": "größe 1.png",
            "media_type": "image/png",
            "size_bytes": len(DATA),
            "etag": hashlib.sha256(DATA).hexdigest(),
        }
        | fields
    )
    with TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        source.write_bytes(DATA)
        storage_of(registry).put(file.key, source, file.media_type)
    with transaction_scope(registry) as session:
        session.add(file)
    return file
