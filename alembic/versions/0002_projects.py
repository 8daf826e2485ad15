"""projects"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:

    op.create_table(
        "project",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("product_id", sa.Uuid(), nullable=True),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("metadata", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("working_script_id", sa.Uuid(), nullable=True),
        sa.Column("adopted_script_id", sa.Uuid(), nullable=True),
        sa.Column("timeline", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
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
            "stage IN ('script', 'base_assets', 'storyboard', 'video', 'export')",
            name=op.f("ck_project_stage"),
        ),
        sa.CheckConstraint(
            "status IN ('draft', 'in_progress', 'completed', 'failed')", name=op.f("ck_project_status")
        ),
        sa.ForeignKeyConstraint(
            ["product_id"], ["product.id"], name=op.f("fk_project_product_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_project_team_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project")),
    )
    op.create_index(op.f("ix_project_product_id"), "project", ["product_id"], unique=False)
    op.create_index(
        op.f("ix_project_team_id_created_at_id"), "project", ["team_id", "created_at", "id"], unique=False
    )
    op.create_index(
        op.f("ix_project_team_id_status_created_at"),
        "project",
        ["team_id", "status", "created_at"],
        unique=False,
    )
    op.create_table(
        "script_version",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("aspect_ratio", sa.Text(), nullable=False),
        sa.Column("total_duration", sa.Double(), nullable=True),
        sa.Column("base_version_id", sa.Uuid(), nullable=True),
        sa.Column("adopted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("segments", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("task_id", sa.Uuid(), nullable=True),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_script_version_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_script_version_team_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_script_version")),
        sa.UniqueConstraint("project_id", "version", name=op.f("uq_script_version_project_id_version")),
    )
    op.create_table(
        "storyboard",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("script_version_id", sa.Uuid(), nullable=False),
        sa.Column("task_id", sa.Uuid(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "status IN ('empty', 'generating', 'succeeded', 'failed')", name=op.f("ck_storyboard_status")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_storyboard_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_storyboard_team_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_storyboard")),
    )
    op.create_index(
        op.f("ix_storyboard_project_id_created_at"), "storyboard", ["project_id", "created_at"], unique=False
    )
    op.create_table(
        "video_segment",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("segment_id", sa.Uuid(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("task_id", sa.Uuid(), nullable=True),
        sa.Column("adopted_version_id", sa.Uuid(), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "status IN ('empty', 'generating', 'succeeded', 'failed')", name=op.f("ck_video_segment_status")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_video_segment_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_video_segment_team_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_video_segment")),
        sa.UniqueConstraint("project_id", "segment_id", name=op.f("uq_video_segment_project_id_segment_id")),
    )
    op.create_index(op.f("ix_video_segment_task_id"), "video_segment", ["task_id"], unique=False)
    op.create_table(
        "voiceover",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("voice_type", sa.Text(), nullable=False),
        sa.Column("speed_ratio", sa.Double(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_voiceover_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_voiceover_team_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_voiceover")),
        sa.UniqueConstraint("project_id", name=op.f("uq_voiceover_project_id")),
    )
    op.create_table(
        "asset_review",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("asset_id", sa.Uuid(), nullable=False),
        sa.Column("model_config_id", sa.Uuid(), nullable=False),
        sa.Column("intent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("remote_job_id", sa.Text(), nullable=True),
        sa.Column(
            "submitted_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["asset_id"], ["asset.id"], name=op.f("fk_asset_review_asset_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["model_config_id"],
            ["model_config.id"],
            name=op.f("fk_asset_review_model_config_id"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_asset_review_team_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_asset_review")),
        sa.UniqueConstraint("asset_id", name=op.f("uq_asset_review_asset_id")),
    )
    op.create_index(
        op.f("ix_asset_review_model_config_id"), "asset_review", ["model_config_id"], unique=False
    )
    op.create_table(
        "background_music",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("asset_id", sa.Uuid(), nullable=False),
        sa.Column("volume", sa.Double(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["asset_id"], ["asset.id"], name=op.f("fk_background_music_asset_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_background_music_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_background_music_team_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_background_music")),
        sa.UniqueConstraint("project_id", name=op.f("uq_background_music_project_id")),
    )
    op.create_index(op.f("ix_background_music_asset_id"), "background_music", ["asset_id"], unique=False)
    op.create_table(
        "base_asset_group",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("triview_of", sa.Uuid(), nullable=True),
        sa.Column("adopted_asset_id", sa.Uuid(), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("kind IN ('product', 'person', 'scene')", name=op.f("ck_base_asset_group_kind")),
        sa.ForeignKeyConstraint(
            ["adopted_asset_id"],
            ["asset.id"],
            name=op.f("fk_base_asset_group_adopted_asset_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_base_asset_group_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_base_asset_group_team_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_base_asset_group")),
    )
    op.create_index(
        op.f("ix_base_asset_group_adopted_asset_id"), "base_asset_group", ["adopted_asset_id"], unique=False
    )
    op.create_index(
        "uq_base_asset_group_entity",
        "base_asset_group",
        ["project_id", "kind", "label", "triview_of"],
        unique=True,
        postgresql_nulls_not_distinct=True,
    )
    op.create_table(
        "project_export",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("task_id", sa.Uuid(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("asset_id", sa.Uuid(), nullable=True),
        sa.Column("duration_seconds", sa.Double(), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "status IN ('empty', 'generating', 'succeeded', 'failed')", name=op.f("ck_project_export_status")
        ),
        sa.ForeignKeyConstraint(
            ["asset_id"], ["asset.id"], name=op.f("fk_project_export_asset_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_project_export_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_project_export_team_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project_export")),
    )
    op.create_index(op.f("ix_project_export_asset_id"), "project_export", ["asset_id"], unique=False)
    op.create_index(
        op.f("ix_project_export_project_id_created_at"),
        "project_export",
        ["project_id", "created_at"],
        unique=False,
    )
    op.create_index(op.f("ix_project_export_task_id"), "project_export", ["task_id"], unique=False)
    op.create_table(
        "shot",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("storyboard_id", sa.Uuid(), nullable=False),
        sa.Column("segment_id", sa.Uuid(), nullable=False),
        sa.Column("index", sa.Integer(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("task_id", sa.Uuid(), nullable=True),
        sa.Column("adopted_version_id", sa.Uuid(), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "status IN ('empty', 'generating', 'succeeded', 'failed')", name=op.f("ck_shot_status")
        ),
        sa.ForeignKeyConstraint(
            ["storyboard_id"], ["storyboard.id"], name=op.f("fk_shot_storyboard_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_shot_team_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_shot")),
        sa.UniqueConstraint("storyboard_id", "segment_id", name=op.f("uq_shot_storyboard_id_segment_id")),
    )
    op.create_index(op.f("ix_shot_task_id"), "shot", ["task_id"], unique=False)
    op.create_table(
        "video_version",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("video_segment_id", sa.Uuid(), nullable=False),
        sa.Column("asset_id", sa.Uuid(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("source IN ('generated', 'uploaded')", name=op.f("ck_video_version_source")),
        sa.ForeignKeyConstraint(
            ["asset_id"], ["asset.id"], name=op.f("fk_video_version_asset_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_video_version_team_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["video_segment_id"],
            ["video_segment.id"],
            name=op.f("fk_video_version_video_segment_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_video_version")),
    )
    op.create_index(op.f("ix_video_version_asset_id"), "video_version", ["asset_id"], unique=False)
    op.create_index(
        op.f("ix_video_version_video_segment_id"), "video_version", ["video_segment_id"], unique=False
    )
    op.create_table(
        "voiceover_item",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("voiceover_id", sa.Uuid(), nullable=False),
        sa.Column("index", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("asset_id", sa.Uuid(), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["asset_id"], ["asset.id"], name=op.f("fk_voiceover_item_asset_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_voiceover_item_team_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["voiceover_id"],
            ["voiceover.id"],
            name=op.f("fk_voiceover_item_voiceover_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_voiceover_item")),
        sa.UniqueConstraint("voiceover_id", "index", name=op.f("uq_voiceover_item_voiceover_id_index")),
    )
    op.create_index(op.f("ix_voiceover_item_asset_id"), "voiceover_item", ["asset_id"], unique=False)
    op.create_table(
        "base_asset_candidate",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("group_id", sa.Uuid(), nullable=False),
        sa.Column("asset_id", sa.Uuid(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["asset_id"], ["asset.id"], name=op.f("fk_base_asset_candidate_asset_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["group_id"],
            ["base_asset_group.id"],
            name=op.f("fk_base_asset_candidate_group_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_base_asset_candidate_team_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_base_asset_candidate")),
        sa.UniqueConstraint("group_id", "asset_id", name=op.f("uq_base_asset_candidate_group_id_asset_id")),
    )
    op.create_index(
        op.f("ix_base_asset_candidate_asset_id"), "base_asset_candidate", ["asset_id"], unique=False
    )
    op.create_table(
        "shot_version",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("shot_id", sa.Uuid(), nullable=False),
        sa.Column("asset_id", sa.Uuid(), nullable=True),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["asset_id"], ["asset.id"], name=op.f("fk_shot_version_asset_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["shot_id"], ["shot.id"], name=op.f("fk_shot_version_shot_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_shot_version_team_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_shot_version")),
    )
    op.create_index(op.f("ix_shot_version_asset_id"), "shot_version", ["asset_id"], unique=False)
    op.create_index(op.f("ix_shot_version_shot_id"), "shot_version", ["shot_id"], unique=False)
    op.create_foreign_key(
        op.f("fk_asset_project_id"), "asset", "project", ["project_id"], ["id"], ondelete="SET NULL"
    )


def downgrade() -> None:

    op.drop_constraint(op.f("fk_asset_project_id"), "asset", type_="foreignkey")
    op.drop_index(op.f("ix_shot_version_shot_id"), table_name="shot_version")
    op.drop_index(op.f("ix_shot_version_asset_id"), table_name="shot_version")
    op.drop_table("shot_version")
    op.drop_index(op.f("ix_base_asset_candidate_asset_id"), table_name="base_asset_candidate")
    op.drop_table("base_asset_candidate")
    op.drop_index(op.f("ix_voiceover_item_asset_id"), table_name="voiceover_item")
    op.drop_table("voiceover_item")
    op.drop_index(op.f("ix_video_version_video_segment_id"), table_name="video_version")
    op.drop_index(op.f("ix_video_version_asset_id"), table_name="video_version")
    op.drop_table("video_version")
    op.drop_index(op.f("ix_shot_task_id"), table_name="shot")
    op.drop_table("shot")
    op.drop_index(op.f("ix_project_export_task_id"), table_name="project_export")
    op.drop_index(op.f("ix_project_export_project_id_created_at"), table_name="project_export")
    op.drop_index(op.f("ix_project_export_asset_id"), table_name="project_export")
    op.drop_table("project_export")
    op.drop_index(
        "uq_base_asset_group_entity", table_name="base_asset_group", postgresql_nulls_not_distinct=True
    )
    op.drop_index(op.f("ix_base_asset_group_adopted_asset_id"), table_name="base_asset_group")
    op.drop_table("base_asset_group")
    op.drop_index(op.f("ix_background_music_asset_id"), table_name="background_music")
    op.drop_table("background_music")
    op.drop_index(op.f("ix_asset_review_model_config_id"), table_name="asset_review")
    op.drop_table("asset_review")
    op.drop_table("voiceover")
    op.drop_index(op.f("ix_video_segment_task_id"), table_name="video_segment")
    op.drop_table("video_segment")
    op.drop_index(op.f("ix_storyboard_project_id_created_at"), table_name="storyboard")
    op.drop_table("storyboard")
    op.drop_table("script_version")
    op.drop_index(op.f("ix_project_team_id_status_created_at"), table_name="project")
    op.drop_index(op.f("ix_project_team_id_created_at_id"), table_name="project")
    op.drop_index(op.f("ix_project_product_id"), table_name="project")
    op.drop_table("project")
