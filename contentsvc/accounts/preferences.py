"""A user's preferences: what he has set, over the defaults."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from contentsvc.accounts.models import UserPreference
from contentsvc.accounts.schemas import PreferencesOut
from contentsvc.http import FieldErrors
from contentsvc.http.errors import NON_FIELD

MAX_BYTES: Final = 64 * 1024


def read(session: Session, user_id: uuid.UUID) -> PreferencesOut:
    """All preferences of a user."""
    stored = session.get(UserPreference, user_id)
    return _whole(stored.values if stored else {})


def merge(session: Session, user_id: uuid.UUID, changes: Mapping[str, Any]) -> PreferencesOut:
    """Set the keys that are given, forget those that are null; all preferences after that.

    Raises FieldErrors when they would have more than 64 KiB as JSON.
    """
    session.execute(
        insert(UserPreference).values({"user_id": user_id, "values": {}}).on_conflict_do_nothing()
    )
    row = session.get_one(UserPreference, user_id, with_for_update=True, populate_existing=True)
    merged = {key: value for key, value in {**row.values, **changes}.items() if value is not None}
    whole = _whole(merged)
    if _size(whole) > MAX_BYTES:
        raise FieldErrors.one(NON_FIELD, f"Preferences can't have more than {MAX_BYTES} bytes in all.")
    row.values = merged
    return whole


def _whole(stored: Mapping[str, Any]) -> PreferencesOut:
    return PreferencesOut.model_validate(stored)


def _size(preferences: PreferencesOut) -> int:
    text = json.dumps(preferences.model_dump(), ensure_ascii=False, separators=(",", ":"))
    return len(text.encode())
