"""The packaged picture of users who have set none."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from typing import Final, cast

from pyramid.config import Configurator
from pyramid.registry import Registry

_KEY: Final = "contentsvc.default_avatar"


@dataclass(frozen=True)
class Picture:
    """A PNG and its strong entity tag."""

    content: bytes
    etag: str


def default_avatar(registry: Registry) -> Picture:
    """The picture, read once at the start."""
    return cast("Picture", registry[_KEY])


def includeme(config: Configurator) -> None:
    """Read the picture."""
    content = (files("contentsvc.accounts") / "static" / "avatar.png").read_bytes()
    config.registry[_KEY] = Picture(content, hashlib.sha256(content).hexdigest())
