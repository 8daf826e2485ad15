"""The six prompt templates: how the platform words what customers type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints
from pyramid.config import Configurator
from sqlalchemy import select

from contentsvc.backoffice.audit import record_change
from contentsvc.generation.models import PromptTemplate, TemplateKey
from contentsvc.generation.prompts import check_template
from contentsvc.generation.ratios import Ratio
from contentsvc.http import ApiRequest, ApiService, NotFound, Permission
from contentsvc.http.paths import path_id
from contentsvc.http.types import Id, In, Out, Timestamp

templates = ApiService("admin-prompt-templates", "/api/admin/prompt-templates/")
template_item = ApiService("admin-prompt-template", "/api/admin/prompt-templates/{id}/")

_STAGES = list(TemplateKey)


def _only_known_placeholders(template: str) -> str:
    check_template(template)
    return template


Template = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=4000),
    AfterValidator(_only_known_placeholders),
]


class TemplatePatch(In):
    """What is to change; the key of a template can't."""

    template: Template = Field(
        "", description="May hold {prompt}, {product} and {ratio}; a brace of its own is doubled."
    )
    ratio: Ratio = Field(Ratio.SQUARE, description="Of the stage's pictures; video is 9:16 always.")
    enabled: bool = Field(True, description="Off: the customer's words go out as they are.")


class TemplateOut(Out):
    """What a stage's prompt is made from."""

    id: Id
    key: TemplateKey
    template: str
    ratio: Ratio
    enabled: bool
    updated_at: Timestamp


def _template(request: ApiRequest) -> PromptTemplate:
    named = select(PromptTemplate).where(PromptTemplate.id == path_id(request)).with_for_update()
    found = request.db.scalar(named)
    if found is None:
        raise NotFound
    return found


@templates.get(permission=Permission.PLATFORM, response=list[TemplateOut])
def list_prompt_templates(request: ApiRequest) -> Sequence[PromptTemplate]:
    """List the six prompt templates, in the order a film needs them."""
    rows = request.db.scalars(select(PromptTemplate)).all()
    return sorted(rows, key=lambda row: _STAGES.index(TemplateKey(row.key)))


@template_item.patch(
    permission=Permission.PLATFORM, subject=_template, body=TemplatePatch, response=TemplateOut
)
def change_prompt_template(request: ApiRequest) -> PromptTemplate:
    """Change a prompt template; the next order is worded by it.

    A placeholder the service doesn't fill is refused. The ratio is that of the stage's
    pictures; the one of ``video`` has no effect.
    """
    row: PromptTemplate = request.validated["subject"]
    body: TemplatePatch = request.validated["body"]
    before = TemplateOut.model_validate(row)
    for field, value in body.model_dump(exclude_unset=True).items():
        if getattr(row, field) != value:
            setattr(row, field, value)
    request.db.flush()
    request.db.refresh(row)
    after = TemplateOut.model_validate(row)
    if after != before:
        record_change(
            request, "prompt_template.change", "prompt_template", row.id, before=before, after=after
        )
    return row


def includeme(config: Configurator) -> None:
    """The routes."""
    config.add_cornice_service(templates)
    config.add_cornice_service(template_item)
