"""The request class: typed access to what the application hangs on a request."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pyramid.request import Request
from sqlalchemy.orm import Session

from contentsvc.settings import Settings

if TYPE_CHECKING:
    from contentsvc.http.service import Operation


class ApiRequest(Request):
    """A request to the service.

    ``validated`` holds what the operation's declarations have read: ``subject`` (the row
    the path's id names), ``body``, ``query`` and ``upload``.
    """

    db: Session
    validated: dict[str, Any]
    operation: Operation

    @property
    def settings(self) -> Settings:
        """The service's settings."""
        settings: Settings = self.registry["contentsvc.settings"]
        return settings

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
    request.tm.commit()
    try:
        yield
    finally:
        request.tm.begin()
