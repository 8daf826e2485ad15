"""Ordering a voice-over: what it may refer to, and what it is expected to use."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from pyramid.registry import Registry
from sqlalchemy.orm import Session

from contentsvc.generation.admission import INLINE_KIND, Buyer, TaskPlan, admit, price_of
from contentsvc.generation.models import AITask, TaskType
from contentsvc.generation.repeats import MARK
from contentsvc.generation.schemas import EstimateIn
from contentsvc.http.errors import ApiError, ErrorCode, FieldErrors
from contentsvc.http.operations import Mark
from contentsvc.plugin import BillingUnit, Capability
from contentsvc.projects.models import Project
from contentsvc.projects.scripts.segments import SegmentDocument
from contentsvc.projects.scripts.services import adopted
from contentsvc.projects.sound.schemas import VoiceoverIn
from contentsvc.providers.catalog import catalog_of
from contentsvc.providers.models import ModelConfig
from contentsvc.security.models import Team

CHARACTERS_PER_SECOND: Final = 14
"""How fast a voice reads, about; only for the estimate of voices that are paid by the second."""

CHARACTERS_PER_TOKEN: Final = 4
_PLACES = Decimal("0.000001")


def order_voiceover(
    session: Session,
    registry: Registry,
    buyer: Buyer,
    project: Project,
    body: VoiceoverIn,
    *,
    mark: Mark | None = None,
    base_url: str = "",
) -> AITask:
    """Reserve one task for all the texts, to be spoken by the calling process.

    ``mark`` is the call's, see ``generation.repeats``, and ``base_url`` what the links of its
    reply begin with. Raises FieldErrors on the index of an
    item, ApiError before a script is adopted, and what admission refuses with.
    """
    segments = _segments(session, project, body)
    model = catalog_of(registry).default(session, Capability.SPEECH)
    unit = BillingUnit(model.billing_unit)
    request: dict[str, Any] = {
        "items": [
            {"index": item.index, "segment_id": segment["segment_id"], "text": item.text}
            for item, segment in zip(body.items, segments, strict=True)
        ],
        "voice": body.voice_type or "",
        "speed": body.speed_ratio,
        MARK: mark,
        "base_url": base_url,
    }
    plan = TaskPlan(
        task_type=TaskType.VOICEOVER,
        units=sum((expected_units(unit, item.text, body.speed_ratio) for item in body.items), Decimal(0)),
        request=request,
        project_id=project.id,
        product_id=project.product_id,
    )
    [task] = admit(session, registry, buyer, [plan], model, kind=INLINE_KIND)
    return task


def estimate_voiceover(
    session: Session, registry: Registry, team: Team, body: EstimateIn
) -> tuple[ModelConfig, Decimal]:
    """What speaking the body's items would reserve; without items, what its prompt would."""
    model = catalog_of(registry).default(session, Capability.SPEECH)
    unit = BillingUnit(model.billing_unit)
    texts = [item.text for item in body.items] or [body.prompt]
    units = sum((expected_units(unit, text, body.speed_ratio) for text in texts), Decimal(0))
    return model, price_of(session, team, model, units).estimated


def expected_units(unit: BillingUnit, text: str, speed: float) -> Decimal:
    """What speaking a text uses, in a model's billing unit; exact for characters and calls."""
    characters = Decimal(len(text))
    if unit is BillingUnit.THOUSAND_CHARACTERS:
        return characters / 1000
    if unit is BillingUnit.SECOND:
        return (characters / CHARACTERS_PER_SECOND / Decimal(str(speed))).quantize(_PLACES)
    if unit is BillingUnit.THOUSAND_TOKENS:
        return (characters / CHARACTERS_PER_TOKEN / 1000).quantize(_PLACES)
    return Decimal(1)


def _segments(session: Session, project: Project, body: VoiceoverIn) -> list[SegmentDocument]:
    """The segment that each item is spoken over. Raises FieldErrors, ApiError."""
    script = adopted(session, project)
    if script is None:
        raise ApiError(
            ErrorCode.CONFLICT, "Adopt a script first: the voice follows its segments.", status=400
        )
    faults: dict[str, list[str]] = {}
    seen: set[int] = set()
    for place, item in enumerate(body.items):
        if item.index >= len(script.segments):
            faults[f"items.{place}.index"] = ["The adopted script has no such segment."]
        elif item.index in seen:
            faults[f"items.{place}.index"] = ["This segment has a text already."]
        seen.add(item.index)
    if faults:
        raise FieldErrors(faults)
    return [script.segments[item.index] for item in body.items]
