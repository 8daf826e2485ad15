"""Makes the helpers beside the tests importable; the folder's name is no package name."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[object]:
    """A local server in Model Studio's place."""
    from dashscope_calls import place_at

    with place_at(tmp_path) as place:
        yield place
