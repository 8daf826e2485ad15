"""The request class: typed access to what the application hangs on a request."""

from __future__ import annotations

import re
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pyramid.request import Request
from sqlalchemy.orm import Session

from contentsvc.http.forwarding import client_address
from contentsvc.http.operations import Marked, Operation, ReceivedUpload
from contentsvc.settings import Settings

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}", re.ASCII)
_ENVIRON_ID = "contentsvc.request_id"


class ApiRequest(Request):
    """A request to the service.

    ``validated`` holds what the operation's declarations have read: ``subject`` (the row
    the path's id names), ``body``, ``query`` and ``upload``. ``received`` is the upload
    once it is read; ``on_resume`` is called when a transaction begins anew after
    :func:`outside_transaction`. ``claim`` is the request's claim on its Idempotency-Key.
    """

    db: Session
    validated: dict[str, Any]
    operation: Operation
    received: ReceivedUpload | None = None
    on_resume: Callable[[], None] | None = None
    claim: Marked | None = None

    # Only bodies within the ini's limit are copied: no temporary file that nobody closes.
    request_body_tempfile_limit = sys.maxsize

    @property
    def settings(self) -> Settings:
        """The service's settings."""
        settings: Settings = self.registry["contentsvc.settings"]
        return settings

    @property
    def id(self) -> str:
        """The request id: the client's own where it is well-formed, else a new one."""
        # In the environ, because a retried request is a new object on the old environ.
        known = self.environ.get(_ENVIRON_ID)
        if known is None:
            sent = self.environ.get("HTTP_X_REQUEST_ID", "")
            known = sent if _REQUEST_ID.fullmatch(sent) else uuid.uuid4().hex
            self.environ[_ENVIRON_ID] = known
        return str(known)

    @property
    def client_address(self) -> str:
        """The peer's address, or the one that trusted proxies forward for it."""
        return client_address(self.environ, self.settings.http.trusted_proxies)

    @property
    def base_url(self) -> str:
        """Scheme and host clients use, without a slash at the end."""
        return (self.settings.http.public_url or self.host_url).rstrip("/")


@contextmanager
def outside_transaction(request: ApiRequest) -> Iterator[None]:
    """Commit, do slow work (files, providers) without a connection, and begin anew.

    Rows loaded before are detached inside and afterwards; load again what is needed.
    An error in the block leaves a fresh transaction behind, for the error's own view.
    """
    # What is committed here must not be done again by another attempt.
    request.environ["retry.attempts"] = request.environ.get("retry.attempt", 0) + 1
    request.tm.commit()
    try:
        yield
    finally:
        request.tm.begin()
    if request.on_resume is not None:
        request.on_resume()
