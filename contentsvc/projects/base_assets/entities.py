"""Who and what the working script shows: ordered, read from the model's answer, written down."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, TypeAdapter, ValidationError
from sqlalchemy import Select, select
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from contentsvc.generation.admission import TaskPlan
from contentsvc.generation.images import facts_document
from contentsvc.generation.models import OPEN_STATUSES, AITask, TaskType
from contentsvc.http import ApiError, ErrorCode
from contentsvc.plugin import BillingUnit, EntityType, ProductFacts, ProviderError
from contentsvc.projects.core.access import touch
from contentsvc.projects.models import Project, ScriptVersion
from contentsvc.projects.scripts.services import working
from contentsvc.providers.models import ModelConfig

STORED: Final = "script_entities"
"""Key of a project's metadata that holds its entities."""

MOST_ENTITIES: Final = 40
NAME_LENGTH: Final = 255
# Forty of the longest leave a client room in a project's metadata.
PROMPT_LENGTH: Final = 1000
TYPICAL_CHARACTERS: Final = 3000
_OVERHEAD_TOKENS: Final = 1500
_CHARACTERS_PER_TOKEN: Final = 3


def require_script(session: Session, project: Project) -> ScriptVersion:
    """The working version. Raises ApiError where there is nothing to read yet."""
    script = working(session, project)
    if script is None or not script.segments:
        raise ApiError(ErrorCode.CONFLICT, "The project has no script yet.", status=400)
    return script


def running_extraction(session: Session, project: Project) -> AITask | None:
    """The project's unfinished extraction."""
    return session.scalars(_extractions(project).where(AITask.status.in_(OPEN_STATUSES)).limit(1)).first()


def latest_extraction(session: Session, project: Project) -> AITask | None:
    """The project's newest extraction, None before any."""
    newest = _extractions(project).order_by(AITask.created_at.desc(), AITask.id.desc()).limit(1)
    return session.scalars(newest).first()


def _extractions(project: Project) -> Select[AITask]:
    return select(AITask).where(
        AITask.project_id == project.id, AITask.task_type == TaskType.ENTITY_EXTRACTION
    )


def plan_extraction(
    project: Project, script: ScriptVersion, facts: ProductFacts | None, model: ModelConfig
) -> TaskPlan:
    """The order to read a script as it stands now."""
    request = {"segments": script.segments, "product": facts_document(facts)}
    return TaskPlan(
        task_type=TaskType.ENTITY_EXTRACTION,
        units=extraction_units(model, len(json.dumps(request, ensure_ascii=False))),
        request=request,
        meta={"script_version": str(script.id)},
        product_id=project.product_id,
        project_id=project.id,
    )


def extraction_units(model: ModelConfig, characters: int = TYPICAL_CHARACTERS) -> Decimal:
    """Billing units that reading a text of this length may take on a model."""
    if model.billing_unit == BillingUnit.THOUSAND_TOKENS:
        return Decimal(_OVERHEAD_TOKENS + characters // _CHARACTERS_PER_TOKEN) / 1000
    if model.billing_unit == BillingUnit.THOUSAND_CHARACTERS:
        return Decimal(characters) / 1000
    return Decimal(1)


def _plain(text: str) -> str:
    """Text on one line that the database can hold: no NUL, no lone surrogate."""
    return " ".join(text.replace("\x00", "").encode("utf-8", "ignore").decode("utf-8").split())


def _cut(length: int) -> AfterValidator:
    return AfterValidator(lambda text: _plain(text)[:length].rstrip())


class _Found(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    type: EntityType
    name: Annotated[str, _cut(NAME_LENGTH)]
    visual_prompt: Annotated[str, _cut(PROMPT_LENGTH)]
    segments: list[int]


_ANSWER: Final = TypeAdapter(list[_Found])


@dataclass
class FoundEntity:
    """An entity fit to be stored; ``segments`` are indexes of the script that was read."""

    type: EntityType
    name: str
    visual_prompt: str
    segments: set[int] = field(default_factory=set)

    @property
    def key(self) -> tuple[str, str]:
        """What makes it the same as another."""
        return self.type.value, self.name.casefold()


def repaired(answer: Sequence[object], segment_count: int) -> list[FoundEntity]:
    """The usable entities of a model's answer: named, each once, in range, at most 40.

    Raises ProviderError for an answer of another shape, or of which nothing is usable.
    """
    try:
        found = _ANSWER.validate_python(list(answer))
    except (ValidationError, TypeError) as error:
        raise ProviderError("The model's answer can't be read.") from error
    entities: dict[tuple[str, str], FoundEntity] = {}
    for item in found:
        if not item.name:
            continue
        entity = FoundEntity(item.type, item.name, item.visual_prompt)
        same = entities.setdefault(entity.key, entity)
        same.visual_prompt = same.visual_prompt or entity.visual_prompt
        same.segments |= {index for index in item.segments if 0 <= index < segment_count}
    if found and not entities:
        raise ProviderError("The model has named nothing that it found.")
    return list(entities.values())[:MOST_ENTITIES]


def stored_entities(project: Project) -> list[dict[str, Any]]:
    """The entities in a project's metadata."""
    return list(project.meta.get(STORED) or [])


def write_entities(
    session: Session, project: Project, segment_ids: Sequence[str], found: Sequence[FoundEntity]
) -> None:
    """Replace a locked project's entities, and say in the working script which segment shows whom.

    ``segment_ids`` are the script's that was read, in its order. What was known under the
    same type and name keeps its id and whatever a client has added to it.
    """
    known = {(str(item["type"]), str(item["name"]).casefold()): item for item in stored_entities(project)}
    documents = [_document(entity, known.get(entity.key, {}), place) for place, entity in enumerate(found)]
    project.meta = {**project.meta, STORED: documents}
    touch(project)
    script = working(session, project)
    if script is None:
        return
    shown: dict[str, list[str]] = {segment_id: [] for segment_id in segment_ids}
    for entity, document in zip(found, documents, strict=True):
        for index in sorted(entity.segments):
            shown[segment_ids[index]].append(document["id"])
    kept = {document["id"] for document in documents}
    script.segments = [
        {**segment, "entity_refs": shown.get(segment["segment_id"], _still_there(segment, kept))}
        for segment in script.segments
    ]


def _document(entity: FoundEntity, known: Mapping[str, Any], place: int) -> dict[str, Any]:
    return {
        **known,
        "id": known.get("id") or str(uuid7()),
        "type": entity.type.value,
        "name": entity.name,
        "visual_prompt": entity.visual_prompt,
        "ref_index": place,
    }


def _still_there(segment: Mapping[str, Any], kept: set[str]) -> list[str]:
    return [entity_id for entity_id in segment["entity_refs"] if entity_id in kept]


def entity_prompt(project: Project, label: str) -> str:
    """How the entity of this name looks; the name itself where nothing is known."""
    for item in stored_entities(project):
        if str(item["name"]).casefold() == label.casefold() and item.get("visual_prompt"):
            return str(item["visual_prompt"])
    return label
