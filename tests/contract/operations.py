"""Every operation there has to be: written down by hand, and compared with what is registered.

A row is method, path, who may call it at least, status of a success, and the ids a body or a
query may hold: field and what it names. A field that ends in ``[]`` takes a list of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class Who(StrEnum):
    """The least of those who may call an operation."""

    PUBLIC = "public"
    ANYONE = "anyone"
    """Whoever is signed in."""
    VIEWER = "viewer"
    MEMBER = "member"
    ADMIN = "admin"
    OWNER = "owner"
    PLATFORM = "platform"
    AUDITOR = "auditor"
    """The team's admins, and the platform's administrators."""


@dataclass(frozen=True)
class Contracted:
    """One operation of the contract."""

    method: str
    path: str
    who: Who
    status: int
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Method and path, as failures show them."""
        return f"{self.method} {self.path}"


Row = tuple[str, str, int] | tuple[str, str, int, Mapping[str, str]]


def _all(who: Who, rows: tuple[Row, ...]) -> list[Contracted]:
    return [
        Contracted(method, path, who, status, MappingProxyType(dict(*names)))
        for method, path, status, *names in rows
    ]


_PUBLIC: tuple[Row, ...] = (
    ("GET", "/api/docs/", 200),
    ("GET", "/api/health/", 200),
    ("GET", "/api/health/ready/", 200),
    ("GET", "/api/media-default/avatar.png", 200),
    ("GET", "/api/media/{key}/{filename}", 200),
    ("GET", "/api/metrics/", 200),
    ("GET", "/api/openapi.json", 200),
    ("POST", "/api/auth/login/", 200),
    ("POST", "/api/auth/register/", 201),
    ("POST", "/api/auth/validate-invite/", 200),
)

_ANYONE: tuple[Row, ...] = (
    ("DELETE", "/api/auth/me/avatar/", 200),
    ("GET", "/api/auth/me/", 200),
    ("GET", "/api/auth/me/preferences/", 200),
    ("GET", "/api/auth/me/sessions/", 200),
    ("GET", "/api/ops/notifications/", 200),
    ("PATCH", "/api/auth/me/", 200),
    ("POST", "/api/auth/logout/", 204),
    ("POST", "/api/auth/me/avatar/", 200),
    ("POST", "/api/auth/me/password/", 200),
    ("POST", "/api/auth/me/sessions/revoke-others/", 200),
    ("POST", "/api/auth/me/sessions/{id}/revoke/", 200),
    ("POST", "/api/ops/notifications/mark-all-read/", 200),
    ("POST", "/api/ops/notifications/{id}/archive/", 204),
    ("POST", "/api/ops/notifications/{id}/mark-read/", 200),
    ("PUT", "/api/auth/me/preferences/", 200),
)

_IMAGE_ORDER = {
    "product_id": "product",
    "model_id": "asset",
    "model_entity_id": "presenter",
    "reference_image_ids[]": "asset",
    "batch_id": "batch",
}
_VIDEO_ORDER = {"reference_ids[]": "asset", "first_frame_id": "asset", "last_frame_id": "asset"}
_PROJECT_ORDER = {"video_segment_id": "video_segment", "reference_asset_id": "asset"}

_VIEWER: tuple[Row, ...] = (
    ("GET", "/api/ai/generate-image/", 200, {"ids[]": "task"}),
    ("GET", "/api/ai/generate-video/", 200, {"ids[]": "task"}),
    ("GET", "/api/ai/models/", 200),
    ("GET", "/api/ai/tasks/", 200, {"project": "project", "product": "product", "batch_id": "batch"}),
    ("GET", "/api/ai/tasks/workbench/", 200),
    ("GET", "/api/ai/tasks/{id}/", 200),
    ("GET", "/api/ai/video-references/", 200),
    ("GET", "/api/ai/videos/", 200),
    ("GET", "/api/assets/", 200, {"product": "product"}),
    ("GET", "/api/assets/facets/", 200),
    ("GET", "/api/assets/summary/", 200),
    ("GET", "/api/assets/trash/", 200),
    ("GET", "/api/assets/video-packs/", 200),
    ("GET", "/api/assets/{id}/", 200),
    ("GET", "/api/assets/{id}/raw/", 200),
    ("GET", "/api/auth/team/members/", 200),
    ("GET", "/api/auth/team/settings/", 200),
    ("GET", "/api/billing/ledgers/", 200),
    ("GET", "/api/billing/summary/", 200),
    ("GET", "/api/billing/trend/", 200),
    ("GET", "/api/models/", 200),
    ("GET", "/api/products/", 200),
    ("GET", "/api/products/trash/", 200),
    ("GET", "/api/products/{id}/", 200),
    ("GET", "/api/products/{id}/materials/", 200),
    ("GET", "/api/projects/", 200, {"product": "product"}),
    ("GET", "/api/projects/{id}/", 200),
    ("GET", "/api/projects/{id}/export-clips/", 200),
    ("GET", "/api/projects/{id}/extract-status/", 200),
    ("GET", "/api/projects/{id}/pending-assets/", 200),
    ("GET", "/api/projects/{id}/video-precheck/", 200),
    ("GET", "/api/trash/", 200),
    ("POST", "/api/ai/estimate/", 200, {**_IMAGE_ORDER, **_VIDEO_ORDER, **_PROJECT_ORDER}),
    ("POST", "/api/ai/tasks/mark-read/", 200, {"ids[]": "task"}),
    ("POST", "/api/ai/video-references/{id}/poll/", 200),
    ("POST", "/api/projects/{id}/poll-export/", 200),
    ("POST", "/api/projects/{id}/poll-reviews/", 200),
    ("POST", "/api/projects/{id}/poll-storyboard/", 200),
    ("POST", "/api/projects/{id}/poll-video-segment/", 200, {"video_segment_id": "video_segment"}),
)

_PRODUCT = {"cover_asset": "asset", "images[]": "asset"}
_SHOT = {"shot_id": "shot"}

_MEMBER: tuple[Row, ...] = (
    ("DELETE", "/api/ai/video-references/{id}/", 204),
    ("DELETE", "/api/ai/videos/{id}/", 204),
    ("DELETE", "/api/assets/{id}/", 204),
    ("DELETE", "/api/assets/{id}/purge/", 204),
    ("DELETE", "/api/models/{id}/", 204),
    ("DELETE", "/api/products/{id}/", 204),
    ("DELETE", "/api/products/{id}/images/{image_id}/", 200),
    ("DELETE", "/api/products/{id}/purge/", 204),
    ("DELETE", "/api/projects/{id}/", 204),
    ("PATCH", "/api/assets/{id}/", 200),
    ("PATCH", "/api/products/{id}/", 200, _PRODUCT),
    ("PATCH", "/api/projects/{id}/", 200),
    ("POST", "/api/ai/generate-image/", 202, _IMAGE_ORDER),
    ("POST", "/api/ai/generate-video/", 202, _VIDEO_ORDER),
    ("POST", "/api/ai/video-references/", 201),
    ("POST", "/api/ai/videos/{id}/favorite/", 200),
    ("POST", "/api/assets/upload/", 201, {"product": "product"}),
    ("POST", "/api/assets/{id}/restore/", 200),
    ("POST", "/api/assets/{id}/submit-review/", 200),
    ("POST", "/api/models/enroll-asset/", 201, {"asset_id": "asset"}),
    ("POST", "/api/models/upload/", 201),
    ("POST", "/api/products/", 201, _PRODUCT),
    ("POST", "/api/products/{id}/images/", 201),
    ("POST", "/api/products/{id}/restore/", 200),
    ("POST", "/api/projects/", 201, {"product": "product"}),
    ("POST", "/api/projects/{id}/add-script-segment/", 200, {"after_segment_id": "segment"}),
    ("POST", "/api/projects/{id}/adopt-base-asset/", 200, {"group_id": "group", "asset_id": "candidate"}),
    ("POST", "/api/projects/{id}/adopt-script/", 200, {"script_version_id": "script_version"}),
    ("POST", "/api/projects/{id}/adopt-storyboard-shot/", 200, {**_SHOT, "version_id": "shot_version"}),
    (
        "POST",
        "/api/projects/{id}/adopt-video-version/",
        200,
        {"video_segment_id": "video_segment", "version_id": "video_version"},
    ),
    ("POST", "/api/projects/{id}/attach-base-asset/", 200, {"asset_id": "asset", "group_id": "group"}),
    ("POST", "/api/projects/{id}/delete-base-asset/", 200, {"group_id": "group"}),
    ("POST", "/api/projects/{id}/delete-script-segment/", 200, {"segment_id": "segment"}),
    ("POST", "/api/projects/{id}/extract-entities/", 202),
    ("POST", "/api/projects/{id}/generate-base-asset/", 202, {"reference_asset_id": "asset"}),
    ("POST", "/api/projects/{id}/generate-storyboard-shot/", 202, _SHOT),
    ("POST", "/api/projects/{id}/generate-storyboard/", 202),
    ("POST", "/api/projects/{id}/generate-triview/", 202, {"portrait_asset_id": "asset"}),
    ("POST", "/api/projects/{id}/generate-voiceover/", 200),
    ("POST", "/api/projects/{id}/rerun-script-segment/", 200, {"segment_id": "segment"}),
    ("POST", "/api/projects/{id}/rerun-storyboard-shot/", 202, _SHOT),
    ("POST", "/api/projects/{id}/save-timeline/", 200),
    (
        "POST",
        "/api/projects/{id}/script-agent-stream/",
        200,
        {"base_version_id": "script_version", "selling_point_ids[]": "selling_point"},
    ),
    ("POST", "/api/projects/{id}/set-base-asset-adopt/", 200, {"group_id": "group"}),
    ("POST", "/api/projects/{id}/skip-storyboard/", 200),
    ("POST", "/api/projects/{id}/submit-export/", 202),
    ("POST", "/api/projects/{id}/submit-video-segment/", 202, {"video_segment_id": "video_segment"}),
    ("POST", "/api/projects/{id}/update-script-segment/", 200, {"segment_id": "segment"}),
    ("POST", "/api/projects/{id}/upload-bgm/", 200),
    ("POST", "/api/projects/{id}/upload-video-segment/", 200, {"video_segment_id": "video_segment"}),
)

_ADMIN: tuple[Row, ...] = (
    ("DELETE", "/api/auth/team/members/{id}/", 204),
    ("GET", "/api/auth/team/invitations/", 200),
    ("PATCH", "/api/auth/team/members/{id}/", 200),
    ("POST", "/api/auth/team/invitations/", 201),
    ("POST", "/api/auth/team/invitations/{id}/revoke/", 200),
    ("POST", "/api/auth/team/members/", 201),
    ("POST", "/api/auth/team/members/{id}/password/", 204),
)

_OWNER: tuple[Row, ...] = (
    ("PATCH", "/api/auth/team/settings/", 200),
    ("POST", "/api/billing/recharge/", 201),
)

_AUDITOR: tuple[Row, ...] = (("GET", "/api/ai/tasks/{id}/explain/", 200),)

_PLATFORM: tuple[Row, ...] = (
    ("DELETE", "/api/admin/models/{id}/", 204),
    ("DELETE", "/api/admin/presenters/{id}/", 204),
    ("DELETE", "/api/admin/providers/{id}/", 204),
    ("DELETE", "/api/admin/quality-words/{id}/", 204),
    ("DELETE", "/api/admin/quota-policies/{id}/", 204),
    ("GET", "/api/admin/asset-reviews/", 200),
    ("GET", "/api/admin/audit/", 200),
    ("GET", "/api/admin/billing-config/", 200),
    ("GET", "/api/admin/integrity/", 200),
    ("GET", "/api/admin/invitations/", 200),
    ("GET", "/api/admin/ledgers/", 200),
    ("GET", "/api/admin/models/", 200),
    ("GET", "/api/admin/presenters/", 200),
    ("GET", "/api/admin/projects/", 200),
    ("GET", "/api/admin/prompt-templates/", 200),
    ("GET", "/api/admin/providers/", 200),
    ("GET", "/api/admin/quality-words/", 200),
    ("GET", "/api/admin/quota-policies/", 200),
    ("GET", "/api/admin/tasks/", 200),
    ("GET", "/api/admin/tasks/{id}/", 200),
    ("GET", "/api/admin/teams/", 200),
    ("GET", "/api/admin/teams/{id}/", 200),
    ("GET", "/api/admin/users/", 200),
    ("GET", "/api/admin/workers/", 200),
    ("PATCH", "/api/admin/billing-config/", 200),
    ("PATCH", "/api/admin/models/{id}/", 200),
    ("PATCH", "/api/admin/presenters/{id}/", 200),
    ("PATCH", "/api/admin/prompt-templates/{id}/", 200),
    ("PATCH", "/api/admin/providers/{id}/", 200),
    ("PATCH", "/api/admin/quality-words/{id}/", 200),
    ("PATCH", "/api/admin/quota-policies/{id}/", 200),
    ("PATCH", "/api/admin/teams/{id}/", 200),
    ("POST", "/api/admin/asset-reviews/poll/", 200),
    ("POST", "/api/admin/asset-reviews/submit/", 200),
    ("POST", "/api/admin/invitations/", 201),
    ("POST", "/api/admin/invitations/{id}/revoke/", 200),
    ("POST", "/api/admin/ledgers/adjust/", 201),
    ("POST", "/api/admin/models/", 201),
    ("POST", "/api/admin/models/{id}/set-default/", 200),
    ("POST", "/api/admin/presenters/", 201),
    ("POST", "/api/admin/providers/", 201),
    ("POST", "/api/admin/providers/{id}/test/", 200),
    ("POST", "/api/admin/quality-words/", 201),
    ("POST", "/api/admin/quota-policies/", 201),
    ("POST", "/api/admin/tasks/{id}/reap/", 200),
    ("POST", "/api/admin/tasks/{id}/retry/", 200),
    ("POST", "/api/admin/teams/{id}/toggle/", 200),
    ("POST", "/api/admin/users/{id}/reset-password/", 204),
    ("POST", "/api/admin/users/{id}/toggle/", 200),
)

OPERATIONS: tuple[Contracted, ...] = (
    *_all(Who.PUBLIC, _PUBLIC),
    *_all(Who.ANYONE, _ANYONE),
    *_all(Who.VIEWER, _VIEWER),
    *_all(Who.MEMBER, _MEMBER),
    *_all(Who.ADMIN, _ADMIN),
    *_all(Who.OWNER, _OWNER),
    *_all(Who.AUDITOR, _AUDITOR),
    *_all(Who.PLATFORM, _PLATFORM),
)
