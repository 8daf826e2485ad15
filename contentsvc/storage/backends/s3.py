"""Files in a bucket of Amazon S3 or of a service that speaks its protocol."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import boto3
from boto3.exceptions import Boto3Error
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from contentsvc.settings import StorageSettings
from contentsvc.storage.disposition import content_disposition
from contentsvc.storage.errors import FileMissing, StorageError
from contentsvc.storage.keys import checked_key, is_key
from contentsvc.storage.streams import ByteStream

MIB = 1024 * 1024
# Memory of a transfer is parts in flight times their size.
_TRANSFER = TransferConfig(multipart_threshold=8 * MIB, multipart_chunksize=8 * MIB, max_concurrency=2)
_FAILURES = (BotoCoreError, ClientError, Boto3Error, OSError)
_MISSING = frozenset({"404", "NoSuchKey", "NotFound"})
# Keys are never used twice, so what is behind one never changes.
_FOREVER = "public, max-age=31536000, immutable"


class S3Storage:
    """Backend ``s3``. Objects carry the key as their name and their media type."""

    def __init__(self, settings: StorageSettings) -> None:
        self._bucket = settings.s3_bucket
        self._public_url = (settings.s3_public_url or "").rstrip("/")
        self._client: Any = boto3.session.Session().client(
            "s3",
            endpoint_url=settings.s3_endpoint_url,
            region_name=settings.s3_region,
            aws_access_key_id=settings.s3_access_key_id,
            aws_secret_access_key=settings.s3_secret_access_key,
            config=Config(
                signature_version="s3v4",
                connect_timeout=5,
                read_timeout=30,
                max_pool_connections=50,
                retries={"mode": "standard", "max_attempts": 3},
                # Services that only speak like S3 often know neither bucket hosts nor new checksums.
                s3={"addressing_style": "path" if settings.s3_endpoint_url else "auto"},
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            ),
        )

    def put(self, key: str, path: Path, media_type: str) -> None:
        checked_key(key)
        try:
            self._client.upload_file(
                str(path),
                self._bucket,
                key,
                ExtraArgs={"ContentType": media_type, "CacheControl": _FOREVER},
                Config=_TRANSFER,
            )
        except _FAILURES as error:
            raise StorageError("The file can't be stored. Try again later.") from error

    def read(self, key: str, start: int = 0, end: int | None = None) -> ByteStream:
        asked = {"Bucket": self._bucket, "Key": checked_key(key)}
        if start or end is not None:
            asked["Range"] = f"bytes={start}-{'' if end is None else end - 1}"
        try:
            found = self._client.get_object(**asked)
        except _FAILURES as error:
            raise _translated(error) from error
        return ByteStream(found["Body"], found["ContentLength"], _FAILURES)

    def delete(self, key: str) -> None:
        try:
            self._client.delete_object(Bucket=self._bucket, Key=checked_key(key))
        except _FAILURES as error:
            raise StorageError from error

    def exists(self, key: str) -> bool:
        try:
            self._client.head_object(Bucket=self._bucket, Key=checked_key(key))
        except _FAILURES as error:
            failure = _translated(error)
            if isinstance(failure, FileMissing):
                return False
            raise failure from error
        return True

    def link(self, key: str, *, filename: str, media_type: str, seconds: int) -> str | None:
        checked_key(key)
        if self._public_url:
            return f"{self._public_url}/{quote(key)}"
        signed: str = self._client.generate_presigned_url(
            "get_object",
            Params={
                "Bucket": self._bucket,
                "Key": key,
                "ResponseContentType": media_type,
                "ResponseContentDisposition": content_disposition(filename, media_type),
                "ResponseCacheControl": _FOREVER,
            },
            ExpiresIn=seconds,
        )
        return signed

    def stale_keys(self, older_than: float) -> Iterator[str]:
        limit = _ago(older_than)
        try:
            for page in self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket):
                for item in page.get("Contents", ()):
                    if item["LastModified"] < limit and is_key(item["Key"]):
                        yield item["Key"]
        except _FAILURES as error:
            raise StorageError from error

    def tidy(self, older_than: float) -> None:
        limit = _ago(older_than)
        try:
            for page in self._client.get_paginator("list_multipart_uploads").paginate(Bucket=self._bucket):
                for upload in page.get("Uploads", ()):
                    if upload["Initiated"] < limit and is_key(upload["Key"]):
                        self._client.abort_multipart_upload(
                            Bucket=self._bucket, Key=upload["Key"], UploadId=upload["UploadId"]
                        )
        except _FAILURES as error:
            raise StorageError from error

    def check(self) -> None:
        try:
            self._client.head_bucket(Bucket=self._bucket)
        except _FAILURES as error:
            raise StorageError("The bucket can't be reached.") from error


def _translated(error: Exception) -> StorageError:
    if isinstance(error, ClientError) and error.response.get("Error", {}).get("Code") in _MISSING:
        return FileMissing()
    return StorageError()


def _ago(seconds: float) -> dt.datetime:
    return dt.datetime.now(dt.UTC) - dt.timedelta(seconds=seconds)
