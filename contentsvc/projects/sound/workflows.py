"""What becomes of a voice-over's task."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from pyramid.registry import Registry
from sqlalchemy import delete, select
from sqlalchemy.orm import Session
from typing_extensions import override

from contentsvc.assets.models import Asset, AssetCategory
from contentsvc.generation.models import AITask
from contentsvc.generation.repeats import MARK
from contentsvc.generation.works import Stored, Work
from contentsvc.http.idempotency import file_reply
from contentsvc.plugin import BillingUnit, SpeechRequest, Usage
from contentsvc.projects.core.access import lock_for_result, touch
from contentsvc.projects.models import Project, Voiceover, VoiceoverItem
from contentsvc.projects.sound.orders import expected_units
from contentsvc.projects.sound.read import voiceover
from contentsvc.projects.sound.schemas import VoiceoverReply
from contentsvc.projects.sound.speaking import Take
from contentsvc.projects.workflows import ProjectWorkflow


class VoiceoverWorkflow(ProjectWorkflow):
    """Several texts in one task; its request is a SpeechRequest a text."""

    @override
    def request(self, session: Session, registry: Registry, task: AITask) -> tuple[SpeechRequest, ...]:
        asked = task.request
        return tuple(
            SpeechRequest(text=item["text"], voice=asked["voice"], speed=asked["speed"])
            for item in asked["items"]
        )

    @override
    def store(self, registry: Registry, task: AITask, result: Sequence[Take]) -> Stored:
        """The takes' sound is in storage already: each was put there before the next was ordered."""
        items = task.request["items"]
        works = tuple(
            Work(
                media=take.media,
                name=f"voice-{item['index'] + 1}",
                category=AssetCategory.VOICE,
                metadata={"segment_index": item["index"]},
            )
            for item, take in zip(items, result, strict=True)
        )
        units = [_units(task, item["text"], take) for item, take in zip(items, result, strict=True)]
        raw = [dict(take.usage.raw) for take in result]
        return Stored(works=works, usage=Usage(units=sum(units, Decimal(0)), raw={"items": raw}))

    @override
    def succeeded(
        self, session: Session, registry: Registry, task: AITask, assets: Sequence[Asset], facts: Any
    ) -> None:
        """The new items take the place of all earlier ones."""
        if task.project_id is None or (project := lock_for_result(session, task.project_id)) is None:
            return
        row = session.scalar(select(Voiceover).where(Voiceover.project_id == project.id))
        if row is None:
            row = Voiceover(team_id=task.team_id, project_id=project.id)
            session.add(row)
        row.voice_type = task.request["voice"]
        row.speed_ratio = task.request["speed"]
        session.flush()
        session.execute(delete(VoiceoverItem).where(VoiceoverItem.voiceover_id == row.id))
        session.add_all(
            VoiceoverItem(
                team_id=task.team_id,
                voiceover_id=row.id,
                segment_id=uuid.UUID(item["segment_id"]),
                index=item["index"],
                text=item["text"],
                asset_id=asset.id,
            )
            for item, asset in zip(task.request["items"], assets, strict=True)
        )
        touch(project)
        if task.request[MARK] is not None:
            _file_reply(session, project, task)


def _file_reply(session: Session, project: Project, task: AITask) -> None:
    """A call with a key is answered from here on, even if its process dies before it answers."""
    shown = VoiceoverReply.model_validate(
        {"voiceover": voiceover(session, project)}, context={"base_url": task.request["base_url"]}
    )
    body = shown.model_dump_json(by_alias=True).encode()
    file_reply(session, task.request[MARK], status=200, content_type="application/json", body=body)


def _units(task: AITask, text: str, take: Take) -> Decimal:
    """What one text has used: what the provider reports, else what can be measured."""
    if take.usage.units is not None:
        return take.usage.units
    unit = BillingUnit(task.price["billing_unit"])
    if unit is BillingUnit.SECOND and take.media.duration_seconds is not None:
        return Decimal(str(take.media.duration_seconds))
    return expected_units(unit, text, task.request["speed"])
