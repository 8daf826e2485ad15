import pytest

from contentsvc_ffmpeg.probe import length_of, read_report, told_seconds

REPORT = """
  Duration: 00:00:02.50, start: 0.000000, bitrate: 97 kb/s
  Stream #0:0[0x1](und): Video: h264 (High) (avc1 / 0x31637661), yuv420p(progressive), {size}, 22 kb/s, 24 fps
{more}
Stream mapping:
  Stream #0:1 -> #0:0 (copy)
  Stream #0:9: Audio: aac
"""
SOUND = (
    "  Stream #0:1[0x2](und): Audio: aac (LC) (mp4a / 0x6134706D), 44100 Hz, mono, fltp, 69 kb/s (default)"
)
COVER = "  Stream #0:1: Video: png, rgb24, 100x100, 90k tbr (attached pic)"
TURNED = "      Side data:\n        displaymatrix: rotation of -90.00 degrees"


@pytest.mark.parametrize(
    ("size", "more", "shape"),
    [
        ("1080x1920", "", 1080 / 1920),
        ("1080x1920 [SAR 1:1 DAR 9:16]", SOUND, 1080 / 1920),
        ("720x576 [SAR 64:45 DAR 16:9]", "", 16 / 9),
        ("1920x1080 [SAR 1:1 DAR 16:9]", TURNED, 1080 / 1920),
        ("640x480 [SAR 0:1 DAR 0:1]", COVER, 640 / 480),
        ("no size", "", 1.0),
    ],
)
def test_the_shape_is_the_one_that_is_shown(size: str, more: str, shape: float) -> None:
    assert read_report(REPORT.format(size=size, more=more))[0] == pytest.approx(shape)


def test_sound_is_seen_among_the_inputs_streams_only() -> None:
    assert read_report(REPORT.format(size="2x2", more=SOUND))[1] is True
    assert read_report(REPORT.format(size="2x2", more=COVER))[1] is False


def test_the_header_tells_how_long_the_file_lasts() -> None:
    assert told_seconds(REPORT.format(size="2x2", more=SOUND)) == 2.5
    assert told_seconds(REPORT.replace("00:00:02.50", "N/A")) == 0.0


def test_the_length_ends_with_the_last_picture_shown() -> None:
    packets = ["#tb 0: 1/1000", "0, -40, 0, 40, 9, 0x1", "0, 0, 120, 40, 9, 0x2", "0, 40, 40, 40, 9, 0x3"]
    assert length_of(packets) == (0.16, 3)


def test_no_packets_last_no_time() -> None:
    assert length_of(["#tb 0: 1/1000"]) == (0.0, 0)
