"""late jobs"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("task_attempt", sa.Column("remote_job_id", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("task_attempt", "remote_job_id")
