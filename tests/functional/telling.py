"""Inboxes: notices put into them, and what a client finds there."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from pyramid.registry import Registry

from contentsvc.db.session import transaction_scope
from contentsvc.notifications.models import NotificationType
from contentsvc.notifications.services import Notice, Step, notify
from tests.functional.conftest import Client

INBOX = "/api/ops/notifications/"
MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def notice(
    title: str = "Something happened",
    body: str = "",
    kind: NotificationType = NotificationType.SYSTEM,
    **about: uuid.UUID | None,
) -> Notice:
    return Notice(kind, title, body, [Step("happened", "It happened", MOMENT)], about)


def tell(registry: Registry, recipients: Iterable[Client], *notices: Notice) -> None:
    """Commit notices to users' inboxes, in this order."""
    with transaction_scope(registry) as session:
        for each in notices:
            notify(session, registry, [client.user_id for client in recipients], each)


def inbox(client: Client, **filters: str | int) -> Any:
    """What the client's inbox shows."""
    return client.get(INBOX, params=filters).json


def titles(client: Client, **filters: str | int) -> list[str]:
    return [item["title"] for item in inbox(client, **filters)["results"]]
