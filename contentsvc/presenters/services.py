"""The presenters a team can use: its own and the official ones."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import ColumnElement, Select, exists, func, or_, select
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset, AssetCategory, AssetType
from contentsvc.assets.services import Assets
from contentsvc.db.tenancy import official_too
from contentsvc.http.errors import FieldErrors, NotFound, PermissionDenied
from contentsvc.http.pagination import Slice, fetch_page
from contentsvc.presenters.models import ModelEntity
from contentsvc.presenters.schemas import PresenterFields, PresenterQuery


class Presenters:
    """Presenters for one team."""

    def __init__(self, session: Session, team_id: uuid.UUID) -> None:
        self._session = session
        self._team_id = team_id

    def page(self, query: PresenterQuery) -> Slice:
        """A page of presenters, newest first, with their three-views."""
        statement = self._select().order_by(ModelEntity.created_at.desc(), ModelEntity.id.desc())
        if query.tab is not None:
            statement = statement.where(ModelEntity.is_official.is_(query.tab == "official"))
        if query.q:
            statement = statement.where(mentions(query.q))
        with official_too(self._session):
            found = fetch_page(self._session, statement, query)
        self._load_three_views(found.rows)
        return found

    def find(self, presenter_id: uuid.UUID) -> ModelEntity | None:
        """A presenter of the team or an official one; None if unknown or deleted."""
        with official_too(self._session):
            return self._session.scalar(self._select().where(ModelEntity.id == presenter_id))

    def get(self, presenter_id: uuid.UUID) -> ModelEntity:
        """The same; raises NotFound instead."""
        found = self.find(presenter_id)
        if found is None:
            raise NotFound
        return found

    def create(self, portrait: Asset, fields: PresenterFields, created_by: uuid.UUID) -> ModelEntity:
        """A presenter with a portrait that was uploaded for it."""
        presenter = ModelEntity(
            team_id=self._team_id,
            name=fields.name or portrait.name,
            description=fields.description,
            tags=fields.tag_list,
            portrait=portrait,
            created_by=created_by,
        )
        return self._added(presenter)

    def enroll(
        self, asset_id: uuid.UUID, name: str | None, created_by: uuid.UUID
    ) -> tuple[ModelEntity, bool]:
        """The presenter whose portrait is this asset, and whether it is new.

        Raises NotFound for an asset the team doesn't have, FieldErrors for one that is no picture.
        """
        asset = self._lock_asset(asset_id)
        if asset.asset_type != AssetType.IMAGE:
            raise FieldErrors.one("asset_id", "A portrait has to be an image.")
        enrolled = self._session.scalar(
            self._select().where(
                ModelEntity.team_id == self._team_id, ModelEntity.portrait_asset_id == asset.id
            )
        )
        if enrolled is not None:
            self._load_three_views([enrolled])
            return enrolled, False
        presenter = ModelEntity(
            team_id=self._team_id,
            name=name or asset.name,
            tags=[],
            portrait=asset,
            source_asset_id=asset.id,
            created_by=created_by,
        )
        return self._added(presenter), True

    def delete(self, presenter: ModelEntity) -> None:
        """Take a presenter out of the library; works made with it keep it.

        Raises PermissionDenied for an official one.
        """
        if presenter.is_official:
            raise PermissionDenied("Official presenters can't be deleted.")
        presenter.deleted_at = func.clock_timestamp()
        self._session.flush()

    def _select(self) -> Select[ModelEntity]:
        return select(ModelEntity).where(
            or_(ModelEntity.team_id == self._team_id, ModelEntity.team_id.is_(None)),
            ModelEntity.deleted_at.is_(None),
        )

    def _lock_asset(self, asset_id: uuid.UUID) -> Asset:
        # Whoever enrolls the same asset at the same moment waits here, and then finds it done.
        asset = Assets(self._session, self._team_id).get(asset_id)
        self._session.execute(select(Asset.id).where(Asset.id == asset.id).with_for_update(key_share=True))
        return asset

    def _added(self, presenter: ModelEntity) -> ModelEntity:
        self._session.add(presenter)
        self._session.flush()
        self._session.refresh(presenter)
        self._load_three_views([presenter])
        return presenter

    def _load_three_views(self, presenters: Sequence[ModelEntity]) -> None:
        portrait_of = Asset.meta["triview_of"].astext
        portraits = [str(presenter.portrait_asset_id) for presenter in presenters]
        views: defaultdict[str, list[Asset]] = defaultdict(list)
        for asset in self._session.scalars(
            select(Asset)
            .where(
                Asset.team_id == self._team_id,
                Asset.category == AssetCategory.TRI_VIEW,
                Asset.deleted_at.is_(None),
                portrait_of.in_(portraits),
            )
            .order_by(Asset.created_at, Asset.id)
        ):
            views[asset.meta["triview_of"]].append(asset)
        for presenter in presenters:
            presenter.three_views = views[str(presenter.portrait_asset_id)]


def mentions(text: str) -> ColumnElement[bool]:
    """Condition that a presenter's name, description or one of its tags holds this literal text."""
    tag = func.jsonb_array_elements_text(ModelEntity.tags).table_valued("value")
    return or_(
        ModelEntity.name.icontains(text, autoescape=True),
        ModelEntity.description.icontains(text, autoescape=True),
        exists().where(tag.c.value.icontains(text, autoescape=True)),
    )
