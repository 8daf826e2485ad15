"""Makes the endpoint beside the tests importable; the folder's name is no package name."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def endpoint() -> Iterator[object]:
    """A local server that answers what it is told, one reply after the other."""
    from openai_endpoint import endpoint_running

    with endpoint_running() as running:
        yield running
