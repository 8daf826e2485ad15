"""Fetching a provider's result by the link he gave: nothing about the link is trusted."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Final

import httpx

from contentsvc.plugin import Capability, ProviderError
from contentsvc.providers.outbound import SIZE, AddressRefused, ReplyTooLarge
from contentsvc.settings import UploadSettings

MAX_REDIRECTS: Final = 3
PAUSES: Final = (0.3, 1.0)
"""Seconds between the tries to fetch one file."""

CANCELLED: Final = "The work was cancelled."
LINK_REFUSED: Final = "The provider's link to the result may not be followed."
GONE: Final = "The provider's link to the result is not valid any more."
NO_FILE: Final = "The provider sent a page instead of the result."
EMPTY: Final = "The provider sent an empty file."

_MIB: Final = 1024 * 1024
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_PAGES: Final = frozenset({"text/html", "application/xhtml+xml"})
_PAGE_STARTS: Final = (b"<!doctype html", b"<html", b"<head", b"<body")
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Source:
    """What is to be fetched. ``headers`` are for the provider's own host, ``home``, and no other."""

    url: str
    home: str
    headers: Mapping[str, str] = field(repr=False)
    max_bytes: int


def default_limit(capability: Capability, uploads: UploadSettings) -> int:
    """Most bytes of a result: what the service would take of an upload of its kind."""
    match capability:
        case Capability.IMAGE_GENERATION | Capability.IMAGE_EDIT:
            return uploads.image_max_bytes
        case Capability.SPEECH:
            return uploads.audio_max_bytes
        case _:
            return uploads.video_max_bytes


def download(
    client: httpx.Client,
    source: Source,
    path: Path,
    is_cancelled: Callable[[], bool],
    pauses: Sequence[float] = PAUSES,
) -> None:
    """Write what the link leads to into a new file; on an error nothing is left of it.

    Follows three redirects at most, each looked at as the first address is, and tries again
    after each of the pauses where the connection or the host fails. Raises
    ProviderError for what another try would not change, httpx's transport errors for what
    it might, and ValueError for a file that exists.
    """
    if path.exists():
        raise ValueError("there is a file of this name already")
    for pause in (*pauses, None):
        try:
            _follow(client, source, path, is_cancelled)
        except AddressRefused:
            raise ProviderError(LINK_REFUSED) from None
        except ReplyTooLarge:
            raise ProviderError(too_large(source.max_bytes)) from None
        except httpx.TransportError as error:
            # The work is paid for, and asking again for its result orders nothing. A host who
            # doesn't answer at all has had his time.
            if pause is None or isinstance(error, httpx.TimeoutException) or is_cancelled():
                raise
            time.sleep(pause)
        else:
            return
        finally:
            _part(path).unlink(missing_ok=True)


def too_large(max_bytes: int) -> str:
    """The sentence for a result of more bytes."""
    return f"The provider's result is larger than {max_bytes / _MIB:g} MiB."


def _follow(client: httpx.Client, source: Source, path: Path, is_cancelled: Callable[[], bool]) -> None:
    url = _parsed(source.url)
    for _ in range(MAX_REDIRECTS + 1):
        headers = source.headers if _origin(url) == _origin(_parsed(source.home)) else {}
        # Cookies of one host have no business at the next.
        client.cookies.clear()
        with client.stream("GET", url, headers=dict(headers), extensions={SIZE: source.max_bytes}) as reply:
            if reply.status_code not in _REDIRECTS:
                _write(reply, path, source.max_bytes, is_cancelled)
                return
            url = _next(url, reply)
    raise ProviderError(LINK_REFUSED)


def _parsed(url: str) -> httpx.URL:
    try:
        return httpx.URL(url)
    except (httpx.InvalidURL, TypeError):
        raise ProviderError(LINK_REFUSED) from None


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _next(url: httpx.URL, reply: httpx.Response) -> httpx.URL:
    try:
        return url.join(reply.headers["Location"])
    except (KeyError, httpx.InvalidURL):
        raise ProviderError(LINK_REFUSED) from None


def _write(reply: httpx.Response, path: Path, max_bytes: int, is_cancelled: Callable[[], bool]) -> None:
    _check_head(reply, max_bytes)
    part = _part(path)
    with part.open("xb") as file:
        for piece in reply.iter_raw():
            if is_cancelled():
                raise ProviderError(CANCELLED)
            file.write(piece)
    with part.open("rb") as file:
        head = file.read(512)
    if not head:
        raise ProviderError(EMPTY)
    if head.removeprefix(_BOM).lstrip()[:20].lower().startswith(_PAGE_STARTS):
        raise ProviderError(NO_FILE)
    part.rename(path)


def _check_head(reply: httpx.Response, max_bytes: int) -> None:
    if reply.is_server_error or reply.status_code == HTTPStatus.TOO_MANY_REQUESTS:
        # As good as no answer: the file may be there in a moment.
        raise httpx.RemoteProtocolError("The file can't be fetched now.", request=reply.request)
    if reply.status_code != HTTPStatus.OK:
        raise ProviderError(GONE)
    if reply.headers.get("Content-Type", "").partition(";")[0].strip().lower() in _PAGES:
        raise ProviderError(NO_FILE)
    with suppress(ValueError):
        if int(reply.headers.get("Content-Length", 0)) > max_bytes:
            raise ReplyTooLarge(too_large(max_bytes), request=reply.request)


def _part(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")
