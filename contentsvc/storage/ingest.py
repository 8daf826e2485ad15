"""A file taken in: told from its bytes, checked, made fit for the public, put into storage."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final, cast

from PIL import Image
from pyramid.registry import Registry

from contentsvc.http.errors import ApiError, ErrorCode
from contentsvc.http.uploads import clean_filename
from contentsvc.settings import Settings, UploadSettings
from contentsvc.storage import ffmpeg
from contentsvc.storage.backends import Storage, storage_of
from contentsvc.storage.errors import MediaRejected, StorageError
from contentsvc.storage.files import FileFacts, MediaKind, StoredMedia, digest_of
from contentsvc.storage.images.process import process, write_square, write_thumbnail
from contentsvc.storage.keys import new_key
from contentsvc.storage.sniffing import FACTS, Format, sniff

ALL_KINDS: Final = frozenset(MediaKind)
STEM_LENGTH = 80
AVATAR_SIDE = 512
AVATAR_TYPE = "image/webp"
IMAGES: Final = frozenset({MediaKind.IMAGE})
# Decoding is where a small file can cost much memory; so many run at once in a process.
DECODERS = 2
_SLOTS: Final = "contentsvc.media_slots"
_PDF_END = b"%%EOF"
_PDF_TAIL_BYTES = 2048


@dataclass(frozen=True, slots=True)
class _Prepared:
    """Files ready to be stored. ``public`` is the source itself where nothing had to change."""

    format: Format
    public: Path
    thumbnail: Path | None = None
    width: int | None = None
    height: int | None = None
    duration: float | None = None


def install_slots(registry: Registry) -> None:
    """Give the application its decoding slots."""
    registry[_SLOTS] = threading.BoundedSemaphore(DECODERS)


def ingest(
    registry: Registry,
    path: Path,
    filename: str,
    *,
    kinds: Collection[MediaKind | str] = ALL_KINDS,
    limits: UploadSettings | None = None,
    trusted: bool = False,
) -> StoredMedia:
    """Take in the file at ``path``, which stays where it is; ``filename`` is only a name to show.

    ``limits`` default to the ini's. ``trusted`` (files the service has made itself) leaves
    video and sound in the container they came in. No database; call it outside of a
    transaction. Raises MediaRejected (a type that isn't taken, too many pixels, doesn't
    decode), ApiError 413 (too many bytes) and StorageError.
    """
    settings: Settings = registry["contentsvc.settings"]
    bounds = limits or settings.uploads
    found = _told(path, kinds)
    _check_bytes(path, FACTS[found].kind, bounds)
    with _folder(settings) as folder:
        with _slot(registry):
            prepared = _prepare(path, found, folder, bounds, trusted=trusted)
        if FACTS[prepared.format].kind not in kinds:
            raise _not_taken(kinds)
        return _store(storage_of(registry), path, prepared, filename)


def ingest_avatar(registry: Registry, path: Path) -> FileFacts:
    """Take in a picture as a square WebP of 512 pixels each way; nothing else of it is stored.

    No database; call it outside of a transaction. Raises MediaRejected and StorageError.
    """
    settings: Settings = registry["contentsvc.settings"]
    found = _told(path, IMAGES)
    with _folder(settings) as folder:
        square = folder / "avatar"
        with _slot(registry):
            write_square(path, found, square, AVATAR_SIDE, settings.uploads)
        file = FileFacts(new_key(), "avatar.webp", AVATAR_TYPE, square.stat().st_size, digest_of(square))
        storage_of(registry).put(file.key, square, file.media_type)
    return file


def _told(path: Path, kinds: Collection[MediaKind | str]) -> Format:
    found = sniff(path)
    if found is None or FACTS[found].kind not in kinds:
        raise _not_taken(kinds)
    return found


def _not_taken(kinds: Collection[MediaKind | str]) -> MediaRejected:
    return MediaRejected(f"This type of file is not taken here. Send {_names(kinds)}.")


@contextmanager
def _folder(settings: Settings) -> Iterator[Path]:
    """A folder for what is made on the way."""
    parent = settings.uploads.temp_dir
    if parent is not None:
        parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ingest-", dir=parent) as name:
        yield Path(name)


def _slot(registry: Registry) -> threading.BoundedSemaphore:
    """Held while an image is decoded."""
    return cast("threading.BoundedSemaphore", registry[_SLOTS])


def _prepare(path: Path, found: Format, folder: Path, limits: UploadSettings, *, trusted: bool) -> _Prepared:
    kind = FACTS[found].kind
    if kind is MediaKind.IMAGE:
        image = process(path, found, folder, limits)
        return _Prepared(found, image.public, image.thumbnail, image.width, image.height)
    if kind is MediaKind.DOCUMENT:
        _check_pdf(path)
        return _Prepared(found, path)
    target = None if trusted else folder / "public"
    report = ffmpeg.copy(path, found, target)
    public = target or path
    duration = ffmpeg.duration_of(report, found)
    if kind is MediaKind.VIDEO and report.has_video:
        return _with_frame(_Prepared(found, public, duration=duration), folder, limits)
    if kind is MediaKind.VIDEO and found is not Format.MP4:
        raise MediaRejected("The video has no picture.")
    # An MP4 without a picture is what others name .m4a.
    sound = Format.M4A if found is Format.MP4 else found
    _check_bytes(path, MediaKind.AUDIO, limits)
    ffmpeg.check_sound(public, sound)
    return _Prepared(sound, public, duration=duration)


def _with_frame(video: _Prepared, folder: Path, limits: UploadSettings) -> _Prepared:
    """The video's size as it is shown, and its thumbnail, from a decoded frame."""
    frame, thumbnail = folder / "frame.ppm", folder / "thumbnail"
    # The very first frame is often black.
    for moment in (min(1.0, (video.duration or 0.0) / 2), 0.0):
        if ffmpeg.grab_frame(
            video.public, video.format, frame, at=moment, max_pixels=limits.image_max_pixels
        ):
            break
    else:
        raise MediaRejected("The video is damaged and can't be decoded.")
    with Image.open(frame, formats=["PPM"]) as picture:
        write_thumbnail(picture, thumbnail)
        width, height = picture.size
    return _Prepared(video.format, video.public, thumbnail, width, height, video.duration)


def _store(storage: Storage, source: Path, prepared: _Prepared, filename: str) -> StoredMedia:
    """Put everything into storage; when one file fails, none stays."""
    facts = FACTS[prepared.format]
    stem = PurePath(clean_filename(filename)).stem[:STEM_LENGTH].strip() or "file"
    name = f"{stem}{facts.extension}"
    stored: list[FileFacts] = []

    def put(path: Path, shown_as: str, media_type: str) -> FileFacts:
        file = FileFacts(new_key(), shown_as, media_type, path.stat().st_size, digest_of(path))
        stored.append(file)
        storage.put(file.key, path, media_type)
        return file

    try:
        public = put(prepared.public, name, facts.media_type)
        original = None if prepared.public == source else put(source, name, facts.media_type)
        thumbnail = put(prepared.thumbnail, f"{stem}.webp", "image/webp") if prepared.thumbnail else None
    except StorageError:
        discard(storage, stored)
        raise
    return StoredMedia(
        public=public,
        original=original,
        thumbnail=thumbnail,
        kind=facts.kind,
        media_type=facts.media_type,
        width=prepared.width,
        height=prepared.height,
        duration_seconds=prepared.duration,
    )


def discard(storage: Storage, files: Collection[FileFacts]) -> None:
    """Remove files that no row will point at, as far as that works; the sweep gets the rest."""
    for file in files:
        with suppress(StorageError):
            storage.delete(file.key)


def _check_bytes(path: Path, kind: MediaKind, limits: UploadSettings) -> None:
    limit = _MAX_BYTES[kind](limits)
    if path.stat().st_size > limit:
        raise ApiError(ErrorCode.PAYLOAD_TOO_LARGE, f"The {kind} is larger than {limit} bytes.")


_MAX_BYTES: dict[MediaKind, Callable[[UploadSettings], int]] = {
    MediaKind.IMAGE: lambda limits: limits.image_max_bytes,
    MediaKind.VIDEO: lambda limits: limits.video_max_bytes,
    MediaKind.AUDIO: lambda limits: limits.audio_max_bytes,
    MediaKind.DOCUMENT: lambda limits: limits.document_max_bytes,
}


def largest_bytes(limits: UploadSettings, kinds: Collection[MediaKind | str] = ALL_KINDS) -> int:
    """The most bytes a file of any of these kinds may have."""
    return max(size(limits) for kind, size in _MAX_BYTES.items() if kind in kinds)


def _check_pdf(path: Path) -> None:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _PDF_TAIL_BYTES))
        if _PDF_END not in file.read():
            raise MediaRejected("The document is cut off.")


def _names(kinds: Collection[MediaKind | str]) -> str:
    names = [each.upper() for each, facts in FACTS.items() if facts.kind in kinds]
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]
