"""The database's clock, and the windows in which use is counted."""

from __future__ import annotations

from datetime import date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from contentsvc.billing.models import Window
from contentsvc.settings import Settings

BEGINNING: Final = date.min
"""First day of the window that never ends."""


def moment(session: Session) -> datetime:
    """The time by the database's clock, whatever the time its transaction began."""
    now: datetime = session.scalars(select(func.clock_timestamp())).one()
    return now


def first_days(settings: Settings, at: datetime) -> dict[Window, date]:
    """First day of each window that ``at`` lies in, in the platform's zone."""
    today = at.astimezone(ZoneInfo(settings.billing.timezone)).date()
    return {Window.DAY: today, Window.MONTH: today.replace(day=1), Window.TOTAL: BEGINNING}
