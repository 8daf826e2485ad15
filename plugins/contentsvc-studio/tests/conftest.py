"""Makes the fakes beside the tests importable; the folder's name is no package name."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures of a third of the size: for tests that make many and don't ask for pixels."""
    from contentsvc_studio.images import backend
    from contentsvc_studio.images.sizes import SIZES

    monkeypatch.setattr(backend, "size_for", lambda ratio: (SIZES[ratio][0] // 3, SIZES[ratio][1] // 3))
