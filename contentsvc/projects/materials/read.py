"""All that shows a product, gathered with a fixed number of queries. Deleted assets are left out."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, func, or_, select, union
from sqlalchemy.orm import Session

from contentsvc.assets.library import in_tab
from contentsvc.assets.models import Asset, AssetCategory, AssetType
from contentsvc.assets.schemas import Tab
from contentsvc.products.models import Product
from contentsvc.projects.models import (
    BaseAssetCandidate,
    BaseAssetGroup,
    GroupKind,
    Project,
    Shot,
    ShotVersion,
    Storyboard,
    VideoSegment,
    VideoVersion,
)

_FINISHED_TABS = (Tab.TRYON, Tab.KITS, Tab.CREATIONS)

ByProject = dict[uuid.UUID, list[Asset]]


class Materials:
    """The materials of one product."""

    def __init__(self, session: Session, product: Product) -> None:
        self._session = session
        self._product = product

    def document(self) -> dict[str, Any]:
        """All that MaterialsOut shows."""
        return {
            "characters": self._characters(),
            "product_images": self._product_images(),
            "finished_images": self._finished_images(),
            "projects": self._projects(),
        }

    def _characters(self) -> list[dict[str, Any]]:
        portrayed = (
            _candidates(BaseAssetCandidate.asset_id)
            .where(BaseAssetGroup.kind == GroupKind.PERSON, BaseAssetGroup.triview_of.is_(None))
            .where(Project.product_id == self._product.id)
        )
        made = select(Asset.id).where(
            Asset.product_id == self._product.id, Asset.category == AssetCategory.PERSON
        )
        portraits = self._assets(Asset.asset_type == AssetType.IMAGE, Asset.id.in_(union(portrayed, made)))
        ids = [portrait.id for portrait in portraits]
        views, counts = self._three_views(ids), self._project_counts(ids)
        return [
            {
                "portrait": portrait,
                "tri_view": views.get(portrait.id),
                "project_count": counts.get(portrait.id, 0),
            }
            for portrait in portraits
        ]

    def _three_views(self, portraits: Sequence[uuid.UUID]) -> dict[uuid.UUID | None, Asset]:
        """The three-view a project uses, else the newest one of each portrait."""
        told = Asset.meta["triview_of"].astext
        named = self._assets(Asset.category == AssetCategory.TRI_VIEW, told.in_([str(i) for i in portraits]))
        found: dict[uuid.UUID | None, Asset] = {
            uuid.UUID(asset.meta["triview_of"]): asset for asset in reversed(named)
        }
        statement = (
            select(BaseAssetGroup.triview_of, Asset)
            .join(Asset, Asset.id == BaseAssetGroup.adopted_asset_id)
            .join(Project, Project.id == BaseAssetGroup.project_id)
            .where(
                Project.product_id == self._product.id,
                Project.deleted_at.is_(None),
                BaseAssetGroup.triview_of.in_(portraits),
                Asset.deleted_at.is_(None),
            )
            .order_by(Asset.created_at, Asset.id)
        )
        return {**found, **dict(self._session.execute(statement).all())}

    def _project_counts(self, portraits: Sequence[uuid.UUID]) -> dict[uuid.UUID, int]:
        statement = (
            _candidates(BaseAssetCandidate.asset_id, func.count(Project.id.distinct()))
            .where(BaseAssetCandidate.asset_id.in_(portraits), BaseAssetGroup.kind == GroupKind.PERSON)
            .group_by(BaseAssetCandidate.asset_id)
        )
        return dict(self._session.execute(statement).all())

    def _product_images(self) -> list[Asset]:
        own = [image.asset for image in self._product.images if image.asset.deleted_at is None]
        shown = {asset.id for asset in own}
        three_view = (Asset.category == AssetCategory.TRI_VIEW) & (Asset.meta["view"].astext == "three_view")
        others = self._assets(
            Asset.product_id == self._product.id,
            Asset.asset_type == AssetType.IMAGE,
            or_(Asset.category == AssetCategory.PRODUCT, three_view),
        )
        return own + [asset for asset in others if asset.id not in shown]

    def _finished_images(self) -> Sequence[Asset]:
        return self._assets(
            Asset.product_id == self._product.id,
            Asset.asset_type == AssetType.IMAGE,
            or_(*(in_tab(tab) for tab in _FINISHED_TABS)),
        )

    def _projects(self) -> list[dict[str, Any]]:
        statement = (
            select(Project.id, Project.name)
            .where(Project.product_id == self._product.id, Project.deleted_at.is_(None))
            .order_by(Project.created_at.desc(), Project.id.desc())
        )
        projects = self._session.execute(statement).all()
        ids = [id_ for id_, _ in projects]
        scenes, storyboards, videos = self._scenes(ids), self._storyboards(ids), self._videos(ids)
        return [
            {
                "id": id_,
                "name": name,
                "scenes": scenes[id_],
                "storyboards": storyboards[id_],
                "videos": videos[id_],
            }
            for id_, name in projects
        ]

    def _scenes(self, projects: Sequence[uuid.UUID]) -> ByProject:
        statement = (
            _candidates(Project.id, Asset)
            .join(Asset, Asset.id == BaseAssetCandidate.asset_id)
            .where(BaseAssetGroup.kind == GroupKind.SCENE)
            .order_by(BaseAssetCandidate.created_at, BaseAssetCandidate.id)
        )
        return self._by_project(statement, projects)

    def _storyboards(self, projects: Sequence[uuid.UUID]) -> ByProject:
        statement = (
            select(Project.id, Asset)
            .join(Storyboard, Storyboard.project_id == Project.id)
            .join(Shot, Shot.storyboard_id == Storyboard.id)
            .join(ShotVersion, ShotVersion.shot_id == Shot.id)
            .join(Asset, Asset.id == ShotVersion.asset_id)
            .order_by(Storyboard.created_at, Shot.index, ShotVersion.created_at, ShotVersion.id)
        )
        return self._by_project(statement, projects)

    def _videos(self, projects: Sequence[uuid.UUID]) -> ByProject:
        statement = (
            select(Project.id, Asset)
            .join(VideoSegment, VideoSegment.project_id == Project.id)
            .join(VideoVersion, VideoVersion.video_segment_id == VideoSegment.id)
            .join(Asset, Asset.id == VideoVersion.asset_id)
            .order_by(VideoVersion.created_at, VideoVersion.id)
        )
        return self._by_project(statement, projects)

    def _by_project(self, statement: Select[*tuple[Any, ...]], projects: Iterable[uuid.UUID]) -> ByProject:
        """Each asset once a project, though several groups or versions may have it."""
        found: dict[uuid.UUID, dict[uuid.UUID, Asset]] = defaultdict(dict)
        wanted = statement.where(Project.id.in_(projects), Asset.deleted_at.is_(None))
        for project_id, asset in self._session.execute(wanted):
            found[project_id].setdefault(asset.id, asset)
        return defaultdict(list, {id_: list(assets.values()) for id_, assets in found.items()})

    def _assets(self, *conditions: ColumnElement[bool]) -> Sequence[Asset]:
        """The team's assets under these conditions, newest first."""
        statement = (
            select(Asset)
            .where(Asset.team_id == self._product.team_id, Asset.deleted_at.is_(None), *conditions)
            .order_by(Asset.created_at.desc(), Asset.id.desc())
        )
        return self._session.scalars(statement).all()


def _candidates(*columns: Any) -> Select[Any]:
    """Of the candidates of living projects' groups."""
    return (
        select(*columns)
        .select_from(BaseAssetCandidate)
        .join(BaseAssetGroup, BaseAssetGroup.id == BaseAssetCandidate.group_id)
        .join(Project, Project.id == BaseAssetGroup.project_id)
        .where(Project.deleted_at.is_(None))
    )
