"""The small document a plugin keeps per team and provider, between calls."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any, Final

import structlog
from pyramid.registry import Registry
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from contentsvc.db.session import transaction_scope
from contentsvc.providers.models import ProviderState

MAX_STATE_BYTES: Final = 64 * 1024

log = structlog.get_logger(__name__)


def load_state(registry: Registry, team_id: uuid.UUID, provider_id: uuid.UUID) -> dict[str, Any]:
    """The stored document; empty before the first write."""
    with transaction_scope(registry, team_id) as session:
        row = session.scalar(select(ProviderState).where(ProviderState.provider_id == provider_id))
        return dict(row.document) if row else {}


def save_state(
    registry: Registry,
    team_id: uuid.UUID,
    provider_id: uuid.UUID,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
) -> None:
    """Write what changed between ``before`` and ``after`` into the stored document.

    Member by member, under the row's lock: calls that run at the same time and write
    different members don't undo one another. Raises ValueError for what isn't JSON or is
    larger than 64 KiB.
    """
    changed = {key: value for key, value in after.items() if key not in before or before[key] != value}
    removed = before.keys() - after.keys()
    if not changed and not removed:
        return
    if len(json.dumps(dict(after), allow_nan=False)) > MAX_STATE_BYTES:
        raise ValueError(f"a plugin's state is larger than {MAX_STATE_BYTES // 1024} KiB")
    with transaction_scope(registry, team_id) as session:
        session.execute(
            insert(ProviderState)
            .values(team_id=team_id, provider_id=provider_id, document={})
            .on_conflict_do_nothing()
        )
        row = session.scalars(
            select(ProviderState).where(ProviderState.provider_id == provider_id).with_for_update()
        ).one()
        kept = {key: value for key, value in row.document.items() if key not in removed}
        row.document = kept | changed
