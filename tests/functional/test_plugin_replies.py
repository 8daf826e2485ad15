"""Files that are a provider's reply itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from contentsvc.plugin import ProviderError, save_reply


@dataclass
class Order:
    """What of a context is used."""

    work_dir: Path
    cancelled: bool = False


def saved(folder: Path, *pieces: bytes, media_type: str = "audio/mpeg", **more: Any) -> Path:
    order: Any = Order(folder, more.pop("cancelled", False))
    return save_reply(order, pieces, name="voice", media_type=media_type, **more)


def test_the_pieces_are_written_below_the_work_folder(tmp_path: Path) -> None:
    path = saved(tmp_path, b"so", b"und")
    assert (path, path.read_bytes()) == (tmp_path / "voice", b"sound")


@pytest.mark.parametrize("media_type", ["text/html; charset=utf-8", "application/json", "Text/Plain"])
def test_a_page_is_no_file(tmp_path: Path, media_type: str) -> None:
    with pytest.raises(ProviderError, match="no file"):
        saved(tmp_path, b"<p>Sign in</p>", media_type=media_type)


@pytest.mark.parametrize("media_type", ["", "application/octet-stream"])
def test_a_file_need_not_be_named_as_what_it_is(tmp_path: Path, media_type: str) -> None:
    assert saved(tmp_path, b"sound", media_type=media_type).read_bytes() == b"sound"


def test_nothing_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="empty"):
        saved(tmp_path, b"", b"")


def test_a_file_may_be_as_large_as_is_said(tmp_path: Path) -> None:
    assert saved(tmp_path, b"so", b"und", max_bytes=5).read_bytes() == b"sound"


def test_what_is_too_large_is_not_read_on(tmp_path: Path) -> None:
    read = []

    def sent() -> Iterator[bytes]:
        for _ in range(10):
            read.append(1)
            yield b"sound"

    order: Any = Order(tmp_path)
    with pytest.raises(ProviderError, match="too large"):
        save_reply(order, sent(), name="voice", media_type="", max_bytes=12)
    assert len(read) == 3


def test_nothing_is_written_for_whom_is_gone(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="cancelled"):
        saved(tmp_path, b"sound", cancelled=True)
