"""What becomes of a free video."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from pyramid.registry import Registry
from typing_extensions import override

from contentsvc.assets.models import AssetCategory
from contentsvc.generation.models import AITask
from contentsvc.generation.videos import VideoWorkflow
from contentsvc.generation.works import Stored


class FreeVideoWorkflow(VideoWorkflow):
    """A clip of its own: a free creation that never costs more than was reserved for it."""

    @override
    def store(self, registry: Registry, task: AITask, result: Any) -> Stored:
        stored = super().store(registry, task, result)
        return replace(
            stored, works=tuple(replace(work, category=AssetCategory.FREE_CREATE) for work in stored.works)
        )

    @override
    def most(self, task: AITask) -> Decimal:
        return Decimal(task.price["estimated"])
