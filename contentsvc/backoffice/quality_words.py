"""The platform's quality words: phrases that every prompt of a stage is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, StringConstraints
from pyramid.config import Configurator
from sqlalchemy import select

from contentsvc.backoffice.audit import record_change
from contentsvc.generation.models import QualityWord, TemplateKey, WordSlot
from contentsvc.http import ApiRequest, ApiService, NotFound, Permission
from contentsvc.http.paths import path_id
from contentsvc.http.types import Id, In, Out

words = ApiService("admin-quality-words", "/api/admin/quality-words/")
word_item = ApiService("admin-quality-word", "/api/admin/quality-words/{id}/")

_TARGET = "quality_word"

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]
Sort = Annotated[int, Field(ge=-(2**31), lt=2**31)]


class WordIn(In):
    """A new word. Within its stage and slot the lowest ``sort`` comes first."""

    stage: TemplateKey
    text: Text
    sort: Sort = 0
    slot: WordSlot = WordSlot.SUFFIX


class WordPatch(In):
    """What is to change; a word keeps its stage and its slot."""

    text: Text = ""
    sort: Sort = 0
    enabled: bool = True


class WordOut(Out):
    """A word: before the prompt, after it, or among what the picture must not show."""

    id: Id
    stage: TemplateKey
    slot: WordSlot
    text: str
    sort: int
    enabled: bool


def _word(request: ApiRequest) -> QualityWord:
    # Locked, so that of two changes at once each is audited with what it has really changed.
    named = select(QualityWord).where(QualityWord.id == path_id(request)).with_for_update()
    found = request.db.scalar(named)
    if found is None:
        raise NotFound
    return found


@words.get(permission=Permission.PLATFORM, response=list[WordOut])
def list_quality_words(request: ApiRequest) -> Sequence[QualityWord]:
    """List all quality words, stage by stage, in the order prompts get them."""
    ordered = select(QualityWord).order_by(QualityWord.stage, QualityWord.sort, QualityWord.id)
    return request.db.scalars(ordered).all()


@words.post(permission=Permission.PLATFORM, body=WordIn, response=WordOut, status=201)
def create_quality_word(request: ApiRequest) -> QualityWord:
    """Add a quality word to a stage; the next order has it.

    ``slot`` says where it goes: ``prefix`` before the prompt, ``suffix`` after it,
    ``negative`` among what is to be avoided.
    """
    body: WordIn = request.validated["body"]
    word = QualityWord(**body.model_dump())
    request.db.add(word)
    request.db.flush()
    record_change(request, "quality_word.create", _TARGET, word.id, after=WordOut.model_validate(word))
    return word


@word_item.patch(permission=Permission.PLATFORM, subject=_word, body=WordPatch, response=WordOut)
def change_quality_word(request: ApiRequest) -> QualityWord:
    """Change a quality word, or switch it off; the next order has it so."""
    word: QualityWord = request.validated["subject"]
    body: WordPatch = request.validated["body"]
    before = WordOut.model_validate(word)
    for field, value in body.model_dump(exclude_unset=True).items():
        setattr(word, field, value)
    request.db.flush()
    after = WordOut.model_validate(word)
    if after != before:
        record_change(request, "quality_word.change", _TARGET, word.id, before=before, after=after)
    return word


@word_item.delete(permission=Permission.PLATFORM, subject=_word, status=204)
def delete_quality_word(request: ApiRequest) -> None:
    """Delete a quality word; orders that are under way keep it."""
    word: QualityWord = request.validated["subject"]
    before = WordOut.model_validate(word)
    request.db.delete(word)
    record_change(request, "quality_word.delete", _TARGET, word.id, before=before)


def includeme(config: Configurator) -> None:
    """The routes."""
    config.add_cornice_service(words)
    config.add_cornice_service(word_item)
