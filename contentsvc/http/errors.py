"""The one way to refuse: codes, their statuses, and the exceptions that carry them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class ErrorCode(StrEnum):
    """Machine-readable codes of the error envelope; clients branch on these."""

    MALFORMED_JSON = "malformed_json"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    NOT_AUTHENTICATED = "not_authenticated"
    INVALID_TOKEN = "invalid_token"  # noqa: S105 - a code, not a secret
    PERMISSION_DENIED = "permission_denied"
    INVALID_CREDENTIALS = "invalid_credentials"
    TEAM_DISABLED = "team_disabled"
    USER_DISABLED = "user_disabled"
    INVALID_INVITE = "invalid_invite"
    INSUFFICIENT_BALANCE = "insufficient_balance"
    QUOTA_EXCEEDED = "quota_exceeded"
    MEMBER_LIMIT_EXCEEDED = "member_limit_exceeded"
    TEAM_LIMIT_EXCEEDED = "team_limit_exceeded"
    NO_WORKER = "no_worker"
    NO_MODEL = "no_model"
    TOO_MANY_RUNNING = "too_many_running"
    RATE_LIMITED = "rate_limited"
    CONFLICT = "conflict"
    PAYLOAD_TOO_LARGE = "payload_too_large"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    PROVIDER_ERROR = "provider_error"
    UNREVIEWED_FACES = "unreviewed_faces"
    NOT_REVIEWABLE = "not_reviewable"
    NOT_ARCHIVED = "not_archived"
    NOT_RETRYABLE = "not_retryable"
    NOT_REAPABLE = "not_reapable"
    NO_CLIPS = "no_clips"
    STORAGE_ERROR = "storage_error"
    UNAVAILABLE = "unavailable"
    INTERNAL_ERROR = "internal_error"


STATUS_OF: Mapping[ErrorCode, int] = {
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.METHOD_NOT_ALLOWED: 405,
    ErrorCode.NOT_AUTHENTICATED: 401,
    ErrorCode.INVALID_TOKEN: 401,
    ErrorCode.PERMISSION_DENIED: 403,
    ErrorCode.INSUFFICIENT_BALANCE: 402,
    ErrorCode.QUOTA_EXCEEDED: 402,
    ErrorCode.MEMBER_LIMIT_EXCEEDED: 402,
    ErrorCode.TEAM_LIMIT_EXCEEDED: 402,
    ErrorCode.NO_WORKER: 503,
    ErrorCode.NO_MODEL: 503,
    ErrorCode.TOO_MANY_RUNNING: 429,
    ErrorCode.RATE_LIMITED: 429,
    ErrorCode.CONFLICT: 409,
    ErrorCode.PAYLOAD_TOO_LARGE: 413,
    ErrorCode.UNSUPPORTED_MEDIA_TYPE: 415,
    ErrorCode.PROVIDER_ERROR: 502,
    ErrorCode.STORAGE_ERROR: 502,
    ErrorCode.UNAVAILABLE: 503,
    ErrorCode.INTERNAL_ERROR: 500,
}
"""Status of each code; the codes that are missing here answer 400."""

NON_FIELD = "non_field_errors"


class ApiError(Exception):
    """A refusal the client is told of.

    ``detail`` is a sentence for people. ``status`` overrides the code's usual one
    (a ``conflict`` about state is a 400). ``extra`` joins the body beside detail and code.
    """

    def __init__(
        self,
        code: ErrorCode,
        detail: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.status = status or STATUS_OF.get(code, 400)
        self.retry_after = retry_after
        self.extra = dict(extra or {})

    def body(self) -> dict[str, Any]:
        """The JSON object the client gets."""
        return {"detail": self.detail, "code": self.code.value, **self.extra}


class FieldErrors(ApiError):
    """Validation failed: messages by field, nested fields dotted (``images.0.asset``)."""

    def __init__(self, errors: Mapping[str, list[str]]) -> None:
        super().__init__(ErrorCode.CONFLICT, "The request is not valid.", status=400)
        self.errors = {field: list(messages) for field, messages in errors.items()}

    @classmethod
    def one(cls, field: str, message: str) -> FieldErrors:
        """A single message on a single field."""
        return cls({field: [message]})

    def body(self) -> dict[str, Any]:
        return dict(self.errors)


class NotFound(ApiError):
    """Unknown, malformed, deleted or another team's: the client can't tell which."""

    def __init__(self, detail: str = "There is nothing here.") -> None:
        super().__init__(ErrorCode.NOT_FOUND, detail)


class PermissionDenied(ApiError):
    """Known who asks, and not allowed to."""

    def __init__(self, detail: str = "Your role does not allow this.") -> None:
        super().__init__(ErrorCode.PERMISSION_DENIED, detail)
