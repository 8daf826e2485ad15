"""Telling users what has happened, and their inboxes."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import structlog
from pyramid.registry import Registry
from sqlalchemy import ColumnElement, Select, func, insert, or_, select, update
from sqlalchemy.orm import Session
from uuid_utils.compat import uuid7

from contentsvc.db.session import after_commit
from contentsvc.http.errors import NotFound
from contentsvc.http.pagination import Slice, fetch_page
from contentsvc.notifications.models import Notification, NotificationType
from contentsvc.notifications.schemas import NotificationOut, NotificationQuery, TypeCounts, TypeFilter
from contentsvc.providers.plugins import notify_notification
from contentsvc.security.models import Role, User

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Step:
    """Something that has happened: a machine's name for it, a reader's, and when."""

    step: str
    label: str
    at: datetime


@dataclass(frozen=True)
class Notice:
    """A message, before it is anybody's. ``about`` holds the ids it is about (``task``,
    ``project``, ``asset``); None among them is left out."""

    type: NotificationType
    title: str
    body: str
    timeline: Sequence[Step]
    about: Mapping[str, uuid.UUID | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Counts:
    """What lies in an inbox."""

    unread: int
    by_type: TypeCounts


def notify(session: Session, registry: Registry, recipients: Iterable[uuid.UUID], notice: Notice) -> None:
    """Put a notice into the inboxes of users, in the caller's transaction.

    One statement, however many there are. Plugins are told after the commit.
    """
    deliver(session, registry, [(user_id, notice) for user_id in dict.fromkeys(recipients)])


def deliver(session: Session, registry: Registry, letters: Iterable[tuple[uuid.UUID, Notice]]) -> None:
    """As :func:`notify`, for different notices to different users; still one statement."""
    rows = [_row(user_id, notice) for user_id, notice in letters]
    if not rows:
        return
    written = session.scalars(insert(Notification).returning(Notification), rows).all()
    told = [
        {
            **NotificationOut.model_validate(notification).model_dump(mode="json"),
            "recipient": str(notification.user_id),
        }
        for notification in written
    ]

    def tell() -> None:
        for notification in told:
            notify_notification(registry, notification)

    after_commit(session, tell)


@contextmanager
def aside(session: Session) -> Iterator[None]:
    """A block for telling somebody of what the transaction is really about.

    Whatever goes wrong in it is undone and logged, and the transaction goes on without it.
    """
    # What is pending belongs to the transaction: its faults are not the block's.
    session.flush()
    try:
        with session.begin_nested():
            yield
    except Exception:
        log.exception("notification_lost")


def owners_of(session: Session, team_id: uuid.UUID) -> Sequence[uuid.UUID]:
    """The team's owners who can sign in."""
    return session.scalars(
        select(User.id).where(
            User.team_id == team_id, User.role == Role.OWNER, User.is_active, User.removed_at.is_(None)
        )
    ).all()


class Inbox:
    """One user's notifications. Another user's don't exist here."""

    def __init__(self, session: Session, user_id: uuid.UUID) -> None:
        self._session = session
        self._user_id = user_id

    def page(self, query: NotificationQuery) -> Slice:
        """A page of what isn't archived, the newest first."""
        statement = select(Notification).where(*self._shown())
        if query.type is not TypeFilter.ALL:
            statement = statement.where(Notification.type == query.type)
        if query.unread:
            statement = statement.where(Notification.read_at.is_(None))
        if query.search:
            statement = statement.where(
                or_(
                    Notification.title.icontains(query.search, autoescape=True),
                    Notification.body.icontains(query.search, autoescape=True),
                )
            )
        newest_first = statement.order_by(Notification.created_at.desc(), Notification.id.desc())
        return fetch_page(self._session, newest_first, query)

    def counts(self) -> Counts:
        """How much isn't archived, by type, and how much of it is unread; one statement."""
        unread = func.count().filter(Notification.read_at.is_(None))
        found = self._session.execute(
            select(Notification.type, func.count(), unread).where(*self._shown()).group_by(Notification.type)
        ).all()
        return Counts(
            unread=sum(number for _, _, number in found),
            by_type=TypeCounts(**{kind: number for kind, number, _ in found}),
        )

    def get(self, notification_id: uuid.UUID) -> Notification:
        """One notification, archived or not. Raises NotFound."""
        found = self._session.scalar(self._one(notification_id))
        if found is None:
            raise NotFound
        return found

    def mark_read(self, notification: Notification) -> Notification:
        """Remember that it was read, and when for the first time."""
        return self._stamp(notification, Notification.read_at)

    def archive(self, notification: Notification) -> Notification:
        """Put it away for good; again changes nothing."""
        return self._stamp(notification, Notification.archived_at)

    def mark_all_read(self) -> int:
        """Mark everything that shows as read; how many were unread."""
        changed = self._session.execute(
            update(Notification)
            .where(*self._shown(), Notification.read_at.is_(None))
            .values(read_at=func.clock_timestamp())
            .returning(Notification.id),
            execution_options={"synchronize_session": False},
        )
        return len(changed.all())

    def _stamp(self, notification: Notification, column: Any) -> Notification:
        self._session.execute(
            update(Notification)
            .where(Notification.id == notification.id, column.is_(None))
            .values({column: func.clock_timestamp()}),
            execution_options={"synchronize_session": False},
        )
        self._session.refresh(notification)
        return notification

    def _shown(self) -> tuple[ColumnElement[bool], ...]:
        return Notification.user_id == self._user_id, Notification.archived_at.is_(None)

    def _one(self, notification_id: uuid.UUID) -> Select[Notification]:
        return select(Notification).where(
            Notification.id == notification_id, Notification.user_id == self._user_id
        )


def _row(user_id: uuid.UUID, notice: Notice) -> dict[str, Any]:
    about = {name: str(value) for name, value in notice.about.items() if value is not None}
    timeline = [{"step": step.step, "label": step.label, "at": _text(step.at)} for step in notice.timeline]
    return {
        "id": uuid7(),
        "user_id": user_id,
        "type": notice.type,
        "title": notice.title,
        "body": notice.body,
        "meta": {**about, "timeline": timeline},
    }


def _text(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
