"""The application with its files in S3: redirects, raw bytes, a bucket that is gone."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from webtest import TestApp

from contentsvc import configure
from contentsvc.db.session import engine_of
from contentsvc.jobs.doorbell import close_doorbells
from contentsvc.storage.backends import storage_of
from tests.functional.storages import CREDENTIALS, DATA, add_file, make_bucket, s3_server
from tests.media_samples import exif, image


@pytest.fixture(scope="module")
def s3_app(app_settings: dict[str, Any]) -> Iterator[Any]:
    with s3_server() as address:
        make_bucket(address, "media").close()
        settings = app_settings | {"storage.backend": "s3", "storage.s3_bucket": "media"}
        settings |= {f"storage.{key}": value for key, value in CREDENTIALS.items()}
        config = configure(None, **settings, **{"storage.s3_endpoint_url": address})
        yield config
        close_doorbells(config.registry)
        engine_of(config.registry).dispose()


@pytest.fixture
def s3_registry(s3_app: Any, registry: Any) -> Any:
    return s3_app.registry


@pytest.fixture
def s3_api(s3_app: Any, s3_registry: Any) -> TestApp:
    return TestApp(s3_app.make_wsgi_app())


def test_link_redirects_to_a_signed_link(s3_api: TestApp, s3_registry: Any) -> None:
    reply = s3_api.get(add_file(s3_registry).path, status=302)
    assert "X-Amz-Signature" in reply.location
    assert httpx.get(reply.location).content == DATA


def test_redirect_is_kept_for_half_of_its_life(s3_api: TestApp, s3_registry: Any) -> None:
    reply = s3_api.get(add_file(s3_registry).path, status=302)
    assert reply.headers["Cache-Control"] == "private, max-age=450"


def test_known_tag_is_304_without_a_redirect(s3_api: TestApp, s3_registry: Any) -> None:
    file = add_file(s3_registry)
    s3_api.get(file.path, headers={"If-None-Match": f'"{file.etag}"'}, status=304)


def test_raw_bytes_come_from_the_service_itself(s3_api: TestApp, s3_registry: Any, owner: Any) -> None:
    data = image("JPEG", exif=exif())
    client = dataclasses.replace(owner, api=s3_api)
    upload = [("file", "cup.jpg", data)]
    asset = client.post("/api/assets/upload/", upload_files=upload, status=201).json
    raw = f"/api/assets/{asset['id']}/raw/"
    assert client.get(raw).body == data
    assert client.get(raw, headers={"Range": "bytes=3-9"}, status=206).body == data[3:10]
    public = httpx.get(s3_api.get(urlsplit(asset["preview_url"]).path, status=302).location).content
    assert (len(public), public == data) == (asset["size_bytes"], False)


def test_unreachable_bucket_is_502(
    s3_api: TestApp, s3_registry: Any, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage_of(s3_registry), "_bucket", "gone")
    client = dataclasses.replace(owner, api=s3_api)
    upload = [("file", "cup.png", image("PNG"))]
    reply = client.post("/api/assets/upload/", upload_files=upload, status=502)
    assert reply.json["code"] == "storage_error"


def test_missing_bucket_is_not_ready(
    s3_api: TestApp, s3_registry: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage_of(s3_registry), "_bucket", "gone")
    checks = s3_api.get("/api/health/ready/", status=503).json["checks"]
    assert checks["storage"] == {"status": "failing", "detail": "The bucket can't be reached."}
