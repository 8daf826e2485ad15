"""The inbox's routes. An inbox is part of one's own profile: it needs no role and no team."""

from __future__ import annotations

from typing import Any

from contentsvc.http import ApiRequest, ApiService, Permission, envelope
from contentsvc.http.paths import path_id
from contentsvc.notifications.models import Notification
from contentsvc.notifications.schemas import (
    AllReadOut,
    NotificationOut,
    NotificationPage,
    NotificationQuery,
)
from contentsvc.notifications.services import Inbox

notifications = ApiService("notifications", "/api/ops/notifications/")
reading_all = ApiService("notifications_mark_all_read", "/api/ops/notifications/mark-all-read/")
reading = ApiService("notification_mark_read", "/api/ops/notifications/{id}/mark-read/")
archiving = ApiService("notification_archive", "/api/ops/notifications/{id}/archive/")

SERVICES = (notifications, reading_all, reading, archiving)


def _inbox(request: ApiRequest) -> Inbox:
    return Inbox(request.db, request.identity.user.id)


def _own(request: ApiRequest) -> Notification:
    return _inbox(request).get(path_id(request))


@notifications.get(permission=Permission.PROFILE, query=NotificationQuery, response=NotificationPage)
def list_notifications(request: ApiRequest) -> dict[str, Any]:
    """List your notifications, the newest first.

    Archived ones are left out. `unread_count` and `type_counts` count your whole inbox,
    whatever was asked for.
    """
    query: NotificationQuery = request.validated["query"]
    inbox = _inbox(request)
    counts = inbox.counts()
    return envelope(request, inbox.page(query), query, unread_count=counts.unread, type_counts=counts.by_type)


@reading_all.post(permission=Permission.PROFILE, response=AllReadOut)
def mark_all_read(request: ApiRequest) -> AllReadOut:
    """Mark all your notifications as read."""
    inbox = _inbox(request)
    return AllReadOut(updated=inbox.mark_all_read(), unread_count=inbox.counts().unread)


@reading.post(permission=Permission.PROFILE, subject=_own, response=NotificationOut)
def mark_read(request: ApiRequest) -> Notification:
    """Mark a notification as read.

    Again it answers the same, with the time of the first reading.
    """
    return _inbox(request).mark_read(request.validated["subject"])


@archiving.post(permission=Permission.PROFILE, subject=_own, status=204)
def archive_notification(request: ApiRequest) -> None:
    """Archive a notification: it leaves the list and the counts."""
    _inbox(request).archive(request.validated["subject"])
