"""Idempotency-Key: the first successful reply is remembered and replayed for 24 hours.

Record and effect are one transaction, so a call that died leaves neither. Concurrent
repeats queue on an advisory lock that lives as long as the first call's transaction.
Where a view leaves its transaction in the middle (files, providers), the lock is taken
and the record looked for again before the view's last transaction: of two such calls
one makes its rows, and the other answers with the first one's reply.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
import uuid
from collections.abc import Callable
from typing import Any

from pyramid.config import Configurator
from pyramid.registry import Registry
from pyramid.response import Response
from sqlalchemy import delete, func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from contentsvc.db.session import transaction_scope
from contentsvc.http.body import limited_body, parse_object
from contentsvc.http.errors import ApiError, ErrorCode
from contentsvc.http.models import IdempotencyRecord, RateCounter
from contentsvc.http.operations import Mark, Operation
from contentsvc.http.request import ApiRequest, outside_transaction
from contentsvc.http.uploads import receive_upload

HEADER = "Idempotency-Key"
REMEMBERED_HOURS = 24
WAIT_SECONDS = 10
_LOOK_SECONDS = 0.3

_KEY = re.compile(r"[\x21-\x7e]{1,255}", re.ASCII)
_LOCK_NOT_AVAILABLE = "55P03"

View = Callable[[Any, ApiRequest], Response]


class Replay(Exception):
    """The reply that a finished first call left."""

    def __init__(self, record: IdempotencyRecord) -> None:
        super().__init__(record.key)
        self.record = record


def file_reply(session: Session, mark: Mark, *, status: int, content_type: str, body: bytes) -> None:
    """Keep the reply to a marked call; becomes true with the session's transaction.

    For work whose effect is committed apart from the request that asked for it.
    """
    values = {
        "fingerprint": mark["fingerprint"],
        "status": status,
        "content_type": content_type,
        "body": body,
        "created_at": func.clock_timestamp(),
    }
    statement = insert(IdempotencyRecord).values(
        user_id=uuid.UUID(mark["user"]), path=mark["path"], key=mark["key"], **values
    )
    session.execute(
        # What is in the way is older than a day, or settle() had found it.
        statement.on_conflict_do_update(index_elements=["user_id", "path", "key"], set_=values)
    )


class Claim:
    """One request's claim on its key."""

    def __init__(self, request: ApiRequest, operation: Operation, user_id: uuid.UUID, key: str) -> None:
        self._request = request
        self._operation = operation
        self._user_id = user_id
        # Ids are the same in either case, and no path differs in case alone.
        self._path = request.path.lower()
        self._key = key
        self._secret_fingerprint: str | None = None

    def settle(self) -> None:
        """Wait for the key, then look whether the call is done already.

        Raises Replay when it is, ApiError ``conflict`` when the key was used with another
        body or the first call still runs after ten seconds.
        """
        fingerprint = self._fingerprint()
        if fingerprint is None:
            return
        self._lock()
        record = self.find()
        if record is None:
            return
        if record.fingerprint != fingerprint:
            raise ApiError(ErrorCode.CONFLICT, f"This {HEADER} was used with another body.")
        raise Replay(record)

    def find(self) -> IdempotencyRecord | None:
        """The remembered reply, whatever its body was."""
        return self._request.db.scalar(
            select(IdempotencyRecord).where(
                IdempotencyRecord.user_id == self._user_id,
                IdempotencyRecord.path == self._path,
                IdempotencyRecord.key == self._key,
                IdempotencyRecord.created_at > _horizon(),
            )
        )

    def remember(self, response: Response) -> None:
        """Keep a reply; becomes true with the request's transaction."""
        file_reply(
            self._request.db,
            self.mark(),
            status=response.status_int,
            content_type=response.headers.get("Content-Type", ""),
            body=response.body,
        )

    def mark(self) -> Mark:
        """What identifies this call, as JSON, for who files its reply later."""
        return {
            "user": str(self._user_id),
            "path": self._path,
            "key": self._key,
            "fingerprint": self._fingerprint() or "",
        }

    def _lock(self) -> None:
        number = int.from_bytes(hashlib.sha256(self._name().encode()).digest()[:8], "big", signed=True)
        database = self._request.settings.database
        self._limit(WAIT_SECONDS * 1000, (WAIT_SECONDS + 5) * 1000)
        try:
            self._request.db.execute(select(func.pg_advisory_xact_lock(number)))
        except OperationalError as error:
            if getattr(error.orig, "sqlstate", None) != _LOCK_NOT_AVAILABLE:
                raise
            raise _still_running() from error
        self._limit(database.lock_timeout_ms, database.statement_timeout_ms)

    def _limit(self, lock_ms: int, statement_ms: int) -> None:
        self._request.db.execute(
            text(
                "SELECT set_config('lock_timeout', :lock, true), set_config('statement_timeout', :all, true)"
            ),
            {"lock": str(lock_ms), "all": str(statement_ms)},
        )

    def _fingerprint(self) -> str | None:
        """What makes two calls the same; None while the body is unread or can't be read."""
        if self._operation.upload is None:
            fingerprint = _json_fingerprint(self._request, self._operation)
            return (
                self._made_slow(fingerprint) if fingerprint and _is_secret(self._operation) else fingerprint
            )
        upload = self._request.received
        if upload is None:
            return None
        return _digest({"fields": upload.text, "file": upload.sha256})

    def _made_slow(self, fingerprint: str) -> str:
        """A fingerprint that nobody guesses a password from: salted, and slow to try."""
        if self._secret_fingerprint is None:
            slow = hashlib.scrypt(fingerprint.encode(), salt=self._name().encode(), n=2**14, r=8, p=1)
            self._secret_fingerprint = slow.hex()
        return self._secret_fingerprint

    def _name(self) -> str:
        return "\n".join((str(self._user_id), self._path, self._key))


def _json_fingerprint(request: ApiRequest, operation: Operation) -> str | None:
    try:
        raw = limited_body(request)
        return _digest(parse_object(raw or b"{}"))
    except ApiError:
        # The view refuses such a body, unless it takes none and never looks.
        return None if operation.body is not None else "unread"


def _is_secret(operation: Operation) -> bool:
    """Whether the body holds what its own error messages must not repeat."""
    return operation.body is not None and bool(operation.body.model_config.get("hide_input_in_errors"))


def _digest(value: Any) -> str:
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _horizon() -> Any:
    return func.clock_timestamp() - func.make_interval(0, 0, 0, 0, REMEMBERED_HOURS)


def await_twin(request: ApiRequest, running: Callable[[], Mark | None]) -> bool:
    """Wait for a first call with the same key whose work outlives its transaction; whether there was one.

    ``running`` finds the mark of such a call while its work is under way. What was loaded
    before is detached after a wait. Raises Replay when the first call has left its reply,
    ApiError ``conflict`` when it had another body or still runs after ten seconds.
    Returning says that no first call runs, nor has succeeded.
    """
    deadline = time.monotonic() + WAIT_SECONDS
    waited = False
    while request.claim is not None and (first := running()) is not None:
        if first["fingerprint"] != request.claim.mark()["fingerprint"]:
            raise ApiError(ErrorCode.CONFLICT, f"This {HEADER} was used with another body.")
        if time.monotonic() > deadline:
            raise _still_running()
        waited = True
        with outside_transaction(request):
            time.sleep(_LOOK_SECONDS)
    if request.on_resume is not None:
        # The first call may have ended since its reply was looked for.
        request.on_resume()
    return waited


def _still_running() -> ApiError:
    return ApiError(
        ErrorCode.CONFLICT,
        "The first request with this key is still running. Try again in a moment.",
        retry_after=WAIT_SECONDS,
    )


def key_of(request: ApiRequest) -> str | None:
    """The request's key. Raises ApiError 400 for one that is empty, too long or unprintable."""
    key: str | None = request.headers.get(HEADER)
    if key is not None and not _KEY.fullmatch(key):
        raise ApiError(ErrorCode.MALFORMED_JSON, f"An {HEADER} has 1 to 255 visible ASCII characters.")
    return key


def idempotent(view: View, info: Any) -> View:
    """View deriver: below the permission check, above the view and its renderer."""
    operation: Operation | None = info.options.get("operation")
    if operation is None or not operation.idempotent:
        return view

    def wrapper(context: Any, request: ApiRequest) -> Response:
        userid = request.authenticated_userid
        if userid is None:
            return view(context, request)
        key = key_of(request)
        if key is None:
            return view(context, request)
        try:
            claim = Claim(request, operation, uuid.UUID(userid), key)
            return _claimed(claim, operation, view, context, request)
        except Replay as replay:
            return _replayed(replay.record)

    return wrapper


idempotent.options = ("operation",)  # type: ignore[attr-defined]  # how Pyramid learns of the argument


def _claimed(claim: Claim, operation: Operation, view: View, context: Any, request: ApiRequest) -> Response:
    request.claim = claim
    request.on_resume = claim.settle
    if operation.upload is None:
        claim.settle()
    elif claim.find() is not None:
        # A replay comes before every other refusal, and only the file tells whether it is one.
        receive_upload(request, operation.upload)
    response = view(context, request)
    request.on_resume = None
    if 200 <= response.status_int < 300 and isinstance(response.app_iter, list | tuple):
        claim.remember(response)
    return response


def _replayed(record: IdempotencyRecord) -> Response:
    headers = [("Idempotent-Replay", "true")]
    if record.content_type:
        headers.append(("Content-Type", record.content_type))
    response = Response(status=record.status, headerlist=headers)
    response.body = record.body
    if record.status == 204:
        response.headers.pop("Content-Length", None)
    return response


def forget_expired(registry: Registry) -> int:
    """Delete replies older than a day and counters older than the longest window; how many."""
    settings = registry["contentsvc.settings"]
    longest = max(3600, settings.auth.failure_window_minutes * 60)
    with transaction_scope(registry) as session:
        replies = session.execute(delete(IdempotencyRecord).where(IdempotencyRecord.created_at < _horizon()))
        oldest = func.clock_timestamp() - func.make_interval(0, 0, 0, 0, 0, 0, longest)
        counters = session.execute(delete(RateCounter).where(RateCounter.window_start < oldest))
    return int(replies.rowcount + counters.rowcount)  # type: ignore[attr-defined]


def includeme(config: Configurator) -> None:
    """Register the deriver; by default Pyramid puts it below the permission check."""
    config.add_view_deriver(idempotent, name="idempotent")
