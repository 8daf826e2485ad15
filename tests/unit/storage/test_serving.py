"""Ranges, entity tags, file names in headers, keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from contentsvc.storage.backends.local import LocalStorage
from contentsvc.storage.disposition import content_disposition
from contentsvc.storage.keys import is_key, new_key
from contentsvc.storage.serving import is_known, resolved


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (("0", "0"), (0, 1)),
        (("0", ""), (0, 100)),
        (("99", "99"), (99, 100)),
        (("10", "500"), (10, 100)),
        (("", "1"), (99, 100)),
        (("", "500"), (0, 100)),
        (("100", ""), None),
        (("100", "200"), None),
        (("", "0"), None),
    ],
)
def test_range_of_a_file_of_100_bytes(wanted: tuple[str, str], expected: tuple[int, int] | None) -> None:
    assert resolved(wanted, 100) == expected


def test_no_range_fits_an_empty_file() -> None:
    assert resolved(("0", ""), 0) is None


@pytest.mark.parametrize(
    ("header", "known"),
    [
        (None, False),
        ("", False),
        ('"abc"', True),
        ('W/"abc"', True),
        ('"x", "abc"', True),
        ("*", True),
        ('"abcd"', False),
        ("abc", False),
    ],
)
def test_if_none_match(header: str | None, known: bool) -> None:
    assert is_known(header, '"abc"') is known


@pytest.mark.parametrize(
    ("filename", "media_type", "expected"),
    [
        ("cup.png", "image/png", 'inline; filename="cup.png"'),
        ("a b.pdf", "application/pdf", 'attachment; filename="a b.pdf"'),
        ('a"b\\c.png', "image/png", "inline; filename=\"a_b_c.png\"; filename*=UTF-8''a%22b%5Cc.png"),
        ("größe.mp4", "video/mp4", "inline; filename=\"gr__e.mp4\"; filename*=UTF-8''gr%C3%B6%C3%9Fe.mp4"),
        ("50%.mp3", "audio/mpeg", "inline; filename=\"50_.mp3\"; filename*=UTF-8''50%25.mp3"),
    ],
)
def test_content_disposition(filename: str, media_type: str, expected: str) -> None:
    assert content_disposition(filename, media_type) == expected


def test_keys_are_unlike_each_other() -> None:
    assert len({new_key() for _ in range(1000)}) == 1000


@pytest.mark.parametrize(
    "key", ["", "../../etc/passwd", "A" * 32, "a" * 31, "a" * 33, "a" * 31 + "\n", "/" * 32]
)
def test_other_names_are_no_keys(key: str, tmp_path: Path) -> None:
    assert not is_key(key)
    with pytest.raises(ValueError, match="not a storage key"):
        LocalStorage(tmp_path).exists(key)
