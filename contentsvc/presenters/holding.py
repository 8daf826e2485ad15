"""What presenters say when an asset is to be purged."""

from __future__ import annotations

import uuid

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from contentsvc.http.errors import ApiError, ErrorCode
from contentsvc.presenters.models import ModelEntity


class Portraits:
    """Keeps portraits of presenters; what is left of deleted presenters goes with theirs."""

    def lock(self, session: Session, asset_id: uuid.UUID) -> None:
        """Nothing: who makes a presenter locks the asset."""

    def let_go(self, session: Session, asset_id: uuid.UUID) -> None:
        """Forget deleted presenters with this portrait. Raises ApiError where one isn't deleted."""
        portrayed = ModelEntity.portrait_asset_id == asset_id
        living = select(ModelEntity.id).where(portrayed, ModelEntity.deleted_at.is_(None))
        if session.scalar(living.limit(1)) is not None:
            raise ApiError(ErrorCode.CONFLICT, "The asset is a presenter's portrait.")
        session.execute(
            delete(ModelEntity).where(portrayed), execution_options={"synchronize_session": False}
        )
