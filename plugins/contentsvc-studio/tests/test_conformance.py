"""Studio keeps to the rules of a provider that works offline."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import contentsvc_studio
from contentsvc.plugin import VideoRequest
from contentsvc.testing import Offline, conformance
from contentsvc_studio.driver import BACKENDS


class Studio(Offline):
    def settings(self, folder: Path) -> Mapping[str, str]:
        return {"work_dir": str(folder)}

    def order(self, sample: Any) -> Any:
        if isinstance(sample, VideoRequest):
            return replace(sample, duration_seconds=1.0, resolution="480p")
        return sample


test_conformance = conformance(contentsvc_studio.plugin, *map(Studio, BACKENDS))
