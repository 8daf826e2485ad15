"""initial"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:

    op.create_table(
        "audit_record",
        sa.Column("actor_id", sa.Uuid(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("target_type", sa.Text(), nullable=False),
        sa.Column("target_id", sa.Uuid(), nullable=True),
        sa.Column("before", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("after", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("ip", sa.Text(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_record")),
    )
    op.create_index(
        op.f("ix_audit_record_action_created_at"), "audit_record", ["action", "created_at"], unique=False
    )
    op.create_index(
        op.f("ix_audit_record_actor_id_created_at"), "audit_record", ["actor_id", "created_at"], unique=False
    )
    op.create_index(op.f("ix_audit_record_created_at_id"), "audit_record", ["created_at", "id"], unique=False)
    op.create_index(
        op.f("ix_audit_record_target_id_created_at"),
        "audit_record",
        ["target_id", "created_at"],
        unique=False,
    )
    op.create_table(
        "billing_config",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("exchange_rate", sa.Numeric(precision=18, scale=6), nullable=False),
        sa.Column("margin_factor", sa.Numeric(precision=18, scale=6), nullable=False),
        sa.Column("reserve_buffer", sa.Numeric(precision=18, scale=6), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "exchange_rate <> 'NaN' AND exchange_rate > 0",
            name=op.f("ck_billing_config_exchange_rate_finite"),
        ),
        sa.CheckConstraint(
            "margin_factor <> 'NaN' AND margin_factor > 0",
            name=op.f("ck_billing_config_margin_factor_finite"),
        ),
        sa.CheckConstraint(
            "reserve_buffer <> 'NaN' AND reserve_buffer > 0",
            name=op.f("ck_billing_config_reserve_buffer_finite"),
        ),
        sa.CheckConstraint("id = 1", name=op.f("ck_billing_config_single")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_billing_config")),
    )
    op.create_table(
        "idempotency_record",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("content_type", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("user_id", "path", "key", name=op.f("pk_idempotency_record")),
    )
    op.create_index(
        op.f("ix_idempotency_record_created_at"), "idempotency_record", ["created_at"], unique=False
    )
    op.create_table(
        "job",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("held_by", sa.Uuid(), nullable=True),
        sa.Column("ring_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("queue IN ('generate', 'poll', 'export')", name=op.f("ck_job_queue")),
        sa.CheckConstraint("state IN ('open', 'done')", name=op.f("ck_job_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
    )
    op.create_index(
        "ix_job_due", "job", ["ring_at"], unique=False, postgresql_where=sa.text("state = 'open'")
    )
    op.create_index(op.f("ix_job_subject_id"), "job", ["subject_id"], unique=False)
    op.create_index(
        "uq_job_open_subject",
        "job",
        ["kind", "subject_id"],
        unique=True,
        postgresql_where=sa.text("state = 'open'"),
    )
    op.create_table(
        "ledger_row",
        sa.Column("ledger_type", sa.Text(), nullable=False),
        sa.Column("amount", sa.Numeric(precision=18, scale=2), nullable=False),
        sa.Column("balance_after", sa.Numeric(precision=18, scale=2), nullable=False),
        sa.Column("frozen_after", sa.Numeric(precision=18, scale=2), nullable=False),
        sa.Column("task_id", sa.Uuid(), nullable=True),
        sa.Column("project_id", sa.Uuid(), nullable=True),
        sa.Column("member_id", sa.Uuid(), nullable=True),
        sa.Column("reservation_no", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.CheckConstraint("amount <> 'NaN'", name=op.f("ck_ledger_row_amount_finite")),
        sa.CheckConstraint("balance_after <> 'NaN'", name=op.f("ck_ledger_row_balance_after_finite")),
        sa.CheckConstraint("frozen_after <> 'NaN'", name=op.f("ck_ledger_row_frozen_after_finite")),
        sa.CheckConstraint(
            "ledger_type IN ('GRANT', 'RECHARGE', 'BONUS', 'RESERVE', 'RELEASE', 'CHARGE', 'ADJUSTMENT')",
            name=op.f("ck_ledger_row_ledger_type"),
        ),
        sa.CheckConstraint(
            "(task_id IS NULL) = (reservation_no IS NULL)", name=op.f("ck_ledger_row_reservation")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ledger_row")),
    )
    op.create_index(op.f("ix_ledger_row_created_at_id"), "ledger_row", ["created_at", "id"], unique=False)
    op.create_index(
        op.f("ix_ledger_row_team_id_created_at_id"),
        "ledger_row",
        ["team_id", "created_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_ledger_row_team_id_ledger_type_created_at_id"),
        "ledger_row",
        ["team_id", "ledger_type", "created_at", "id"],
        unique=False,
    )
    op.create_index(
        "uq_ledger_row_reserve",
        "ledger_row",
        ["task_id", "reservation_no"],
        unique=True,
        postgresql_where=sa.text("ledger_type = 'RESERVE'"),
    )
    op.create_index(
        "uq_ledger_row_settle",
        "ledger_row",
        ["task_id", "reservation_no"],
        unique=True,
        postgresql_where=sa.text("ledger_type IN ('CHARGE', 'RELEASE')"),
    )
    op.create_table(
        "media_file",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("filename", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("etag", sa.Text(), nullable=False),
        sa.Column("is_public", sa.Boolean(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("size_bytes >= 0", name=op.f("ck_media_file_size")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_media_file")),
        sa.UniqueConstraint("key", name=op.f("uq_media_file_key")),
    )
    op.create_table(
        "prompt_template",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("ratio", sa.Text(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "key IN ('person_portrait', 'person_three_view', 'product_three_view', 'scene_image', 'storyboard_image', 'video')",
            name=op.f("ck_prompt_template_key"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_prompt_template")),
        sa.UniqueConstraint("key", name=op.f("uq_prompt_template_key")),
    )
    op.create_table(
        "provider",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("display_name", sa.Text(), nullable=False),
        sa.Column("driver", sa.Text(), nullable=False),
        sa.Column("base_url", sa.Text(), nullable=False),
        sa.Column("api_key_encrypted", sa.LargeBinary(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("declared_key", sa.Text(), nullable=True),
        sa.Column("edited_fields", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("status IN ('active', 'inactive')", name=op.f("ck_provider_status")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_provider")),
        sa.UniqueConstraint("declared_key", name=op.f("uq_provider_declared_key")),
    )
    op.create_index(
        "uq_provider_name", "provider", ["name"], unique=True, postgresql_where=sa.text("deleted_at IS NULL")
    )
    op.create_table(
        "quality_word",
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("slot", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("sort", sa.Integer(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("slot IN ('prefix', 'suffix', 'negative')", name=op.f("ck_quality_word_slot")),
        sa.CheckConstraint(
            "stage IN ('person_portrait', 'person_three_view', 'product_three_view', 'scene_image', 'storyboard_image', 'video')",
            name=op.f("ck_quality_word_stage"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_quality_word")),
    )
    op.create_index(op.f("ix_quality_word_stage_sort"), "quality_word", ["stage", "sort"], unique=False)
    op.create_table(
        "rate_counter",
        sa.Column("bucket", sa.Text(), nullable=False),
        sa.Column("window_start", sa.DateTime(timezone=True), nullable=False),
        sa.Column("hits", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("bucket", "window_start", name=op.f("pk_rate_counter")),
    )
    op.create_index(op.f("ix_rate_counter_window_start"), "rate_counter", ["window_start"], unique=False)
    op.create_table(
        "recurring_run",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", "due_at", name=op.f("pk_recurring_run")),
    )
    op.create_table(
        "team",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("price_multiplier", sa.Numeric(precision=18, scale=6), nullable=False),
        sa.Column("monthly_credit_limit", sa.Numeric(precision=18, scale=2), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "monthly_credit_limit <> 'NaN' AND monthly_credit_limit >= 0",
            name=op.f("ck_team_monthly_credit_limit_finite"),
        ),
        sa.CheckConstraint(
            "price_multiplier <> 'NaN' AND price_multiplier > 0", name=op.f("ck_team_price_multiplier_finite")
        ),
        sa.CheckConstraint("status IN ('enabled', 'disabled')", name=op.f("ck_team_status")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team")),
    )
    op.create_table(
        "worker_beat",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("queues", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column(
            "last_seen_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("running", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_worker_beat")),
    )
    op.create_index(op.f("ix_worker_beat_last_seen_at"), "worker_beat", ["last_seen_at"], unique=False)
    op.create_table(
        "app_user",
        sa.Column("username", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("phone", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("avatar_file_id", sa.Uuid(), nullable=True),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("team_id", sa.Uuid(), nullable=True),
        sa.Column("is_platform_admin", sa.Boolean(), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_login_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("monthly_credit_limit", sa.Numeric(precision=18, scale=2), nullable=False),
        sa.Column("daily_credit_limit", sa.Numeric(precision=18, scale=2), nullable=False),
        sa.Column("total_credit_limit", sa.Numeric(precision=18, scale=2), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "daily_credit_limit <> 'NaN' AND daily_credit_limit >= 0",
            name=op.f("ck_app_user_daily_credit_limit_finite"),
        ),
        sa.CheckConstraint(
            "monthly_credit_limit <> 'NaN' AND monthly_credit_limit >= 0",
            name=op.f("ck_app_user_monthly_credit_limit_finite"),
        ),
        sa.CheckConstraint("role IN ('owner', 'admin', 'member', 'viewer')", name=op.f("ck_app_user_role")),
        sa.CheckConstraint(
            "total_credit_limit <> 'NaN' AND total_credit_limit >= 0",
            name=op.f("ck_app_user_total_credit_limit_finite"),
        ),
        sa.CheckConstraint(
            "team_id IS NOT NULL OR is_platform_admin OR removed_at IS NOT NULL",
            name=op.f("ck_app_user_team"),
        ),
        sa.ForeignKeyConstraint(
            ["avatar_file_id"],
            ["media_file.id"],
            name=op.f("fk_app_user_avatar_file_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_app_user_team_id"), ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_app_user")),
    )
    op.create_index(
        op.f("ix_app_user_team_id_created_at"), "app_user", ["team_id", "created_at"], unique=False
    )
    op.create_index(
        "uq_app_user_username_lower", "app_user", [sa.literal_column("lower(username)")], unique=True
    )
    op.create_table(
        "charge_counter",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("scope_id", sa.Uuid(), nullable=False),
        sa.Column("time_window", sa.Text(), nullable=False),
        sa.Column("starts_on", sa.Date(), nullable=False),
        sa.Column("amount", sa.Numeric(precision=18, scale=2), nullable=False),
        sa.CheckConstraint("amount <> 'NaN' AND amount >= 0", name=op.f("ck_charge_counter_amount_finite")),
        sa.CheckConstraint("scope IN ('team', 'member', 'project')", name=op.f("ck_charge_counter_scope")),
        sa.CheckConstraint(
            "time_window IN ('day', 'month', 'total')", name=op.f("ck_charge_counter_time_window")
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_charge_counter_team_id"), ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint(
            "team_id", "scope", "scope_id", "time_window", "starts_on", name=op.f("pk_charge_counter")
        ),
    )
    op.create_table(
        "credit_account",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("balance", sa.Numeric(precision=18, scale=2), nullable=False),
        sa.Column("frozen", sa.Numeric(precision=18, scale=2), nullable=False),
        sa.CheckConstraint("balance <> 'NaN'", name=op.f("ck_credit_account_balance_finite")),
        sa.CheckConstraint("frozen <> 'NaN' AND frozen >= 0", name=op.f("ck_credit_account_frozen_finite")),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_credit_account_team_id"), ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("team_id", name=op.f("pk_credit_account")),
    )
    op.create_table(
        "invitation",
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("monthly_credit_limit", sa.Numeric(precision=18, scale=2), nullable=True),
        sa.Column("team_id", sa.Uuid(), nullable=True),
        sa.Column("created_by", sa.Uuid(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("accepted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("accepted_by", sa.Uuid(), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "(kind = 'join_team') = (team_id IS NOT NULL) OR accepted_at IS NOT NULL",
            name=op.f("ck_invitation_team"),
        ),
        sa.CheckConstraint("kind IN ('join_team', 'create_team')", name=op.f("ck_invitation_kind")),
        sa.CheckConstraint(
            "monthly_credit_limit <> 'NaN' AND monthly_credit_limit >= 0",
            name=op.f("ck_invitation_monthly_credit_limit_finite"),
        ),
        sa.CheckConstraint("role IN ('owner', 'admin', 'member', 'viewer')", name=op.f("ck_invitation_role")),
        sa.CheckConstraint("accepted_at IS NULL OR revoked_at IS NULL", name=op.f("ck_invitation_one_end")),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_invitation_team_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("code", name=op.f("uq_invitation_code")),
    )
    op.create_index(op.f("ix_invitation_created_at"), "invitation", ["created_at"], unique=False)
    op.create_index(
        op.f("ix_invitation_team_id_created_at"), "invitation", ["team_id", "created_at"], unique=False
    )
    op.create_table(
        "model_config",
        sa.Column("provider_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("display_name", sa.Text(), nullable=False),
        sa.Column("capability", sa.Text(), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("unit_price", sa.Numeric(precision=18, scale=6), nullable=False),
        sa.Column("billing_unit", sa.Text(), nullable=False),
        sa.Column("options", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("is_default", sa.Boolean(), nullable=False),
        sa.Column("declared_key", sa.Text(), nullable=True),
        sa.Column("edited_fields", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "billing_unit IN ('image', 'second', '1k_tokens', '1k_characters', 'task')",
            name=op.f("ck_model_config_billing_unit"),
        ),
        sa.CheckConstraint(
            "capability IN ('script', 'entity_extraction', 'image_generation', 'image_edit', 'video_generation', 'speech', 'asset_review', 'export')",
            name=op.f("ck_model_config_capability"),
        ),
        sa.CheckConstraint("status IN ('active', 'inactive')", name=op.f("ck_model_config_status")),
        sa.CheckConstraint(
            "unit_price <> 'NaN' AND unit_price >= 0", name=op.f("ck_model_config_unit_price_finite")
        ),
        sa.ForeignKeyConstraint(
            ["provider_id"], ["provider.id"], name=op.f("fk_model_config_provider_id"), ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_config")),
        sa.UniqueConstraint("declared_key", name=op.f("uq_model_config_declared_key")),
    )
    op.create_index(
        "uq_model_config_default",
        "model_config",
        ["capability"],
        unique=True,
        postgresql_where=sa.text("is_default AND deleted_at IS NULL"),
    )
    op.create_index(
        "uq_model_config_name",
        "model_config",
        ["provider_id", "capability", "name"],
        unique=True,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_table(
        "open_counter",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("scope_id", sa.Uuid(), nullable=False),
        sa.Column("amount", sa.Numeric(precision=18, scale=2), nullable=False),
        sa.CheckConstraint("amount <> 'NaN' AND amount >= 0", name=op.f("ck_open_counter_amount_finite")),
        sa.CheckConstraint("scope IN ('team', 'member', 'project')", name=op.f("ck_open_counter_scope")),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_open_counter_team_id"), ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("team_id", "scope", "scope_id", name=op.f("pk_open_counter")),
    )
    op.create_table(
        "product",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("brand", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("target_audience", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("specs", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("status IN ('active', 'archived')", name=op.f("ck_product_status")),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_product_team_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_product")),
    )
    op.create_index(op.f("ix_product_team_id_brand"), "product", ["team_id", "brand"], unique=False)
    op.create_index(op.f("ix_product_team_id_category"), "product", ["team_id", "category"], unique=False)
    op.create_index(
        op.f("ix_product_team_id_status_created_at_id"),
        "product",
        ["team_id", "status", "created_at", "id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_product_team_id_status_title"), "product", ["team_id", "status", "title"], unique=False
    )
    op.create_index(
        op.f("ix_product_team_id_status_updated_at"),
        "product",
        ["team_id", "status", "updated_at"],
        unique=False,
    )
    op.create_table(
        "provider_state",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("provider_id", sa.Uuid(), nullable=False),
        sa.Column("document", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(
            ["provider_id"], ["provider.id"], name=op.f("fk_provider_state_provider_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_provider_state_team_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("team_id", "provider_id", name=op.f("pk_provider_state")),
    )
    op.create_table(
        "quota_policy",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("monthly_limit", sa.Numeric(precision=18, scale=2), nullable=True),
        sa.Column("project_limit", sa.Numeric(precision=18, scale=2), nullable=True),
        sa.Column("per_task_limit", sa.Numeric(precision=18, scale=2), nullable=True),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "monthly_limit <> 'NaN' AND monthly_limit >= 0", name=op.f("ck_quota_policy_monthly_limit_finite")
        ),
        sa.CheckConstraint(
            "per_task_limit <> 'NaN' AND per_task_limit >= 0",
            name=op.f("ck_quota_policy_per_task_limit_finite"),
        ),
        sa.CheckConstraint(
            "project_limit <> 'NaN' AND project_limit >= 0", name=op.f("ck_quota_policy_project_limit_finite")
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_quota_policy_team_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_quota_policy")),
        sa.UniqueConstraint("team_id", name=op.f("uq_quota_policy_team_id")),
    )
    op.create_table(
        "reservation",
        sa.Column("task_id", sa.Uuid(), nullable=False),
        sa.Column("reservation_no", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("member_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=True),
        sa.Column("amount", sa.Numeric(precision=18, scale=2), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("amount <> 'NaN' AND amount >= 0", name=op.f("ck_reservation_amount_finite")),
        sa.CheckConstraint("state IN ('open', 'charged', 'released')", name=op.f("ck_reservation_state")),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_reservation_team_id"), ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("task_id", "reservation_no", name=op.f("pk_reservation")),
    )
    op.create_index(
        "ix_reservation_open",
        "reservation",
        ["team_id"],
        unique=False,
        postgresql_where=sa.text("state = 'open'"),
    )
    op.create_table(
        "ai_task",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("task_type", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("progress", sa.Double(), nullable=False),
        sa.Column("error_message", sa.Text(), nullable=False),
        sa.Column("estimated_cost", sa.Numeric(precision=18, scale=2), nullable=False),
        sa.Column("actual_cost", sa.Numeric(precision=18, scale=2), nullable=True),
        sa.Column("model_config_id", sa.Uuid(), nullable=True),
        sa.Column("model_name", sa.Text(), nullable=False),
        sa.Column("provider_name", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=True),
        sa.Column("product_id", sa.Uuid(), nullable=True),
        sa.Column("batch_id", sa.Uuid(), nullable=True),
        sa.Column("metadata", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("request", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("price", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("caps", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("timeline", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("reservation_no", sa.Integer(), nullable=False),
        sa.Column("intent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("remote_job_id", sa.Text(), nullable=True),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("is_deleted", sa.Boolean(), nullable=False),
        sa.Column("is_favorited", sa.Boolean(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=False),
        sa.Column("submitted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "actual_cost <> 'NaN' AND actual_cost >= 0", name=op.f("ck_ai_task_actual_cost_finite")
        ),
        sa.CheckConstraint(
            "estimated_cost <> 'NaN' AND estimated_cost >= 0", name=op.f("ck_ai_task_estimated_cost_finite")
        ),
        sa.CheckConstraint(
            "status IN ('RESERVED', 'SUBMITTED', 'POLLING', 'succeeded', 'failed')",
            name=op.f("ck_ai_task_status"),
        ),
        sa.CheckConstraint(
            "task_type IN ('person_image', 'product_image', 'scene_image', 'tri_view_image', 'model_image', 'cover_image', 'free_image', 'storyboard_image', 'storyboard', 'script', 'script_segment', 'entity_extraction', 'video_segment', 'free_video', 'voiceover', 'export')",
            name=op.f("ck_ai_task_task_type"),
        ),
        sa.ForeignKeyConstraint(
            ["model_config_id"],
            ["model_config.id"],
            name=op.f("fk_ai_task_model_config_id"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["product_id"], ["product.id"], name=op.f("fk_ai_task_product_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_ai_task_team_id"), ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_task")),
    )
    op.create_index(op.f("ix_ai_task_created_at_id"), "ai_task", ["created_at", "id"], unique=False)
    op.create_index(op.f("ix_ai_task_model_config_id"), "ai_task", ["model_config_id"], unique=False)
    op.create_index(op.f("ix_ai_task_product_id"), "ai_task", ["product_id"], unique=False)
    op.create_index(op.f("ix_ai_task_project_id"), "ai_task", ["project_id"], unique=False)
    op.create_index(op.f("ix_ai_task_team_id_batch_id"), "ai_task", ["team_id", "batch_id"], unique=False)
    op.create_index(
        op.f("ix_ai_task_team_id_created_at_id"), "ai_task", ["team_id", "created_at", "id"], unique=False
    )
    op.create_index(
        op.f("ix_ai_task_team_id_status_created_at"),
        "ai_task",
        ["team_id", "status", "created_at"],
        unique=False,
    )
    op.create_index(
        op.f("ix_ai_task_team_id_task_type_created_at_id"),
        "ai_task",
        ["team_id", "task_type", "created_at", "id"],
        unique=False,
    )
    op.create_index(
        "ix_ai_task_unread",
        "ai_task",
        ["team_id", "created_at"],
        unique=False,
        postgresql_where=sa.text("read_at IS NULL"),
    )
    op.create_table(
        "asset",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("asset_type", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("file_id", sa.Uuid(), nullable=False),
        sa.Column("original_file_id", sa.Uuid(), nullable=False),
        sa.Column("thumbnail_file_id", sa.Uuid(), nullable=True),
        sa.Column("mime_type", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.Column("duration_seconds", sa.Double(), nullable=True),
        sa.Column("product_id", sa.Uuid(), nullable=True),
        sa.Column("project_id", sa.Uuid(), nullable=True),
        sa.Column("task_id", sa.Uuid(), nullable=True),
        sa.Column("in_library", sa.Boolean(), nullable=False),
        sa.Column("review_status", sa.Text(), nullable=False),
        sa.Column("review_error", sa.Text(), nullable=False),
        sa.Column("metadata", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("handles", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "asset_type IN ('image', 'video', 'audio', 'document')", name=op.f("ck_asset_asset_type")
        ),
        sa.CheckConstraint(
            "category IN ('', 'person', 'model_portrait', 'tri_view', 'voice', 'model_tryon', 'platform_kit', 'free_create', 'storyboard', 'product', 'scene', 'bgm')",
            name=op.f("ck_asset_category"),
        ),
        sa.CheckConstraint(
            "review_status IN ('', 'processing', 'active', 'failed')", name=op.f("ck_asset_review_status")
        ),
        sa.CheckConstraint("source IN ('generated', 'uploaded')", name=op.f("ck_asset_source")),
        sa.ForeignKeyConstraint(
            ["file_id"], ["media_file.id"], name=op.f("fk_asset_file_id"), ondelete="RESTRICT"
        ),
        sa.ForeignKeyConstraint(
            ["original_file_id"],
            ["media_file.id"],
            name=op.f("fk_asset_original_file_id"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["product_id"], ["product.id"], name=op.f("fk_asset_product_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_asset_team_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["thumbnail_file_id"],
            ["media_file.id"],
            name=op.f("fk_asset_thumbnail_file_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_asset")),
    )
    op.create_index(
        "ix_asset_batch_id", "asset", [sa.literal_column("(metadata ->> 'batch_id')")], unique=False
    )
    op.create_index(op.f("ix_asset_file_id"), "asset", ["file_id"], unique=False)
    op.create_index(op.f("ix_asset_original_file_id"), "asset", ["original_file_id"], unique=False)
    op.create_index(op.f("ix_asset_product_id"), "asset", ["product_id"], unique=False)
    op.create_index(op.f("ix_asset_project_id"), "asset", ["project_id"], unique=False)
    op.create_index(op.f("ix_asset_task_id"), "asset", ["task_id"], unique=False)
    op.create_index(
        op.f("ix_asset_team_id_category_created_at"),
        "asset",
        ["team_id", "category", "created_at"],
        unique=False,
    )
    op.create_index(
        op.f("ix_asset_team_id_created_at_id"), "asset", ["team_id", "created_at", "id"], unique=False
    )
    op.create_index(op.f("ix_asset_team_id_name"), "asset", ["team_id", "name"], unique=False)
    op.create_index(op.f("ix_asset_team_id_size_bytes"), "asset", ["team_id", "size_bytes"], unique=False)
    op.create_index(op.f("ix_asset_thumbnail_file_id"), "asset", ["thumbnail_file_id"], unique=False)
    op.create_table(
        "login_session",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("token_digest", sa.LargeBinary(), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ip", sa.Text(), nullable=False),
        sa.Column("user_agent", sa.Text(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["app_user.id"], name=op.f("fk_login_session_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_session")),
        sa.UniqueConstraint("token_digest", name=op.f("uq_login_session_token_digest")),
    )
    op.create_index(
        op.f("ix_login_session_user_id_created_at"), "login_session", ["user_id", "created_at"], unique=False
    )
    op.create_table(
        "selling_point",
        sa.Column("product_id", sa.Uuid(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("sort_order", sa.Integer(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["product_id"], ["product.id"], name=op.f("fk_selling_point_product_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_selling_point")),
    )
    op.create_index(
        op.f("ix_selling_point_product_id_sort_order"),
        "selling_point",
        ["product_id", "sort_order"],
        unique=False,
    )
    op.create_table(
        "user_preference",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("values", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["app_user.id"], name=op.f("fk_user_preference_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_user_preference")),
    )
    op.create_table(
        "model_entity",
        sa.Column("team_id", sa.Uuid(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("tags", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("portrait_asset_id", sa.Uuid(), nullable=False),
        sa.Column("source_asset_id", sa.Uuid(), nullable=True),
        sa.Column("is_official", sa.Boolean(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("is_official = (team_id IS NULL)", name=op.f("ck_model_entity_owner")),
        sa.ForeignKeyConstraint(
            ["portrait_asset_id"],
            ["asset.id"],
            name=op.f("fk_model_entity_portrait_asset_id"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["source_asset_id"],
            ["asset.id"],
            name=op.f("fk_model_entity_source_asset_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_model_entity_team_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_entity")),
    )
    op.create_index(
        op.f("ix_model_entity_portrait_asset_id"), "model_entity", ["portrait_asset_id"], unique=False
    )
    op.create_index(
        op.f("ix_model_entity_team_id_created_at"), "model_entity", ["team_id", "created_at"], unique=False
    )
    op.create_index(
        "uq_model_entity_source_asset",
        "model_entity",
        ["team_id", "source_asset_id"],
        unique=True,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_table(
        "product_image",
        sa.Column("product_id", sa.Uuid(), nullable=False),
        sa.Column("asset_id", sa.Uuid(), nullable=False),
        sa.Column("sort_order", sa.Integer(), nullable=False),
        sa.Column("is_primary", sa.Boolean(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["asset_id"], ["asset.id"], name=op.f("fk_product_image_asset_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["product_id"], ["product.id"], name=op.f("fk_product_image_product_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_product_image")),
    )
    op.create_index(op.f("ix_product_image_asset_id"), "product_image", ["asset_id"], unique=False)
    op.create_index(
        op.f("ix_product_image_product_id_asset_id"), "product_image", ["product_id", "asset_id"], unique=True
    )
    op.create_index(
        "uq_product_image_primary",
        "product_image",
        ["product_id"],
        unique=True,
        postgresql_where=sa.text("is_primary"),
    )
    op.create_table(
        "task_attempt",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("task_id", sa.Uuid(), nullable=False),
        sa.Column("reservation_no", sa.Integer(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("usage", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["task_id"], ["ai_task.id"], name=op.f("fk_task_attempt_task_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_task_attempt_team_id"), ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task_attempt")),
    )
    op.create_index(
        op.f("ix_task_attempt_task_id_started_at"), "task_attempt", ["task_id", "started_at"], unique=False
    )

    _create_queue_tables()


def _create_queue_tables() -> None:
    """huey's tables for the PostgreSQL queue, as its PostgresStorage describes them."""
    op.create_table(
        "huey_kv",
        sa.Column("queue", sa.Text(), primary_key=True),
        sa.Column("key", sa.Text(), primary_key=True),
        sa.Column("value", sa.LargeBinary(), nullable=False),
    )
    op.create_table(
        "huey_schedule",
        sa.Column("id", sa.BigInteger(), sa.Identity(), primary_key=True),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("timestamp", sa.Double(), nullable=False),
    )
    op.create_index("huey_schedule_queue_timestamp", "huey_schedule", ["queue", "timestamp"])
    op.create_table(
        "huey_task",
        sa.Column("id", sa.BigInteger(), sa.Identity(), primary_key=True),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("priority", sa.Double(), nullable=False, server_default="0.0"),
    )
    op.create_index("huey_task_queue_priority_id", "huey_task", ["queue", sa.text("priority DESC"), "id"])
    op.create_table(
        "huey_counter",
        sa.Column("queue", sa.Text(), primary_key=True),
        sa.Column("key", sa.Text(), primary_key=True),
        sa.Column("value", sa.BigInteger(), nullable=False, server_default="0"),
    )


def downgrade() -> None:
    for table in ("huey_counter", "huey_task", "huey_schedule", "huey_kv"):
        op.drop_table(table)

    op.drop_index(op.f("ix_task_attempt_task_id_started_at"), table_name="task_attempt")
    op.drop_table("task_attempt")
    op.drop_index(
        "uq_product_image_primary", table_name="product_image", postgresql_where=sa.text("is_primary")
    )
    op.drop_index(op.f("ix_product_image_product_id_asset_id"), table_name="product_image")
    op.drop_index(op.f("ix_product_image_asset_id"), table_name="product_image")
    op.drop_table("product_image")
    op.drop_index(
        "uq_model_entity_source_asset",
        table_name="model_entity",
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.drop_index(op.f("ix_model_entity_team_id_created_at"), table_name="model_entity")
    op.drop_index(op.f("ix_model_entity_portrait_asset_id"), table_name="model_entity")
    op.drop_table("model_entity")
    op.drop_table("user_preference")
    op.drop_index(op.f("ix_selling_point_product_id_sort_order"), table_name="selling_point")
    op.drop_table("selling_point")
    op.drop_index(op.f("ix_login_session_user_id_created_at"), table_name="login_session")
    op.drop_table("login_session")
    op.drop_index(op.f("ix_asset_thumbnail_file_id"), table_name="asset")
    op.drop_index(op.f("ix_asset_team_id_size_bytes"), table_name="asset")
    op.drop_index(op.f("ix_asset_team_id_name"), table_name="asset")
    op.drop_index(op.f("ix_asset_team_id_created_at_id"), table_name="asset")
    op.drop_index(op.f("ix_asset_team_id_category_created_at"), table_name="asset")
    op.drop_index(op.f("ix_asset_task_id"), table_name="asset")
    op.drop_index(op.f("ix_asset_project_id"), table_name="asset")
    op.drop_index(op.f("ix_asset_product_id"), table_name="asset")
    op.drop_index(op.f("ix_asset_original_file_id"), table_name="asset")
    op.drop_index(op.f("ix_asset_file_id"), table_name="asset")
    op.drop_index("ix_asset_batch_id", table_name="asset")
    op.drop_table("asset")
    op.drop_index("ix_ai_task_unread", table_name="ai_task", postgresql_where=sa.text("read_at IS NULL"))
    op.drop_index(op.f("ix_ai_task_team_id_task_type_created_at_id"), table_name="ai_task")
    op.drop_index(op.f("ix_ai_task_team_id_status_created_at"), table_name="ai_task")
    op.drop_index(op.f("ix_ai_task_team_id_created_at_id"), table_name="ai_task")
    op.drop_index(op.f("ix_ai_task_team_id_batch_id"), table_name="ai_task")
    op.drop_index(op.f("ix_ai_task_project_id"), table_name="ai_task")
    op.drop_index(op.f("ix_ai_task_product_id"), table_name="ai_task")
    op.drop_index(op.f("ix_ai_task_model_config_id"), table_name="ai_task")
    op.drop_index(op.f("ix_ai_task_created_at_id"), table_name="ai_task")
    op.drop_table("ai_task")
    op.drop_index("ix_reservation_open", table_name="reservation", postgresql_where=sa.text("state = 'open'"))
    op.drop_table("reservation")
    op.drop_table("quota_policy")
    op.drop_table("provider_state")
    op.drop_index(op.f("ix_product_team_id_status_updated_at"), table_name="product")
    op.drop_index(op.f("ix_product_team_id_status_title"), table_name="product")
    op.drop_index(op.f("ix_product_team_id_status_created_at_id"), table_name="product")
    op.drop_index(op.f("ix_product_team_id_category"), table_name="product")
    op.drop_index(op.f("ix_product_team_id_brand"), table_name="product")
    op.drop_table("product")
    op.drop_table("open_counter")
    op.drop_index(
        "uq_model_config_name", table_name="model_config", postgresql_where=sa.text("deleted_at IS NULL")
    )
    op.drop_index(
        "uq_model_config_default",
        table_name="model_config",
        postgresql_where=sa.text("is_default AND deleted_at IS NULL"),
    )
    op.drop_table("model_config")
    op.drop_index(op.f("ix_invitation_team_id_created_at"), table_name="invitation")
    op.drop_index(op.f("ix_invitation_created_at"), table_name="invitation")
    op.drop_table("invitation")
    op.drop_table("credit_account")
    op.drop_table("charge_counter")
    op.drop_index("uq_app_user_username_lower", table_name="app_user")
    op.drop_index(op.f("ix_app_user_team_id_created_at"), table_name="app_user")
    op.drop_table("app_user")
    op.drop_index(op.f("ix_worker_beat_last_seen_at"), table_name="worker_beat")
    op.drop_table("worker_beat")
    op.drop_table("team")
    op.drop_table("recurring_run")
    op.drop_index(op.f("ix_rate_counter_window_start"), table_name="rate_counter")
    op.drop_table("rate_counter")
    op.drop_index(op.f("ix_quality_word_stage_sort"), table_name="quality_word")
    op.drop_table("quality_word")
    op.drop_index("uq_provider_name", table_name="provider", postgresql_where=sa.text("deleted_at IS NULL"))
    op.drop_table("provider")
    op.drop_table("prompt_template")
    op.drop_table("media_file")
    op.drop_index(
        "uq_ledger_row_settle",
        table_name="ledger_row",
        postgresql_where=sa.text("ledger_type IN ('CHARGE', 'RELEASE')"),
    )
    op.drop_index(
        "uq_ledger_row_reserve", table_name="ledger_row", postgresql_where=sa.text("ledger_type = 'RESERVE'")
    )
    op.drop_index(op.f("ix_ledger_row_team_id_ledger_type_created_at_id"), table_name="ledger_row")
    op.drop_index(op.f("ix_ledger_row_team_id_created_at_id"), table_name="ledger_row")
    op.drop_index(op.f("ix_ledger_row_created_at_id"), table_name="ledger_row")
    op.drop_table("ledger_row")
    op.drop_index("uq_job_open_subject", table_name="job", postgresql_where=sa.text("state = 'open'"))
    op.drop_index(op.f("ix_job_subject_id"), table_name="job")
    op.drop_index("ix_job_due", table_name="job", postgresql_where=sa.text("state = 'open'"))
    op.drop_table("job")
    op.drop_index(op.f("ix_idempotency_record_created_at"), table_name="idempotency_record")
    op.drop_table("idempotency_record")
    op.drop_table("billing_config")
    op.drop_index(op.f("ix_audit_record_target_id_created_at"), table_name="audit_record")
    op.drop_index(op.f("ix_audit_record_created_at_id"), table_name="audit_record")
    op.drop_index(op.f("ix_audit_record_actor_id_created_at"), table_name="audit_record")
    op.drop_index(op.f("ix_audit_record_action_created_at"), table_name="audit_record")
    op.drop_table("audit_record")
