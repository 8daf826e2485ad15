"""Pictures a team keeps at hand for its free videos, and their reviews."""

from __future__ import annotations

import uuid

from pyramid.registry import Registry
from sqlalchemy import Select, exists, select
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset, AssetReview, AssetSource, ReviewStatus
from contentsvc.assets.reviews.services import POLL_KIND, submit_if_reviewable
from contentsvc.assets.services import Assets
from contentsvc.generation.models import VideoReference
from contentsvc.http import NotFound, PageQuery, fetch_page
from contentsvc.http.pagination import Slice
from contentsvc.jobs.services import hasten
from contentsvc.settings import GenerationSettings, Settings
from contentsvc.storage.files import StoredMedia


def is_reference(session: Session, asset: Asset) -> bool:
    """Whether a team keeps an asset for its free videos: it may show a face, and can be reviewed."""
    return bool(session.scalar(select(exists().where(VideoReference.asset_id == asset.id))))


class VideoReferences:
    """The pictures one team keeps, as assets outside of its library."""

    def __init__(self, session: Session, registry: Registry, team_id: uuid.UUID) -> None:
        self._session = session
        self._registry = registry
        self._team_id = team_id

    def page(self, query: PageQuery) -> Slice:
        """The pictures, newest first."""
        newest = (VideoReference.created_at.desc(), VideoReference.id.desc())
        return fetch_page(self._session, self._all().order_by(*newest), query)

    def get(self, asset_id: uuid.UUID) -> Asset:
        """One of them. Raises NotFound."""
        asset = self._session.scalars(self._all().where(Asset.id == asset_id)).unique().one_or_none()
        if asset is None:
            raise NotFound
        return asset

    def add(self, stored: StoredMedia, *, name: str, created_by: uuid.UUID) -> Asset:
        """Keep a picture, and have it reviewed where anything backs review."""
        asset = Assets(self._session, self._team_id).create(
            stored, name=name, source=AssetSource.UPLOADED, created_by=created_by, in_library=False
        )
        self._session.add(VideoReference(team_id=self._team_id, asset_id=asset.id))
        self._session.flush()
        self._review(asset)
        return asset

    def bring_forward(self, asset: Asset) -> None:
        """Have a picture's verdict asked for a little sooner, or its review begun if it never was."""
        if asset.review_status == ReviewStatus.PROCESSING:
            review = select(AssetReview.id).where(AssetReview.asset_id == asset.id)
            if (review_id := self._session.scalar(review)) is not None:
                settings = self._settings
                soon, late = settings.poll_min_seconds, settings.poll_max_seconds
                hasten(self._session, POLL_KIND, review_id, seconds=soon, longest=late)
        else:
            self._review(asset)

    def _review(self, asset: Asset) -> None:
        submit_if_reviewable(self._session, self._registry, asset, face_bearing=True)

    @property
    def _settings(self) -> GenerationSettings:
        settings: Settings = self._registry["contentsvc.settings"]
        return settings.generation

    def _all(self) -> Select[Asset]:
        return (
            select(Asset)
            .join(VideoReference, VideoReference.asset_id == Asset.id)
            .where(VideoReference.team_id == self._team_id, Asset.deleted_at.is_(None))
        )
