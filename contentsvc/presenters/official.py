"""The presenters the platform offers to every team."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset, AssetCategory, AssetSource
from contentsvc.assets.services import Assets
from contentsvc.http.errors import NotFound
from contentsvc.http.pagination import Slice, fetch_page
from contentsvc.presenters.models import ModelEntity
from contentsvc.presenters.schemas import OfficialQuery, PresenterFields
from contentsvc.presenters.services import mentions
from contentsvc.storage.files import StoredMedia


class OfficialPresenters:
    """Official presenters, for the administrator; the session serves the platform."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def page(self, query: OfficialQuery) -> Slice:
        """A page of them, newest first."""
        statement = self._select().order_by(ModelEntity.created_at.desc(), ModelEntity.id.desc())
        if query.q:
            statement = statement.where(mentions(query.q))
        return fetch_page(self._session, statement, query)

    def get(self, presenter_id: uuid.UUID) -> ModelEntity:
        """One of them, held until the transaction ends. Raises NotFound."""
        statement = self._select().where(ModelEntity.id == presenter_id)
        found = self._session.scalar(statement.with_for_update(of=ModelEntity))
        if found is None:
            raise NotFound
        return found

    def create(
        self, portrait: StoredMedia, filename: str, fields: PresenterFields, created_by: uuid.UUID
    ) -> ModelEntity:
        """A presenter with this portrait, which belongs to no team."""
        asset = Assets(self._session, None).create(
            portrait,
            name=filename,
            category=AssetCategory.MODEL_PORTRAIT,
            source=AssetSource.UPLOADED,
            # Every team sees the asset: who works for the platform is none of their business.
            created_by=None,
        )
        presenter = ModelEntity(
            name=fields.name or asset.name,
            description=fields.description,
            tags=fields.tag_list,
            portrait=asset,
            is_official=True,
            created_by=created_by,
        )
        self._session.add(presenter)
        self._session.flush()
        self._session.refresh(presenter)
        return presenter

    def change(self, presenter: ModelEntity, changes: Mapping[str, Any]) -> None:
        """Set some of name, description and tags."""
        for name, value in changes.items():
            setattr(presenter, name, value)
        self._session.flush()

    def delete(self, presenter: ModelEntity) -> None:
        """Take it out of every library, its portrait with it. Works and orders that use it go on."""
        presenter.deleted_at = func.clock_timestamp()
        portrait = self._session.get_one(Asset, presenter.portrait_asset_id)
        portrait.deleted_at = func.clock_timestamp()
        self._session.flush()

    def _select(self) -> Select[ModelEntity]:
        return select(ModelEntity).where(ModelEntity.team_id.is_(None), ModelEntity.deleted_at.is_(None))
