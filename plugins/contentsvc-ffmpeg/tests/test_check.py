"""The check says whether this machine's ffmpeg can make films."""

from pathlib import Path
from typing import Any

import ffmpeg_fakes as fakes
import pytest

from contentsvc.plugin import ProviderError
from contentsvc_ffmpeg.check import check


def checked(folder: Path, binary: str = "") -> str:
    settings: Any = {"binary": binary}
    context = fakes.FakeContext(folder)
    context.settings = settings
    return check(context)


def stand_in(folder: Path, *lines: str) -> str:
    path = folder / "stand-in"
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o700)
    return str(path)


def test_the_wheels_ffmpeg_makes_films(tmp_path: Path) -> None:
    assert "libass and libx264" in checked(tmp_path)
    assert (tmp_path / "check.mp4").stat().st_size > 500


def test_an_ffmpeg_without_libass_is_told(tmp_path: Path) -> None:
    binary = stand_in(tmp_path, "echo 'No such filter: ass' >&2", "exit 8")
    with pytest.raises(ProviderError, match="lacks libass or libx264"):
        checked(tmp_path, binary)


def test_an_ffmpeg_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="can't be run"):
        checked(tmp_path, str(tmp_path / "none"))
