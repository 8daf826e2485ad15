"""What clients ask of their inbox, and what they get."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, Field

from contentsvc.http.pagination import Page, PageNumber, PageQuery
from contentsvc.http.types import Id, JsonObject, Out, Timestamp, Word
from contentsvc.notifications.models import NotificationType


class TypeFilter(StrEnum):
    """One type of notification, or all of them."""

    ALL = "all"
    PROJECT = "project"
    ASSET = "asset"
    BILLING = "billing"
    SYSTEM = "system"


def _blank_is_all(value: object) -> object:
    return TypeFilter.ALL if value == "" else value


def _switched_on(value: object) -> bool:
    return value in ("1", "true", True)


class NotificationQuery(PageQuery):
    """``search`` is literal text in title or body, without case; ``unread=1`` leaves out what is read."""

    page_size: PageNumber = 10
    type: Annotated[TypeFilter, BeforeValidator(_blank_is_all)] = TypeFilter.ALL
    unread: Annotated[bool, BeforeValidator(_switched_on, json_schema_input_type=bool | str)] = False
    search: Word = ""


class NotificationOut(Out):
    """A message. ``metadata.timeline`` is a list of ``{step, label, at}``; ``task``, ``project``
    and ``asset`` are ids, where they apply."""

    id: Id
    type: NotificationType
    title: str
    body: str
    is_read: bool
    read_at: Timestamp | None
    is_archived: bool
    metadata: JsonObject = Field(validation_alias="meta")
    created_at: Timestamp


class TypeCounts(Out):
    """Messages in the inbox by type, read ones included."""

    project: int = 0
    asset: int = 0
    billing: int = 0
    system: int = 0


class NotificationPage(Page[NotificationOut]):
    """The counts are of the whole inbox, whatever page, filter or search was asked for."""

    unread_count: int
    type_counts: TypeCounts


class AllReadOut(Out):
    """How many were unread until now, and how many are left."""

    updated: int
    unread_count: int
