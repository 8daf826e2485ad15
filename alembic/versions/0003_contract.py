"""contract"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:

    op.create_table(
        "notification",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("metadata", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "type IN ('project', 'asset', 'billing', 'system')", name=op.f("ck_notification_type")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["app_user.id"], name=op.f("fk_notification_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notification")),
    )
    op.create_index(
        "ix_notification_inbox",
        "notification",
        ["user_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("archived_at IS NULL"),
    )
    op.create_index(
        "ix_notification_type",
        "notification",
        ["user_id", "type", "created_at", "id"],
        unique=False,
        postgresql_include=["read_at"],
        postgresql_where=sa.text("archived_at IS NULL"),
    )
    op.create_index(
        "ix_notification_unread",
        "notification",
        ["user_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("archived_at IS NULL AND read_at IS NULL"),
    )


def downgrade() -> None:

    op.drop_index(
        "ix_notification_unread",
        table_name="notification",
        postgresql_where=sa.text("archived_at IS NULL AND read_at IS NULL"),
    )
    op.drop_index(
        "ix_notification_type",
        table_name="notification",
        postgresql_include=["read_at"],
        postgresql_where=sa.text("archived_at IS NULL"),
    )
    op.drop_index(
        "ix_notification_inbox", table_name="notification", postgresql_where=sa.text("archived_at IS NULL")
    )
    op.drop_table("notification")
