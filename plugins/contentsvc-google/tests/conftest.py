"""Makes the helpers beside the tests importable; the folder's name is no package name."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def google(tmp_path: Path) -> Iterator[object]:
    """A local server in Google's place."""
    from google_calls import place_at

    with place_at(tmp_path) as place:
        yield place
