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
        "provider_trouble",
        sa.Column("provider_id", sa.Uuid(), nullable=False),
        sa.Column("process", sa.Text(), nullable=False),
        sa.Column("open_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("degraded_until", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["provider_id"], ["provider.id"], name=op.f("fk_provider_trouble_provider_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("provider_id", "process", name=op.f("pk_provider_trouble")),
    )
    op.create_table(
        "recharge",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("amount", sa.Numeric(precision=18, scale=2), nullable=False),
        sa.Column("bonus_asked", sa.Numeric(precision=18, scale=2), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("bonus_ledger_id", sa.Uuid(), nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("mark", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("amount <> 'NaN' AND amount > 0", name=op.f("ck_recharge_amount_finite")),
        sa.CheckConstraint(
            "bonus_asked <> 'NaN' AND bonus_asked >= 0", name=op.f("ck_recharge_bonus_asked_finite")
        ),
        sa.CheckConstraint(
            "state IN ('pending', 'credited', 'refused', 'unknown')", name=op.f("ck_recharge_state")
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_recharge_team_id"), ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_recharge")),
    )
    op.create_index(
        "ix_recharge_pending",
        "recharge",
        ["user_id"],
        unique=False,
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.create_index(
        op.f("ix_recharge_team_id_created_at"), "recharge", ["team_id", "created_at"], unique=False
    )
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
    op.create_table(
        "video_reference",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("asset_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["asset_id"], ["asset.id"], name=op.f("fk_video_reference_asset_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_video_reference_team_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_video_reference")),
        sa.UniqueConstraint("asset_id", name=op.f("uq_video_reference_asset_id")),
    )
    op.create_index(
        op.f("ix_video_reference_team_id_created_at_id"),
        "video_reference",
        ["team_id", "created_at", "id"],
        unique=False,
    )
    op.create_index(
        "ix_ai_task_cost_anomalies",
        "ai_task",
        ["created_at", "id"],
        unique=False,
        postgresql_where=sa.text("actual_cost > 1.5 * estimated_cost"),
    )
    op.create_index(
        "ix_ai_task_favorites",
        "ai_task",
        ["team_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("is_favorited"),
    )
    op.create_index(
        op.f("ix_ai_task_status_created_at_id"), "ai_task", ["status", "created_at", "id"], unique=False
    )
    op.create_index(
        op.f("ix_ai_task_task_type_created_at_id"), "ai_task", ["task_type", "created_at", "id"], unique=False
    )
    op.create_index(
        "ix_ai_task_unknown_outcomes",
        "ai_task",
        ["created_at", "id"],
        unique=False,
        postgresql_where=sa.text("(metadata ->> 'outcome_unknown') = 'true'"),
    )
    op.create_index(op.f("ix_app_user_created_at_id"), "app_user", ["created_at", "id"], unique=False)
    op.create_index(
        op.f("ix_app_user_is_active_created_at_id"),
        "app_user",
        ["is_active", "created_at", "id"],
        unique=False,
    )
    op.alter_column("asset", "team_id", existing_type=sa.UUID(), nullable=True)
    op.drop_index(op.f("ix_asset_batch_id"), table_name="asset")
    op.drop_index(op.f("ix_asset_team_id_category_created_at"), table_name="asset")
    op.drop_index(op.f("ix_asset_team_id_created_at_id"), table_name="asset")
    op.drop_index(op.f("ix_asset_team_id_name"), table_name="asset")
    op.drop_index(op.f("ix_asset_team_id_size_bytes"), table_name="asset")
    op.create_index(op.f("ix_asset_created_at_id"), "asset", ["created_at", "id"], unique=False)
    op.create_index(
        "ix_asset_deleted",
        "asset",
        ["team_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NOT NULL"),
    )
    op.create_index(
        "ix_asset_living",
        "asset",
        ["team_id", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
        postgresql_include=["in_library", "source", "category", "asset_type", "product_id"],
    )
    op.create_index(
        "ix_asset_metadata",
        "asset",
        ["metadata"],
        unique=False,
        postgresql_using="gin",
        postgresql_ops={"metadata": "jsonb_path_ops"},
    )
    op.create_index(
        op.f("ix_asset_review_status_created_at"),
        "asset",
        ["review_status", "created_at"],
        unique=False,
        postgresql_where=sa.text("review_status <> ''"),
    )
    op.create_index(
        "ix_asset_shelf",
        "asset",
        ["team_id", "in_library", "category", "source", "asset_type", "product_id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("ix_asset_team_id_category_created_at_id"),
        "asset",
        ["team_id", "category", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        op.f("ix_asset_team_id_deleted_at_id"),
        "asset",
        ["team_id", "deleted_at", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NOT NULL"),
    )
    op.create_index(
        op.f("ix_asset_team_id_name_id"),
        "asset",
        ["team_id", "name", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
        postgresql_include=["in_library", "source", "category", "asset_type", "product_id"],
    )
    op.create_index(
        op.f("ix_asset_team_id_size_bytes_id"),
        "asset",
        ["team_id", "size_bytes", "id"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
        postgresql_include=["in_library", "source", "category", "asset_type", "product_id"],
    )
    op.create_index(
        op.f("ix_ledger_row_ledger_type_created_at_id"),
        "ledger_row",
        ["ledger_type", "created_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_ledger_row_team_id_ledger_type"), "ledger_row", ["team_id", "ledger_type"], unique=False
    )
    op.drop_index(op.f("ix_product_team_id_status_title"), table_name="product")
    op.drop_index(op.f("ix_product_team_id_status_updated_at"), table_name="product")
    op.create_index(
        op.f("ix_product_team_id_archived_at_id"),
        "product",
        ["team_id", "archived_at", "id"],
        unique=False,
        postgresql_where=sa.text("status = 'archived'"),
    )
    op.create_index(
        op.f("ix_product_team_id_status_title_id"),
        "product",
        ["team_id", "status", "title", "id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_product_team_id_status_updated_at_id"),
        "product",
        ["team_id", "status", "updated_at", "id"],
        unique=False,
    )
    op.create_index(op.f("ix_project_created_at_id"), "project", ["created_at", "id"], unique=False)
    op.create_index(op.f("ix_project_status_created_at"), "project", ["status", "created_at"], unique=False)
    op.create_index(op.f("ix_quota_policy_created_at_id"), "quota_policy", ["created_at", "id"], unique=False)
    op.create_index(op.f("ix_task_attempt_started_at"), "task_attempt", ["started_at"], unique=False)
    op.create_index(op.f("ix_team_created_at_id"), "team", ["created_at", "id"], unique=False)
    op.create_index(
        op.f("ix_team_status_created_at_id"), "team", ["status", "created_at", "id"], unique=False
    )
    op.add_column("voiceover_item", sa.Column("segment_id", sa.Uuid(), nullable=True))


def downgrade() -> None:

    op.drop_column("voiceover_item", "segment_id")
    op.drop_index(op.f("ix_team_status_created_at_id"), table_name="team")
    op.drop_index(op.f("ix_team_created_at_id"), table_name="team")
    op.drop_index(op.f("ix_task_attempt_started_at"), table_name="task_attempt")
    op.drop_index(op.f("ix_quota_policy_created_at_id"), table_name="quota_policy")
    op.drop_index(op.f("ix_project_status_created_at"), table_name="project")
    op.drop_index(op.f("ix_project_created_at_id"), table_name="project")
    op.drop_index(op.f("ix_product_team_id_status_updated_at_id"), table_name="product")
    op.drop_index(op.f("ix_product_team_id_status_title_id"), table_name="product")
    op.drop_index(
        op.f("ix_product_team_id_archived_at_id"),
        table_name="product",
        postgresql_where=sa.text("status = 'archived'"),
    )
    op.create_index(
        op.f("ix_product_team_id_status_updated_at"),
        "product",
        ["team_id", "status", "updated_at"],
        unique=False,
    )
    op.create_index(
        op.f("ix_product_team_id_status_title"), "product", ["team_id", "status", "title"], unique=False
    )
    op.drop_index(op.f("ix_ledger_row_team_id_ledger_type"), table_name="ledger_row")
    op.drop_index(op.f("ix_ledger_row_ledger_type_created_at_id"), table_name="ledger_row")
    op.drop_index(
        op.f("ix_asset_team_id_size_bytes_id"),
        table_name="asset",
        postgresql_where=sa.text("deleted_at IS NULL"),
        postgresql_include=["in_library", "source", "category", "asset_type", "product_id"],
    )
    op.drop_index(
        op.f("ix_asset_team_id_name_id"),
        table_name="asset",
        postgresql_where=sa.text("deleted_at IS NULL"),
        postgresql_include=["in_library", "source", "category", "asset_type", "product_id"],
    )
    op.drop_index(
        op.f("ix_asset_team_id_deleted_at_id"),
        table_name="asset",
        postgresql_where=sa.text("deleted_at IS NOT NULL"),
    )
    op.drop_index(
        op.f("ix_asset_team_id_category_created_at_id"),
        table_name="asset",
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.drop_index("ix_asset_shelf", table_name="asset", postgresql_where=sa.text("deleted_at IS NULL"))
    op.drop_index(
        op.f("ix_asset_review_status_created_at"),
        table_name="asset",
        postgresql_where=sa.text("review_status <> ''"),
    )
    op.drop_index(
        "ix_asset_metadata",
        table_name="asset",
        postgresql_using="gin",
        postgresql_ops={"metadata": "jsonb_path_ops"},
    )
    op.drop_index(
        "ix_asset_living",
        table_name="asset",
        postgresql_where=sa.text("deleted_at IS NULL"),
        postgresql_include=["in_library", "source", "category", "asset_type", "product_id"],
    )
    op.drop_index("ix_asset_deleted", table_name="asset", postgresql_where=sa.text("deleted_at IS NOT NULL"))
    op.drop_index(op.f("ix_asset_created_at_id"), table_name="asset")
    op.create_index(op.f("ix_asset_team_id_size_bytes"), "asset", ["team_id", "size_bytes"], unique=False)
    op.create_index(op.f("ix_asset_team_id_name"), "asset", ["team_id", "name"], unique=False)
    op.create_index(
        op.f("ix_asset_team_id_created_at_id"), "asset", ["team_id", "created_at", "id"], unique=False
    )
    op.create_index(
        op.f("ix_asset_team_id_category_created_at"),
        "asset",
        ["team_id", "category", "created_at"],
        unique=False,
    )
    op.create_index(
        op.f("ix_asset_batch_id"),
        "asset",
        [sa.literal_column("(metadata ->> 'batch_id'::text)")],
        unique=False,
    )
    op.alter_column("asset", "team_id", existing_type=sa.UUID(), nullable=False)
    op.drop_index(op.f("ix_app_user_is_active_created_at_id"), table_name="app_user")
    op.drop_index(op.f("ix_app_user_created_at_id"), table_name="app_user")
    op.drop_index(
        "ix_ai_task_unknown_outcomes",
        table_name="ai_task",
        postgresql_where=sa.text("(metadata ->> 'outcome_unknown') = 'true'"),
    )
    op.drop_index(op.f("ix_ai_task_task_type_created_at_id"), table_name="ai_task")
    op.drop_index(op.f("ix_ai_task_status_created_at_id"), table_name="ai_task")
    op.drop_index("ix_ai_task_favorites", table_name="ai_task", postgresql_where=sa.text("is_favorited"))
    op.drop_index(
        "ix_ai_task_cost_anomalies",
        table_name="ai_task",
        postgresql_where=sa.text("actual_cost > 1.5 * estimated_cost"),
    )
    op.drop_index(op.f("ix_video_reference_team_id_created_at_id"), table_name="video_reference")
    op.drop_table("video_reference")
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
    op.drop_index(op.f("ix_recharge_team_id_created_at"), table_name="recharge")
    op.drop_index("ix_recharge_pending", table_name="recharge", postgresql_where=sa.text("state = 'pending'"))
    op.drop_table("recharge")
    op.drop_table("provider_trouble")
