import wave
from itertools import pairwise
from pathlib import Path

import pytest

from contentsvc_studio import music


@pytest.fixture(scope="module", params=music.names())
def piece(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    path = tmp_path_factory.mktemp("music") / "bed.wav"
    music.render(request.param, path)
    return request.param, path


def channels(path: Path) -> tuple[list[int], list[int]]:
    with wave.open(str(path), "rb") as file:
        samples = memoryview(file.readframes(file.getnframes())).cast("h").tolist()
    return samples[0::2], samples[1::2]


def test_a_piece_is_a_stereo_wav_of_its_length(piece: tuple[str, Path]) -> None:
    name, path = piece
    with wave.open(str(path), "rb") as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (2, 2, 22050)
        assert file.getnframes() / 22050 == pytest.approx(music.seconds_of(name), abs=0.001)
    assert 8 <= music.seconds_of(name) <= 16


def test_a_piece_is_loud_but_not_clipped(piece: tuple[str, Path]) -> None:
    for channel in channels(piece[1]):
        assert 15000 < max(map(abs, channel)) < 32767


def test_a_piece_is_never_silent(piece: tuple[str, Path]) -> None:
    left, _ = channels(piece[1])
    half = music.RATE // 2
    assert all(max(map(abs, left[at : at + half])) > 800 for at in range(0, len(left) - half, half))


def test_a_piece_pushes_to_neither_side(piece: tuple[str, Path]) -> None:
    for channel in channels(piece[1]):
        assert abs(sum(channel) / len(channel)) < 60


def test_a_piece_loops_without_a_click(piece: tuple[str, Path]) -> None:
    for channel in channels(piece[1]):
        steps = (abs(two - one) for one, two in pairwise(channel[: music.RATE]))
        assert abs(channel[0] - channel[-1]) <= max(steps)


def test_a_piece_always_sounds_the_same(tmp_path: Path) -> None:
    for name in ("one.wav", "two.wav"):
        music.render("spark", tmp_path / name)
    assert (tmp_path / "one.wav").read_bytes() == (tmp_path / "two.wav").read_bytes()


def test_an_unknown_piece_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        music.render("polka", tmp_path / "x.wav")
