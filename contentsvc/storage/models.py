"""Rows that describe stored files."""

from __future__ import annotations

from typing import Self
from urllib.parse import quote

from sqlalchemy import BigInteger, CheckConstraint
from sqlalchemy.orm import Mapped, mapped_column

from contentsvc.db.base import Base, Entity
from contentsvc.storage.files import FileFacts


class MediaFile(Entity, Base):
    """A file in storage. ``key`` is 128 random bits: whoever knows it may read a public file.

    ``etag`` is the SHA-256 of the bytes, hex. ``is_public`` is false for originals, which
    are only served to their team.
    """

    __tablename__ = "media_file"
    __table_args__ = (CheckConstraint("size_bytes >= 0", name="size"),)

    key: Mapped[str] = mapped_column(unique=True)
    filename: Mapped[str]
    media_type: Mapped[str]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    etag: Mapped[str]
    is_public: Mapped[bool] = mapped_column(default=True)

    @classmethod
    def of(cls, facts: FileFacts, *, is_public: bool = True) -> Self:
        """The row of a file that lies in storage."""
        return cls(
            key=facts.key,
            filename=facts.filename,
            media_type=facts.media_type,
            size_bytes=facts.size_bytes,
            etag=facts.etag,
            is_public=is_public,
        )

    @property
    def path(self) -> str:
        """Where the media view serves it, relative to the service's address."""
        return f"/api/media/{self.key}/{quote(self.filename)}"
