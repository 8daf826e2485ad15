"""Quota policies: the caps that the platform sets on a team, one policy a team."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from contentsvc.billing.models import QuotaPolicy
from contentsvc.http import ApiError, ErrorCode, FieldErrors, NotFound, PageQuery, fetch_page
from contentsvc.http.pagination import Slice
from contentsvc.security.models import Team


class QuotaPolicies:
    """The administrator's policies; what he changes holds from the next order on."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def page(self, query: PageQuery, team_id: uuid.UUID | None) -> Slice:
        """A page of the policies, newest first; of one team's with an id."""
        statement = select(QuotaPolicy).order_by(QuotaPolicy.created_at.desc(), QuotaPolicy.id.desc())
        if team_id is not None:
            statement = statement.where(QuotaPolicy.team_id == team_id)
        return fetch_page(self._session, statement, query)

    def get(self, policy_id: uuid.UUID) -> QuotaPolicy:
        """A policy, held until the transaction ends. Raises NotFound."""
        this = select(QuotaPolicy).where(QuotaPolicy.id == policy_id).with_for_update()
        policy = self._session.scalars(this.execution_options(populate_existing=True)).one_or_none()
        if policy is None:
            raise NotFound
        return policy

    def create(self, values: Mapping[str, Any]) -> QuotaPolicy:
        """A team's policy. Raises FieldErrors on ``team``, ApiError ``conflict`` for a second one."""
        if self._session.get(Team, values["team_id"]) is None:
            raise FieldErrors.one("team", "There is no such team.")
        statement = insert(QuotaPolicy).values(**values).on_conflict_do_nothing(index_elements=["team_id"])
        policy = self._session.scalars(statement.returning(QuotaPolicy)).one_or_none()
        if policy is None:
            raise ApiError(
                ErrorCode.CONFLICT, "This team has a quota policy already; change that one.", status=409
            )
        return policy

    def change(self, policy: QuotaPolicy, changes: Mapping[str, Any]) -> None:
        """Set limits or switch the policy on or off."""
        for name, value in changes.items():
            setattr(policy, name, value)
        self._session.flush()
        self._session.refresh(policy)

    def delete(self, policy: QuotaPolicy) -> None:
        """The team has no policy any more."""
        self._session.delete(policy)
        self._session.flush()
