"""Users' pictures, and the packaged one of those who have set none."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass
from importlib.resources import files
from typing import Final, cast

from pyramid.config import Configurator
from pyramid.registry import Registry
from sqlalchemy.orm import Session

from contentsvc.security.models import User
from contentsvc.storage.files import FileFacts
from contentsvc.storage.models import MediaFile

_KEY: Final = "contentsvc.default_avatar"


@dataclass(frozen=True)
class Picture:
    """A PNG and its strong entity tag."""

    content: bytes
    etag: str


def default_avatar(registry: Registry) -> Picture:
    """The picture, read once at the start."""
    return cast("Picture", registry[_KEY])


@dataclass(frozen=True)
class Replaced:
    """A user with his new picture, and the key of the file that it took the place of."""

    user: User
    old_key: str | None


def replace_avatar(session: Session, user_id: uuid.UUID, picture: FileFacts | None) -> Replaced:
    """Give a user a picture that lies in storage already, or, with None, the packaged one.

    The old file's row is gone with the commit; its bytes are the caller's to delete after that.
    """
    user = session.get_one(
        User, user_id, populate_existing=True, with_for_update={"of": User, "key_share": True}
    )
    old = user.avatar_file
    user.avatar_file = None if picture is None else MediaFile.of(picture)
    if old is not None:
        session.delete(old)
    session.flush()
    return Replaced(user, old.key if old else None)


def includeme(config: Configurator) -> None:
    """Read the picture."""
    content = (files("contentsvc.accounts") / "static" / "avatar.png").read_bytes()
    config.registry[_KEY] = Picture(content, hashlib.sha256(content).hexdigest())
