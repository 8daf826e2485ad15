"""One's own picture: set, shown wherever a user is, replaced, taken away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from pyramid.registry import Registry
from sqlalchemy import select
from webtest import TestApp

from contentsvc.storage.backends import StorageError, storage_of
from contentsvc.storage.backends.local import LocalStorage
from contentsvc.storage.models import MediaFile
from tests.functional.conftest import Client, MakeClient
from tests.functional.teaming import LOGIN, ME, PASSWORD, username_of
from tests.media_samples import HTML, SECRET, animation, exif, image, opened, png_that_declares, sound_wav

AVATAR = "/api/auth/me/avatar/"
DEFAULT = "http://localhost/api/media-default/avatar.png"

Database = Callable[..., Any]


def send(client: Client, data: bytes, status: int = 200, field: str = "file") -> Any:
    return client.post(AVATAR, upload_files=[(field, "me.png", data)], status=status).json


def shown(api: TestApp, user: dict[str, Any]) -> Any:
    return api.get(urlsplit(user["avatar"]).path, status=200)


def keys(database: Database) -> list[str]:
    with database() as session:
        return list(session.scalars(select(MediaFile.key)))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_a_picture_of_each_kind_becomes_a_square_webp(api: TestApp, owner: Client, kind: str) -> None:
    reply = shown(api, send(owner, image(kind, 900, 40)))

    assert reply.content_type == "image/webp"
    assert (opened(reply.body).format, opened(reply.body).size) == ("WEBP", (512, 512))


def test_the_middle_of_the_picture_is_shown(api: TestApp, owner: Client) -> None:
    picture = opened(shown(api, send(owner, image("PNG", 1024, 256))).body).convert("L")

    # The gradient goes from black to white; a quarter of it is left.
    assert 80 < picture.getpixel((5, 256)) < 110
    assert 145 < picture.getpixel((506, 256)) < 175


def test_a_turned_picture_is_shown_upright(api: TestApp, owner: Client) -> None:
    reply = shown(api, send(owner, image("JPEG", 256, 256, exif=exif(6))))

    picture = opened(reply.body).convert("L")
    assert picture.getpixel((256, 5)) < 20
    assert picture.getpixel((256, 506)) > 235
    assert SECRET.encode() not in reply.body


def test_an_animation_shows_its_first_frame(api: TestApp, owner: Client) -> None:
    picture = opened(shown(api, send(owner, animation("GIF"))).body)

    assert getattr(picture, "n_frames", 1) == 1


def test_the_picture_is_shown_wherever_the_user_is(api: TestApp, owner: Client, database: Database) -> None:
    url = send(owner, image("PNG"), field="image")["avatar"]

    name = username_of(database, owner.user_id)
    assert owner.get(ME).json["user"]["avatar"] == url
    assert api.post_json(LOGIN, {"username": name, "password": PASSWORD}).json["user"]["avatar"] == url
    assert owner.patch_json(ME, {"name": "Me"}).json["user"]["avatar"] == url


def test_the_reply_is_the_user(owner: Client) -> None:
    assert send(owner, image("PNG")) == owner.get(ME).json["user"]


@pytest.mark.parametrize("role", ["viewer", "member", "admin"])
def test_everybody_has_a_picture(make_client: MakeClient, role: str) -> None:
    assert send(make_client(role), image("PNG"))["avatar"] != DEFAULT


def test_a_platform_administrator_has_a_picture(admin: Client) -> None:
    assert send(admin, image("PNG"))["avatar"] != DEFAULT


def test_a_replaced_file_is_gone(api: TestApp, owner: Client, registry: Registry, database: Database) -> None:
    first = send(owner, image("PNG"))
    [key] = keys(database)

    second = send(owner, image("JPEG"))

    assert second["avatar"] != first["avatar"]
    assert storage_of(registry).exists(key) is False
    api.get(urlsplit(first["avatar"]).path, status=404)
    assert len(keys(database)) == 1


def test_a_reset_shows_the_default_and_forgets_the_file(
    owner: Client, registry: Registry, database: Database
) -> None:
    send(owner, image("PNG"))
    [key] = keys(database)

    assert owner.delete(AVATAR, status=200).json == owner.get(ME).json["user"]

    assert owner.get(ME).json["user"]["avatar"] == DEFAULT
    assert (storage_of(registry).exists(key), keys(database)) == (False, [])


def test_a_reset_of_nothing_is_the_user(owner: Client) -> None:
    assert owner.delete(AVATAR, status=200).json["avatar"] == DEFAULT


def test_a_storage_that_deletes_nothing_refuses_nothing(
    owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(owner, image("PNG"))
    monkeypatch.setattr(LocalStorage, "delete", _fail)

    assert owner.delete(AVATAR, status=200).json["avatar"] == DEFAULT


def _fail(*_args: Any) -> None:
    raise StorageError


def test_a_failing_storage_is_502_and_the_picture_stays(
    owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = send(owner, image("PNG"))
    monkeypatch.setattr(LocalStorage, "put", _fail)

    refused = send(owner, image("JPEG"), 502)

    assert refused["code"] == "storage_error"
    assert refused["detail"]
    assert owner.get(ME).json["user"] == before


def test_more_than_5_mib_are_too_much(owner: Client, database: Database) -> None:
    most = 5 * 1024 * 1024
    data = image("PNG")

    assert send(owner, data + bytes(most + 1 - len(data)), 413)["code"] == "payload_too_large"
    assert keys(database) == []


@pytest.mark.parametrize(
    "data",
    [HTML, sound_wav(0.1), image("PNG")[:60], png_that_declares(60_000, 60_000), image("BMP")],
    ids=["HTML", "sound", "half a picture", "a bomb", "BMP"],
)
def test_what_is_no_picture_is_named(owner: Client, database: Database, data: bytes) -> None:
    assert set(send(owner, data, 400)) == {"file"}
    assert keys(database) == []


def test_json_is_no_picture(owner: Client) -> None:
    assert owner.post_json(AVATAR, {}, status=415).json["code"] == "unsupported_media_type"


def test_the_picture_of_another_stays(owner: Client, make_client: MakeClient) -> None:
    colleague = make_client("member", team_id=owner.team_id)
    url = send(owner, image("PNG"))["avatar"]
    send(colleague, image("PNG"))
    colleague.delete(AVATAR)

    assert owner.get(ME).json["user"]["avatar"] == url
