"""Settings that the pages name exist."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from contentsvc.settings import documented_keys, domains
from tests.unit.pages import PAGES, name_of, read

_NAMED = re.compile(r"`([a-z]+)\.([a-z0-9_*]+)(?: = [^`]*)?`")
KEYS = [key for key, _, _ in documented_keys()]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_settings_named_on_a_page_exist(page: Path) -> None:
    named = [f"{domain}.{name}" for domain, name in _NAMED.findall(read(page)) if domain in domains()]
    files = (".py", ".md", ".ini")
    unknown = [
        name for name in named if not name.endswith(files) and not any(fnmatch(key, name) for key in KEYS)
    ]
    assert unknown == []
