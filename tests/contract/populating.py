"""A team with one of each thing, and all the words by which any of it could be recognised."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pyramid.registry import Registry
from sqlalchemy import MetaData, Table, select
from sqlalchemy.orm import Session

from contentsvc.assets.models import Asset
from contentsvc.billing.models import QuotaPolicy
from contentsvc.db.session import transaction_scope
from contentsvc.metadata import metadata
from contentsvc.projects.models import VideoVersion
from contentsvc.storage.models import MediaFile
from tests import media_samples
from tests.functional.conftest import Client
from tests.functional.filming import add_clip
from tests.functional.grouping import attached
from tests.functional.library import add_asset
from tests.functional.projecting import act, add_project, add_script, add_storyboard, read_project
from tests.functional.teaming import add_member
from tests.functional.telling import notice, tell

PNG = media_samples.image("PNG")
# What every tab of the library and every list of materials can show.
CATEGORIES = ("", "person", "tri_view", "model_portrait", "model_tryon", "platform_kit", "free_create")


@dataclass
class Populated:
    """``ids`` by kind of thing; ``words`` are ids, keys, codes and names that belong to this team alone."""

    client: Client
    ids: dict[str, str]
    words: set[str]

    def found_in(self, text: str) -> list[str]:
        """The words of this team that a text holds."""
        lowered = text.lower()
        return sorted(word for word in self.words if word in lowered)


def populate(registry: Registry, client: Client, mark: str) -> Populated:
    """Fill a team through the API where that is quick, and with rows where it isn't.

    ``mark`` is in every name and text, so it has to be a word that nothing else contains.
    """
    ids = _library(registry, client, mark) | _team(registry, client, mark)
    ids |= _project(registry, client, mark, ids)
    ids |= _tasks(client, mark, ids)
    tell(registry, [client], notice(mark, mark, project=uuid.UUID(ids["project"])))
    ids["notification"] = client.get("/api/ops/notifications/").json["results"][0]["id"]
    ids["session"] = client.get("/api/auth/me/sessions/").json[0]["id"]
    with transaction_scope(registry) as session:
        words = _words(session, client.team_id)
    return Populated(client, ids, {mark.lower(), *words})


def _library(registry: Registry, client: Client, mark: str) -> dict[str, str]:
    uploaded = client.post(
        "/api/assets/upload/", {"name": mark}, upload_files=[("file", f"{mark}.png", PNG)]
    ).json["id"]
    points = [{"title": mark, "detail": mark}]
    product = client.post_json(
        "/api/products/", {"title": mark, "brand": mark, "images": [uploaded], "selling_points": points}
    ).json
    named = {"name": mark, "meta": {"mode": mark}}
    for category in CATEGORIES:
        add_asset(registry, client.team_id, category=category, product_id=uuid.UUID(product["id"]), **named)
    portrait = add_asset(registry, client.team_id, category="person", **named)
    presenter = client.post_json("/api/models/enroll-asset/", {"asset_id": portrait, "name": mark}).json
    deleted = add_asset(registry, client.team_id, **named)
    client.delete(f"/api/assets/{deleted}/")
    spare = client.post_json("/api/products/", {"title": mark, "images": [portrait]}).json["id"]
    client.delete(f"/api/products/{spare}/")
    reference = client.post(
        "/api/ai/video-references/", {"name": mark}, upload_files=[("file", f"{mark}.png", PNG)]
    ).json["id"]
    return {
        "asset": uploaded,
        "deleted_asset": deleted,
        "image": product["images"][0]["id"],
        "product": product["id"],
        "archived_product": spare,
        "presenter": presenter["id"],
        "reference": reference,
        "selling_point": product["selling_points"][0]["id"],
    }


def _team(registry: Registry, client: Client, mark: str) -> dict[str, str]:
    member = add_member(client, mark, name=mark)
    invitation = client.post_json("/api/auth/team/invitations/", {"email": f"{mark}@example.com"}).json
    client.patch_json("/api/auth/me/", {"name": mark})
    client.patch_json("/api/auth/team/settings/", {"name": mark})
    client.put_json("/api/auth/me/preferences/", {"colour": mark})
    client.post_json("/api/billing/recharge/", {"amount": "10"})
    with transaction_scope(registry) as session:
        session.add(QuotaPolicy(team_id=client.team_id, monthly_limit=Decimal(1_000_000)))
    return {"member": member["id"], "invitation": invitation["id"]}


def _project(registry: Registry, client: Client, mark: str, ids: dict[str, str]) -> dict[str, str]:
    project = add_project(registry, client.team_id, name=mark, product_id=ids["product"])
    written = [{"narration": f"{mark} {n}", "visual_prompt": mark} for n in range(2)]
    script = add_script(registry, client.team_id, project, segments=written, adopted=True)
    portrait = add_asset(registry, client.team_id, name=mark, category="person")
    group = attached(client, project, portrait, label=mark)
    add_storyboard(registry, client, project)
    clips = [add_clip(registry, client.team_id, project, one) for one in script["segment_ids"]]
    music = [("file", f"{mark}.wav", media_samples.sound_wav(0.2))]
    client.post(f"/api/projects/{project}/upload-bgm/", upload_files=music)
    act(client, project, "save-timeline", {"clips": [{"video_segment_id": clips[0]}]})
    shot = read_project(client, project)["storyboard"]["shots"][0]
    with transaction_scope(registry) as session:
        version = session.scalars(
            select(VideoVersion.id).where(VideoVersion.video_segment_id == uuid.UUID(clips[0]))
        ).one()
    return {
        "project": project,
        "script_version": script["id"],
        "segment": script["segment_ids"][0],
        "candidate": portrait,
        "group": group,
        "shot": shot["shot_id"],
        "shot_version": shot["versions"][0]["id"],
        "video_segment": clips[0],
        "video_version": str(version),
    }


def _tasks(client: Client, mark: str, ids: dict[str, str]) -> dict[str, str]:
    """Orders that nobody has begun with: there have to be models, and somebody online."""
    prompt = {"prompt": mark}
    picture = client.post_json(
        "/api/ai/generate-image/", {**prompt, "mode": "cover", "product_id": ids["product"]}
    ).json["tasks"][0]["id"]
    video = client.post_json("/api/ai/generate-video/", prompt).json["task"]["id"]
    client.post_json(f"/api/ai/videos/{video}/favorite/", {"favorited": True})
    act(client, ids["project"], "generate-base-asset", {**prompt, "kind": "scene", "label": mark})
    act(client, ids["project"], "submit-export")
    batch = client.get(f"/api/ai/tasks/{picture}/").json["batch_id"]
    return {"task": picture, "video": video, "batch": batch}


def _words(session: Session, team_id: Any) -> set[str]:
    """Ids of all the rows of a team, of what belongs to those, and the keys of its files."""
    found = {str(team_id)}
    for table in metadata.sorted_tables:
        for row in session.execute(select(table).where(*_belongs(metadata, table, team_id))).mappings():
            found |= {str(row[name]) for name in ("id", "code", "token_digest") if row.get(name)}
    files = select(MediaFile.key).where(
        MediaFile.id.in_(select(Asset.file_id).where(Asset.team_id == team_id))
        | MediaFile.id.in_(select(Asset.original_file_id).where(Asset.team_id == team_id))
    )
    return {word.lower() for word in [*found, *session.scalars(files)]}


def _belongs(tables: MetaData, table: Table, team_id: Any) -> list[Any]:
    if "team_id" in table.c:
        return [table.c.team_id == team_id]
    for column, parent in (("product_id", "product"), ("user_id", "app_user")):
        if column in table.c:
            owners = tables.tables[parent]
            return [table.c[column].in_(select(owners.c.id).where(owners.c.team_id == team_id))]
    return [select(1).where(False).exists()]
