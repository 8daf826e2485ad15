"""Real films, small ones."""

from pathlib import Path
from typing import Any

import ffmpeg_fakes as fakes
import pytest

from contentsvc.plugin import ExportClip, ProviderError, Subtitle, SubtitleStyle, TransitionType

RED, BLUE = fakes.RED, fakes.BLUE


def lead_into(kind: TransitionType, seconds: float, media: fakes.FakeMedia, **changes: Any) -> ExportClip:
    return ExportClip(media, transition=kind, transition_seconds=seconds, **changes)


def is_red(colour: tuple[int, int, int]) -> bool:
    return colour[0] > 150 and colour[2] < 80


def is_blue(colour: tuple[int, int, int]) -> bool:
    return colour[2] > 150 and colour[0] < 80


def test_the_film_is_h264_and_aac_at_the_size_asked_for(tmp_path: Path) -> None:
    made = fakes.export(fakes.order(ExportClip(fakes.clip())), tmp_path)
    report = fakes.report_of(made.video.path)
    assert "Video: h264 (High)" in report
    assert "yuv420p" in report
    assert "108x192 [SAR 1:1 DAR 9:16]" in report
    assert "24 fps" in report
    assert "Audio: aac (LC)" in report
    assert "48000 Hz, stereo" in report


def test_the_film_can_be_played_while_it_is_loaded(tmp_path: Path) -> None:
    data = fakes.export(fakes.order(ExportClip(fakes.clip())), tmp_path).video.path.read_bytes()
    assert 0 < data.index(b"moov") < data.index(b"mdat")


def test_hard_cuts_follow_one_another(tmp_path: Path) -> None:
    made = fakes.export(fakes.order(ExportClip(fakes.clip(RED)), ExportClip(fakes.clip(BLUE))), tmp_path)
    assert made.duration_seconds == 2.0
    assert fakes.seconds_of(made.video.path) == pytest.approx(2.0, abs=0.03)
    assert is_red(fakes.pixel(made.video.path, 0.9))
    assert is_blue(fakes.pixel(made.video.path, 1.05))


def test_trims_take_the_middle_of_a_clip(tmp_path: Path) -> None:
    cut = ExportClip(fakes.counter(2.0), trim_start=0.5, trim_end=1.5)
    made = fakes.export(fakes.order(cut), tmp_path)
    assert fakes.seconds_of(made.video.path) == pytest.approx(1.0, abs=0.03)
    assert fakes.pixel(made.video.path, 0.0)[0] == pytest.approx(56, abs=12)
    assert fakes.pixel(made.video.path, 0.9)[0] == pytest.approx(189, abs=12)


@pytest.mark.parametrize("kind", [kind for kind in TransitionType if kind is not TransitionType.NONE])
def test_a_transition_overlaps_the_clips(kind: TransitionType, tmp_path: Path) -> None:
    clips = lead_into(kind, 0.5, fakes.clip(RED)), ExportClip(fakes.clip(BLUE))
    made = fakes.export(fakes.order(*clips), tmp_path)
    assert fakes.seconds_of(made.video.path) == pytest.approx(1.5, abs=0.03)
    assert is_red(fakes.pixel(made.video.path, 0.4))
    assert is_blue(fakes.pixel(made.video.path, 1.05))
    halfway = fakes.frame(made.video.path, 0.75).resize((1, 1)).getpixel((0, 0))
    assert isinstance(halfway, tuple)
    assert halfway[0] == pytest.approx(112, abs=30)


def test_a_wipe_and_a_slide_come_from_the_right(tmp_path: Path) -> None:
    for kind in (TransitionType.WIPE, TransitionType.SLIDE):
        clips = lead_into(kind, 0.5, fakes.clip(RED)), ExportClip(fakes.clip(BLUE))
        made = fakes.export(fakes.order(*clips), tmp_path / kind)
        assert is_red(fakes.pixel(made.video.path, 0.75, x=0.1))
        assert is_blue(fakes.pixel(made.video.path, 0.75, x=0.9))


def test_cuts_and_transitions_mix(tmp_path: Path) -> None:
    fade = TransitionType.FADE
    made = fakes.export(
        fakes.order(
            ExportClip(fakes.clip(RED)),
            lead_into(fade, 0.25, fakes.clip(BLUE)),
            ExportClip(fakes.clip(RED)),
            lead_into(fade, 0.5, fakes.clip(BLUE)),
            lead_into(fade, 0.5, fakes.clip(RED)),
        ),
        tmp_path,
    )
    assert made.duration_seconds == 4.25
    assert fakes.seconds_of(made.video.path) == pytest.approx(4.25, abs=0.03)
    seen = [is_red(fakes.pixel(made.video.path, at)) for at in (0.5, 1.5, 2.2, 3.0, 4.0)]
    assert seen == [True, False, True, False, True]


def test_a_transition_as_long_as_its_clips_is_all_there_is(tmp_path: Path) -> None:
    fade = TransitionType.FADE
    clips = lead_into(fade, 9, fakes.clip(RED)), lead_into(fade, 9, fakes.clip(BLUE))
    made = fakes.export(fakes.order(*clips), tmp_path)
    assert made.duration_seconds == 1.0
    assert fakes.seconds_of(made.video.path) == pytest.approx(1.0, abs=0.05)


def test_clips_of_other_shapes_are_fitted_not_stretched(tmp_path: Path) -> None:
    wide = fakes.clip(RED, size="192x108")
    made = fakes.export(fakes.order(ExportClip(wide)), tmp_path)
    assert is_red(fakes.pixel(made.video.path, 0.5))
    # Its darkened enlargement lies above and below: the picture itself is 61 of 192 pixels high.
    assert fakes.pixel(made.video.path, 0.5, y=0.36)[0] > 150
    assert 80 < fakes.pixel(made.video.path, 0.5, y=0.3)[0] < 140


def test_a_clip_of_another_rate_keeps_its_time(tmp_path: Path) -> None:
    clips = ExportClip(fakes.clip(RED, seconds=2)), ExportClip(fakes.clip(BLUE, rate=60))
    made = fakes.export(fakes.order(*clips), tmp_path)
    assert fakes.seconds_of(made.video.path) == pytest.approx(3.0, abs=0.05)
    assert "24 fps" in fakes.report_of(made.video.path)


def test_a_clip_that_cannot_be_read_is_skipped(tmp_path: Path) -> None:
    broken = fakes.FakeMedia(b"not a film at all" * 100), fakes.FakeMedia(None)
    clips = ExportClip(fakes.clip(RED)), *map(ExportClip, broken), ExportClip(fakes.clip(BLUE))
    made = fakes.export(fakes.order(*clips), tmp_path)
    assert made.skipped == (1, 2)
    assert fakes.seconds_of(made.video.path) == pytest.approx(2.0, abs=0.03)


def test_a_clip_whose_pictures_are_garbage_is_skipped(tmp_path: Path) -> None:
    data = fakes.clip(BLUE, seconds=2).data
    assert data is not None
    start = data.index(b"mdat") + 4
    end = data.index(b"moov", start)
    garbage = fakes.FakeMedia(data[:start] + bytes(end - start) + data[end:])
    made = fakes.export(fakes.order(ExportClip(fakes.clip(RED)), ExportClip(garbage)), tmp_path)
    assert made.skipped == (1,)


def test_a_clip_that_is_damaged_halfway_keeps_its_place(tmp_path: Path) -> None:
    data = fakes.clip(RED, seconds=2, tone=300).data
    assert data is not None
    start = data.index(b"mdat") + 4
    end = data.index(b"moov", start)
    middle = (start + end) // 2
    damaged = fakes.FakeMedia(data[:middle] + bytes(end - middle) + data[end:])
    made = fakes.export(fakes.order(ExportClip(damaged), ExportClip(fakes.clip(BLUE))), tmp_path)
    assert made.skipped == ()
    assert fakes.seconds_of(made.video.path) == pytest.approx(3.0, abs=0.05)
    assert is_red(fakes.pixel(made.video.path, 1.8))
    assert is_blue(fakes.pixel(made.video.path, 2.1))


def test_without_a_readable_clip_there_is_no_film(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="None of the clips"):
        fakes.export(fakes.order(ExportClip(fakes.FakeMedia(b"x"))), tmp_path)


def test_a_playlist_that_names_other_files_is_no_clip(tmp_path: Path) -> None:
    playlist = b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n"
    with pytest.raises(ProviderError, match="None of the clips"):
        fakes.export(fakes.order(ExportClip(fakes.FakeMedia(playlist))), tmp_path)


def differs(path: Path, plain: Path, at: float, top: float, bottom: float) -> bool:
    """Whether the two films differ in a strip, shares of the height, at a second."""
    pictures = [fakes.frame(found, at) for found in (path, plain)]
    box = (0, int(fakes.HEIGHT * top), fakes.WIDTH, int(fakes.HEIGHT * bottom))
    strips = [picture.crop(box).tobytes() for picture in pictures]
    return sum(abs(one - two) > 60 for one, two in zip(*strips, strict=True)) > 50


@pytest.mark.parametrize(
    ("position", "strip"), [("top", (0.0, 0.3)), ("middle", (0.35, 0.65)), ("bottom", (0.7, 1.0))]
)
def test_subtitles_are_on_the_picture_at_their_place_and_time(
    position: str, strip: tuple[float, float], tmp_path: Path
) -> None:
    clip = ExportClip(fakes.clip(RED, seconds=2))
    plain = fakes.export(fakes.order(clip), tmp_path / "plain").video.path
    shown = fakes.order(
        clip,
        subtitles=(Subtitle("Good {morning}", 0.5, 1.2),),
        subtitle_style=SubtitleStyle(font_size=14, position=position),
    )
    film = fakes.export(shown, tmp_path / "shown").video.path
    assert differs(film, plain, 0.8, *strip)
    elsewhere = (0.35, 0.65) if position != "middle" else (0.0, 0.3)
    assert not differs(film, plain, 0.8, *elsewhere)
    assert not differs(film, plain, 0.2, *strip)
    assert not differs(film, plain, 1.6, *strip)


def test_subtitles_have_the_colour_asked_for(tmp_path: Path) -> None:
    request = fakes.order(
        ExportClip(fakes.clip(BLUE)),
        subtitles=(Subtitle("MMMM", 0, 1),),
        subtitle_style=SubtitleStyle(font_size=24, color="#20FF20", position="middle"),
    )
    picture = fakes.frame(fakes.export(request, tmp_path).video.path, 0.5)
    greens = [True for count, (r, g, b) in picture.getcolors(99999) or [] if g > 180 and r < 110 and b < 110]
    assert greens


def test_subtitles_no_font_can_draw_are_counted(tmp_path: Path) -> None:
    request = fakes.order(ExportClip(fakes.clip()), subtitles=(Subtitle("浓缩咖啡", 0, 1),))
    assert fakes.export(request, tmp_path).video.metadata["subtitles_omitted"] == 1
