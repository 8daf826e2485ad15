"""A project whole, and the rows of the list: a fixed number of queries, whatever it holds."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from contentsvc.projects.base_assets.read import groups
from contentsvc.projects.clips.read import segments
from contentsvc.projects.exports.read import latest
from contentsvc.projects.models import Project
from contentsvc.projects.scripts.read import history, version_document
from contentsvc.projects.scripts.services import working
from contentsvc.projects.sound.read import bgm, music_of, voiceover
from contentsvc.projects.storyboards.read import storyboard
from contentsvc.projects.timelines.services import timeline


def project_document(session: Session, project: Project) -> dict[str, Any]:
    """All that ProjectOut shows. Flushes; the same number of queries for any project."""
    session.flush()
    script = working(session, project)
    music = music_of(session, project)
    clips = segments(session, project)
    return {
        "id": project.id,
        "name": project.name,
        "product": project.product_id,
        "stage": project.stage,
        "status": project.status,
        "metadata": project.meta,
        "current_script": version_document(project, script) if script else None,
        "script_versions": history(session, project),
        "base_asset_groups": groups(session, project),
        "storyboard": storyboard(session, project),
        "video_segments": clips,
        "timeline": timeline(project, music, [clip["video_segment_id"] for clip in clips]),
        "voiceover": voiceover(session, project),
        "bgm": bgm(music),
        "export": latest(session, project),
        "created_by": project.created_by,
        "created_at": project.created_at,
        "updated_at": project.updated_at,
    }


def project_row(project: Project) -> dict[str, Any]:
    """All that ProjectRow shows; the product and its images are loaded."""
    product = project.product
    return {
        "id": project.id,
        "name": project.name,
        "product": project.product_id,
        "product_title": product.title if product else None,
        "cover_url": product.cover_url if product else None,
        "stage": project.stage,
        "status": project.status,
        "created_at": project.created_at,
        "updated_at": project.updated_at,
    }
