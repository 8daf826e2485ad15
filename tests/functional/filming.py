"""Clips, voices and films: what the tests of sound, timelines and exports share."""

from __future__ import annotations

import hashlib
import tempfile
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

from pyramid.registry import Registry
from sqlalchemy import select
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset, AssetSource, AssetType
from contentsvc.db.session import transaction_scope
from contentsvc.plugin import BillingUnit, Capability
from contentsvc.projects.models import VideoSegment, VideoVersion, WorkStatus
from contentsvc.providers.models import ModelConfig, Provider
from contentsvc.storage.backends import storage_of
from contentsvc.storage.models import MediaFile


def set_default_model(
    session: Session,
    capability: Capability,
    url: str,
    *,
    unit: BillingUnit = BillingUnit.TASK,
    price: str = "0",
    **options: Any,
) -> None:
    """Make the fake provider's model the only default of a capability."""
    for model in session.scalars(select(ModelConfig).where(ModelConfig.capability == capability)):
        model.is_default = False
    session.flush()
    provider = session.scalars(select(Provider).where(Provider.name == "fake")).one()
    provider.base_url = url
    session.add(
        ModelConfig(
            provider_id=provider.id,
            name=f"fake-{capability}",
            display_name="Fake",
            capability=capability,
            unit_price=Decimal(price),
            billing_unit=unit,
            is_default=True,
            options=options,
        )
    )


def add_clip(
    registry: Registry,
    team_id: Any,
    project_id: str,
    segment_id: str,
    *,
    seconds: float | None = 5.0,
    data: bytes = b"a clip",
    filename: str = "clip.mp4",
) -> str:
    """An adopted clip of a script segment, with bytes that need not be a video; the video segment's id."""
    key = uuid.uuid4().hex
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip"
        path.write_bytes(data)
        storage_of(registry).put(key, path, "video/mp4")
    with transaction_scope(registry, team_id) as session:
        file = MediaFile(
            key=key,
            filename=filename,
            media_type="video/mp4",
            size_bytes=len(data),
            etag=hashlib.sha256(data).hexdigest(),
        )
        session.add(file)
        session.flush()
        asset = Asset(
            team_id=team_id,
            name="Clip",
            asset_type=AssetType.VIDEO,
            source=AssetSource.UPLOADED,
            file_id=file.id,
            original_file_id=file.id,
            mime_type="video/mp4",
            size_bytes=len(data),
            duration_seconds=seconds,
        )
        session.add(asset)
        segment = _segment(session, team_id, project_id, segment_id)
        session.flush()
        version = VideoVersion(team_id=team_id, video_segment_id=segment.id, asset_id=asset.id)
        session.add(version)
        session.flush()
        segment.adopted_version_id = version.id
        segment.status = WorkStatus.SUCCEEDED
        return str(segment.id)


def add_clips(registry: Registry, team_id: Any, project_id: str, segment_ids: list[str]) -> list[str]:
    """A clip a segment, of 5, 4, 3… seconds and 1, 2, 3… bytes, the last one made first."""
    made = [
        add_clip(registry, team_id, project_id, segment_id, seconds=5.0 - place, data=b"x" * (place + 1))
        for place, segment_id in reversed(list(enumerate(segment_ids)))
    ]
    return made[::-1]


def add_empty_segment(registry: Registry, team_id: Any, project_id: str, segment_id: str) -> str:
    """A video segment that has no clip yet; its id."""
    with transaction_scope(registry, team_id) as session:
        segment = _segment(session, team_id, project_id, segment_id)
        session.flush()
        return str(segment.id)


def _segment(session: Session, team_id: Any, project_id: str, segment_id: str) -> VideoSegment:
    known = session.scalar(
        select(VideoSegment).where(
            VideoSegment.project_id == uuid.UUID(project_id), VideoSegment.segment_id == uuid.UUID(segment_id)
        )
    )
    if known is not None:
        return known
    made = VideoSegment(team_id=team_id, project_id=uuid.UUID(project_id), segment_id=uuid.UUID(segment_id))
    session.add(made)
    return made
