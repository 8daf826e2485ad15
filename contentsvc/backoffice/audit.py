"""The audit trail: one row a change, written in the change's own transaction."""

from __future__ import annotations

import uuid
from typing import Any

from pydantic import BaseModel

from contentsvc.backoffice.models import AuditRecord
from contentsvc.http import ApiRequest


def record_change(
    request: ApiRequest,
    action: str,
    target_type: str,
    target_id: uuid.UUID | None,
    *,
    before: BaseModel | None = None,
    after: BaseModel | None = None,
) -> None:
    """Remember who did what to what. ``before`` and ``after`` are reply models, which hold
    no secrets by construction."""
    request.db.add(
        AuditRecord(
            actor_id=request.identity.user.id,
            action=action,
            target_type=target_type,
            target_id=target_id,
            before=_document(before),
            after=_document(after),
            ip=request.client_address,
        )
    )


def _document(model: BaseModel | None) -> dict[str, Any] | None:
    return None if model is None else model.model_dump(mode="json")
