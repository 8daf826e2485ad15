"""Files taken in: told, measured, refused, limited, named."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, PngImagePlugin

from contentsvc.http.errors import ApiError, ErrorCode
from contentsvc.storage.backends import StorageError
from contentsvc.storage.backends.local import LocalStorage
from contentsvc.storage.errors import MediaRejected
from contentsvc.storage.files import MediaKind
from contentsvc.storage.ingest import DECODERS, ingest
from tests.functional.storages import Intake
from tests.media_samples import (
    HTML,
    PDF,
    SECRET,
    SVG,
    animation,
    exif,
    image,
    noise,
    png_that_declares,
    png_with_text,
    sound,
    sound_wav,
    video,
)

HIDDEN = SECRET.encode()


@pytest.fixture
def intake(tmp_path: Path) -> Intake:
    return Intake(tmp_path)


@dataclass(frozen=True)
class Sample:
    """A type of the contract, and what is known of its sample."""

    make: Callable[[], bytes]
    kind: str
    media_type: str

    @property
    def size(self) -> tuple[int | None, int | None]:
        return (64, 48) if self.kind in {"image", "video"} else (None, None)


EVERY_TYPE = {
    "png": Sample(lambda: image("PNG"), "image", "image/png"),
    "jpeg": Sample(lambda: image("JPEG"), "image", "image/jpeg"),
    "webp": Sample(lambda: image("WEBP"), "image", "image/webp"),
    "gif": Sample(lambda: image("GIF"), "image", "image/gif"),
    "mp4": Sample(lambda: video("mp4"), "video", "video/mp4"),
    "mov": Sample(lambda: video("mov"), "video", "video/quicktime"),
    "webm": Sample(lambda: video("webm"), "video", "video/webm"),
    "mp3": Sample(lambda: sound("mp3"), "audio", "audio/mpeg"),
    "wav": Sample(lambda: sound("wav"), "audio", "audio/wav"),
    "m4a": Sample(lambda: sound("m4a"), "audio", "audio/mp4"),
    "aac": Sample(lambda: sound("aac"), "audio", "audio/aac"),
    "vorbis": Sample(lambda: sound("ogg", "-c:a", "libvorbis"), "audio", "audio/ogg"),
    "opus": Sample(lambda: sound("ogg", "-c:a", "libopus"), "audio", "audio/ogg"),
    "mp4 without a picture": Sample(lambda: sound("mp4"), "audio", "audio/mp4"),
    "pdf": Sample(lambda: PDF, "document", "application/pdf"),
}


@pytest.fixture(params=EVERY_TYPE.values(), ids=EVERY_TYPE.keys())
def sample(request: pytest.FixtureRequest) -> Sample:
    return request.param


def test_every_type_is_told_and_measured(intake: Intake, sample: Sample) -> None:
    stored = intake.take(sample.make())
    assert (stored.kind, stored.media_type) == (sample.kind, sample.media_type)
    assert (stored.width, stored.height) == sample.size


def test_what_lasts_has_a_duration(intake: Intake, sample: Sample) -> None:
    duration = intake.take(sample.make()).duration_seconds
    assert (duration is None) == (sample.kind in {"image", "document"})
    assert duration is None or 0.95 <= duration <= 1.1


def test_public_copy_of_every_type_carries_no_metadata(intake: Intake, sample: Sample) -> None:
    stored = intake.take(sample.make())
    assert HIDDEN not in intake.read(stored.public)


def test_original_of_every_type_is_kept(intake: Intake, sample: Sample) -> None:
    stored = intake.take(sample.make())
    assert intake.read(stored.original or stored.public) == sample.make()


def test_size_describes_the_public_copy(intake: Intake, sample: Sample) -> None:
    public = intake.take(sample.make()).public
    assert public.size_bytes == len(intake.read(public))


def test_pictures_and_videos_have_thumbnails(intake: Intake, sample: Sample) -> None:
    thumbnail = intake.take(sample.make()).thumbnail
    assert (thumbnail is not None) == (sample.kind in {"image", "video"})


@pytest.mark.parametrize(
    "data",
    [
        b"",
        SVG,
        HTML,
        image("BMP"),
        image("TIFF"),
        b"#EXTM3U\nhttp://127.0.0.1:9/x.ts\n",
        image("PNG")[:-40],
        noise("JPEG")[:9000],
        noise("WEBP")[:9000],
        noise("GIF")[:9000],
        animation("GIF", frames=5)[:-60],
        b"\x89PNG\r\n\x1a\n" + HTML,
        b"\xff\xd8\xff" + HTML,
        b"GIF89a" + HTML * 5,
        b"RIFF\x00\x00\x00\x00WEBP" + HTML,
        b"\x00\x00\x00\x18ftypisom" + HTML,
        b"\x1aE\xdf\xa3\x87B\x82\x84webm" + HTML,
        b"\xff\xfb\x90\x64" + HTML * 10,
        b"\xff\xf1\x50\x80" + HTML * 10,
        b"OggS\x00\x02" + HTML * 5,
        b"RIFF\x00\x00\x00\x00WAVEfmt " + HTML,
        b"%PDF-1.4\n" + HTML,
    ],
)
def test_what_does_not_decode_is_refused(intake: Intake, data: bytes) -> None:
    with pytest.raises(MediaRejected):
        intake.take(data, "harmless.png")
    assert intake.files() == []


def test_video_cut_off_is_refused(intake: Intake) -> None:
    data = video("mp4")
    with pytest.raises(MediaRejected):
        intake.take(data[: len(data) // 2])


def test_webm_without_a_picture_is_refused(intake: Intake) -> None:
    with pytest.raises(MediaRejected):
        intake.take(sound("webm"))


def test_refusal_names_the_types_that_are_taken(intake: Intake) -> None:
    with pytest.raises(MediaRejected, match="Send PNG, JPEG, WEBP or GIF"):
        intake.take(PDF, kinds={MediaKind.IMAGE})


def test_sound_in_an_mp4_is_no_video(intake: Intake) -> None:
    with pytest.raises(MediaRejected):
        intake.take(sound("mp4"), kinds={MediaKind.VIDEO})


class TestLimits:
    """Bytes, pixels, frames."""

    @pytest.mark.parametrize(
        ("setting", "make"),
        [
            ("image_max_bytes", lambda: image("PNG")),
            ("video_max_bytes", lambda: video("mp4")),
            ("audio_max_bytes", lambda: sound("mp3")),
            ("audio_max_bytes", lambda: sound("mp4")),
            ("document_max_bytes", lambda: PDF),
        ],
    )
    def test_one_byte_too_many_is_413(self, intake: Intake, setting: str, make: Callable[[], bytes]) -> None:
        data = make()
        intake.limit(**{setting: len(data)})
        intake.take(data)
        intake.limit(**{setting: len(data) - 1})
        with pytest.raises(ApiError) as caught:
            intake.take(data)
        assert (caught.value.status, caught.value.code) == (413, ErrorCode.PAYLOAD_TOO_LARGE)

    @pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
    def test_one_pixel_too_many_is_refused(self, intake: Intake, kind: str) -> None:
        intake.limit(image_max_pixels=64 * 48)
        intake.take(image(kind))
        intake.limit(image_max_pixels=64 * 48 - 1)
        with pytest.raises(MediaRejected, match="64×48"):
            intake.take(image(kind))

    def test_giant_is_refused_without_decoding(self, intake: Intake, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Image, "open", lambda *_args, **_options: pytest.fail("decoded"))
        with pytest.raises(MediaRejected, match="60000×60000"):
            intake.take(png_that_declares(60000, 60000))

    def test_giant_within_a_webp_header_is_refused(self, intake: Intake) -> None:
        data = bytearray(image("WEBP", exif=exif()))
        assert data[12:16] == b"VP8X"
        data[24:30] = b"\xff\xff\xff" * 2
        with pytest.raises(MediaRejected, match="16777216×16777216"):
            intake.take(bytes(data))

    @pytest.mark.parametrize("kind", ["PNG", "WEBP", "GIF"])
    def test_one_frame_too_many_is_refused(self, intake: Intake, kind: str) -> None:
        intake.limit(image_max_frames=5)
        intake.take(animation(kind, frames=5))
        with pytest.raises(MediaRejected, match="more than 5 frames"):
            intake.take(animation(kind, frames=6))

    def test_frames_count_together(self, intake: Intake) -> None:
        intake.limit(animation_max_pixels=32 * 24 * 5)
        intake.take(animation("GIF", frames=5))
        with pytest.raises(MediaRejected, match="together"):
            intake.take(animation("GIF", frames=6))

    def test_video_of_too_many_pixels_is_refused(self, intake: Intake) -> None:
        intake.limit(image_max_pixels=64 * 48 - 1)
        with pytest.raises(MediaRejected):
            intake.take(video("mp4"))

    def test_compressed_text_that_unpacks_to_much_is_never_unpacked(self, intake: Intake) -> None:
        info = PngImagePlugin.PngInfo()
        info.add_text("bomb", "x" * 80_000_000, zip=True)
        stored = intake.take(image("PNG", pnginfo=info))
        assert stored.public.size_bytes < 5000

    def test_only_two_decode_at_once(self, intake: Intake, monkeypatch: pytest.MonkeyPatch) -> None:
        running, most, lock = 0, 0, threading.Lock()
        both = threading.Barrier(DECODERS)

        def decode(*_args: Any, **_options: Any) -> None:
            nonlocal running, most
            with lock:
                running += 1
                most = max(most, running)
            both.wait(10)
            with lock:
                running -= 1
            raise MediaRejected("seen")

        monkeypatch.setattr("contentsvc.storage.ingest.process", decode)
        path = intake.folder / "incoming"
        path.write_bytes(image("PNG"))

        def take() -> None:
            with pytest.raises(MediaRejected, match="seen"):
                ingest(intake.registry, path, "a.png")

        threads = [threading.Thread(target=take) for _ in range(3 * DECODERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert most == DECODERS


class TestNames:
    """Names to show; where a file lies is never the client's choice."""

    @pytest.mark.parametrize(
        ("sent", "shown"),
        [
            ("cup.png", "cup.png"),
            ("cup.exe", "cup.png"),
            ("cup", "cup.png"),
            ("../../etc/passwd", "passwd.png"),
            ("C:\\temp\\größe.jpeg", "größe.png"),
            ("", "file.png"),
            ("a\x00b\u202egnp.exe", "abgnp.png"),
            ("x" * 300 + ".png", "x" * 80 + ".png"),
        ],
    )
    def test_extension_follows_the_bytes(self, intake: Intake, sent: str, shown: str) -> None:
        assert intake.take(image("PNG"), sent).public.filename == shown

    def test_keys_are_random(self, intake: Intake) -> None:
        keys = {file.key for _ in range(3) for file in intake.take(png_with_text()).files}
        assert len(keys) == 9


class TestFailingStorage:
    """The storage says no."""

    def test_leaves_no_file_behind(self, intake: Intake, monkeypatch: pytest.MonkeyPatch) -> None:
        put, calls = LocalStorage.put, []

        def fail_third(storage: LocalStorage, key: str, path: Path, media_type: str) -> None:
            calls.append(key)
            if len(calls) == 3:
                raise StorageError
            put(storage, key, path, media_type)

        monkeypatch.setattr(LocalStorage, "put", fail_third)
        with pytest.raises(StorageError):
            intake.take(png_with_text())
        assert intake.files() == []

    def test_is_a_502(self) -> None:
        assert (StorageError().status, StorageError().code) == (502, ErrorCode.STORAGE_ERROR)


def test_work_files_are_gone_afterwards(intake: Intake) -> None:
    intake.take(video("mp4"))
    with pytest.raises(MediaRejected):
        intake.take(SVG)
    assert list((intake.folder / "temporary").iterdir()) == []


def test_sound_of_any_length_is_told(intake: Intake) -> None:
    assert intake.take(sound_wav(2.5)).duration_seconds == 2.5
