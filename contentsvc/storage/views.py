"""Public links to media."""

from __future__ import annotations

from pyramid.response import Response
from sqlalchemy import select

from contentsvc.http.errors import ErrorCode, NotFound
from contentsvc.http.permissions import Permission
from contentsvc.http.request import ApiRequest, outside_transaction
from contentsvc.http.service import ApiService
from contentsvc.storage.backends import storage_of
from contentsvc.storage.keys import is_key
from contentsvc.storage.models import MediaFile
from contentsvc.storage.serving import FOREVER, is_known, serve

media = ApiService("media", "/api/media/{key}/{filename}")


def _public_file(request: ApiRequest) -> MediaFile:
    """The key decides; the file name is there for people."""
    key = request.matchdict["key"]
    file = None
    if is_key(key):
        file = request.db.scalar(select(MediaFile).where(MediaFile.key == key, MediaFile.is_public))
    if file is None:
        raise NotFound
    return file


@media.get(
    permission=Permission.PUBLIC,
    subject=_public_file,
    media_type="*/*",
    other_statuses=(206, 302, 304),
    # A page of thumbnails is one visit, not two hundred.
    rated=False,
    refusals=(ErrorCode.STORAGE_ERROR,),
)
def get_media(request: ApiRequest) -> Response:
    """The bytes of a public file.

    Needs no token: the link can't be guessed. Honours If-None-Match, If-Range and a single
    Range. Where files lie in S3 this redirects to them (302), to a link that expires.
    """
    file: MediaFile = request.validated["subject"]
    seconds = request.settings.storage.signed_url_seconds
    with outside_transaction(request):
        link = storage_of(request.registry).link(
            file.key, filename=file.filename, media_type=file.media_type, seconds=seconds
        )
    if link is None or is_known(request.headers.get("If-None-Match"), f'"{file.etag}"'):
        return serve(request, file, cache=FOREVER)
    # Half of its life: a link that a cache still gives out must still work.
    headers = {"Cache-Control": f"private, max-age={seconds // 2}", "Location": link}
    return Response(status=302, headers=headers, content_type=None)
