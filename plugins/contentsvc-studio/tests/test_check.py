"""The check says whether studio works on this machine."""

import sys
from pathlib import Path

import pytest
import studio_fakes as fakes

from contentsvc.plugin import ProviderError
from contentsvc_studio.check import check


def checked(folder: Path, **settings: str) -> str:
    context = fakes.FakeContext(folder)
    context.settings = settings
    return check(context)


def test_a_word_is_spoken(tmp_path: Path) -> None:
    assert "spoken a word" in checked(tmp_path)
    assert (tmp_path / "check.wav").stat().st_size > 1000


def test_a_font_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="font"):
        checked(tmp_path, font=str(tmp_path / "none.ttf"))


def test_missing_voices_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "espeakng_loader", None)
    with pytest.raises(ProviderError, match="espeakng-loader"):
        checked(tmp_path)
