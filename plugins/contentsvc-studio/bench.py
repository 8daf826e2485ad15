"""Seconds of processor time per picture: ``python bench.py PRODUCT_PHOTO [PORTRAIT]``."""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from contentsvc.plugin import (
    ImagePurpose,
    ImageReference,
    ImageRequest,
    ProductFacts,
    ReferenceRole,
    SellingPoint,
)
from contentsvc_studio.images.backend import StudioImages
from contentsvc_studio.images.sizes import SIZES

FACTS = ProductFacts(
    title="Stoneware cup",
    brand="Bench",
    description="A cup to measure with.",
    specs={"volume": "80 ml", "material": "stoneware"},
    selling_points=(SellingPoint("Keeps the heat", "Thick walls."), SellingPoint("Fired twice")),
)


@dataclass
class FileMedia:
    path: Path

    def open(self) -> BinaryIO:
        return self.path.open("rb")


@dataclass
class BenchContext:
    work_dir: Path
    cancelled: bool = False

    @property
    def settings(self) -> dict[str, str]:
        return {"font": ""}

    def progress(self, fraction: float) -> None:
        pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("product", type=Path)
    parser.add_argument("portrait", type=Path, nargs="?")
    options = parser.parse_args()
    product: Any = FileMedia(options.product)
    references = [ImageReference(ReferenceRole.PRODUCT, product)]
    if options.portrait:
        portrait: Any = FileMedia(options.portrait)
        references.append(ImageReference(ReferenceRole.PRESENTER, portrait))
    for purpose in ImagePurpose:
        seconds = [
            _measure(purpose, ratio, index, tuple(references)) for ratio in SIZES for index in range(6)
        ]
        mean = sum(seconds) / len(seconds)
        print(f"{purpose:14} {len(seconds)} pictures, mean {mean:.2f} s, worst {max(seconds):.2f} s")


def _measure(purpose: ImagePurpose, ratio: str, index: int, references: tuple[ImageReference, ...]) -> float:
    used = references if purpose is not ImagePurpose.PORTRAIT else references[1:]
    request = ImageRequest("", "", "", ratio, purpose, index, 7, used, FACTS)
    with tempfile.TemporaryDirectory() as folder:
        context: Any = BenchContext(Path(folder))
        started = time.process_time()
        StudioImages().start(request, context)
        return time.process_time() - started


if __name__ == "__main__":
    main()
