"""One's own account: profile, password, sessions, and the picture of those who set none."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from pyramid.response import Response

from contentsvc.accounts.avatar import default_avatar, replace_avatar
from contentsvc.accounts.preferences import merge, read
from contentsvc.accounts.schemas import (
    AvatarIn,
    PasswordIn,
    PreferencesIn,
    PreferencesOut,
    ProfileIn,
    ProfileOut,
    RevokedOut,
    SessionOut,
    TokenOut,
    UserOut,
)
from contentsvc.accounts.services import (
    change_password,
    end_session,
    leave_others,
    living_sessions,
    update_profile,
)
from contentsvc.db.session import after_commit
from contentsvc.http import ApiRequest, ApiService, ErrorCode, Permission, outside_transaction
from contentsvc.http.operations import UploadSpec
from contentsvc.http.paths import path_id
from contentsvc.security.models import DEFAULT_AVATAR_PATH, User
from contentsvc.storage.backends import storage_of
from contentsvc.storage.errors import StorageError
from contentsvc.storage.files import FileFacts
from contentsvc.storage.ingest import ingest_avatar

me = ApiService("me", "/api/auth/me/")
password = ApiService("me-password", "/api/auth/me/password/")
avatar = ApiService("me-avatar", "/api/auth/me/avatar/")
preferences = ApiService("me-preferences", "/api/auth/me/preferences/")
sessions = ApiService("me-sessions", "/api/auth/me/sessions/")
revoke_others = ApiService("me-sessions-revoke-others", "/api/auth/me/sessions/revoke-others/")
session_revoke = ApiService("me-session-revoke", "/api/auth/me/sessions/{id}/revoke/")
avatar_default = ApiService("default-avatar", DEFAULT_AVATAR_PATH)

SERVICES = (me, password, avatar, preferences, sessions, revoke_others, session_revoke, avatar_default)


def _profile(request: ApiRequest) -> dict[str, Any]:
    return {"user": request.identity.user, "team": request.identity.team}


@me.get(permission=Permission.PROFILE, response=ProfileOut)
def read_profile(request: ApiRequest) -> dict[str, Any]:
    """Tell who is signed in."""
    return _profile(request)


@me.patch(permission=Permission.PROFILE, body=ProfileIn, response=ProfileOut)
def change_profile(request: ApiRequest) -> dict[str, Any]:
    """Change one's own name, phone or email."""
    changes = request.validated["body"].model_dump(exclude_unset=True)
    update_profile(request.identity.user, changes)
    return _profile(request)


# Replies that hold a token are not remembered for repeats: only its digest may be stored.
@password.post(permission=Permission.PROFILE, body=PasswordIn, response=TokenOut, idempotent=False)
def change_own_password(request: ApiRequest) -> dict[str, Any]:
    """Change one's own password.

    All other sessions end; the current one goes on with the token in the reply.
    """
    given: PasswordIn = request.validated["body"]
    who, address = request.identity, request.client_address
    with outside_transaction(request):
        token = change_password(request.registry, who, given.old_password, given.new_password, address)
    return {"token": token}


@avatar.post(
    permission=Permission.PROFILE,
    upload=UploadSpec(AvatarIn, lambda settings: settings.uploads.avatar_max_bytes),
    response=UserOut,
    refusals=(ErrorCode.STORAGE_ERROR,),
)
def set_avatar(request: ApiRequest) -> User:
    """Set one's own picture: PNG, JPEG, WebP or GIF.

    It is shown as a square WebP of 512 pixels each way, cut from the middle.
    """
    path = request.validated["upload"].path
    with outside_transaction(request):
        picture = ingest_avatar(request.registry, path)
    return _replace_avatar(request, picture)


@avatar.delete(permission=Permission.PROFILE, response=UserOut)
def reset_avatar(request: ApiRequest) -> User:
    """Go back to the picture of users who have set none."""
    return _replace_avatar(request, None)


def _replace_avatar(request: ApiRequest, picture: FileFacts | None) -> User:
    done = replace_avatar(request.db, request.identity.user.id, picture)
    if (key := done.old_key) is not None:
        # At the request's very end: the row is gone then, and no connection waits for the storage.
        after_commit(request.db, lambda: request.add_finished_callback(lambda _: _forget(request, key)))
    return done.user


def _forget(request: ApiRequest, key: str) -> None:
    # What can't be deleted now is found by the sweep.
    with suppress(StorageError):
        storage_of(request.registry).delete(key)


@preferences.get(permission=Permission.PROFILE, response=PreferencesOut)
def read_preferences(request: ApiRequest) -> PreferencesOut:
    """Read one's own preferences."""
    return read(request.db, request.identity.user.id)


@preferences.put(permission=Permission.PROFILE, body=PreferencesIn, response=PreferencesOut)
def change_preferences(request: ApiRequest) -> PreferencesOut:
    """Set some of one's own preferences.

    The keys that are given replace those that were stored; null takes a key back to its
    default, or away. Keys that the service doesn't know are kept as they are sent.
    """
    changes = request.validated["body"].model_dump(exclude_unset=True)
    return merge(request.db, request.identity.user.id, changes)


@sessions.get(permission=Permission.PROFILE, response=list[SessionOut])
def list_sessions(request: ApiRequest) -> list[SessionOut]:
    """List one's own living sessions, newest first."""
    who = request.identity
    return [
        SessionOut.of(login, current=who.session.id) for login in living_sessions(request.db, who.user.id)
    ]


@revoke_others.post(permission=Permission.PROFILE, response=TokenOut, idempotent=False)
def revoke_other_sessions(request: ApiRequest) -> dict[str, Any]:
    """End all one's own sessions but the current one, which goes on with the token in the reply."""
    return {"token": leave_others(request.db, request.registry, request.identity)}


@session_revoke.post(permission=Permission.PROFILE, response=RevokedOut, idempotent=False)
def revoke_own_session(request: ApiRequest) -> dict[str, Any]:
    """End one of one's own sessions; `revoked` is 0 when it was ended before."""
    return {"revoked": end_session(request.db, request.identity.user.id, path_id(request))}


@avatar_default.get(permission=Permission.PUBLIC, media_type="image/png")
def show_default_avatar(request: ApiRequest) -> Response:
    """Show the picture of users who have set none."""
    picture = default_avatar(request.registry)
    response = Response(picture.content, content_type="image/png", charset=None)
    response.etag = picture.etag
    response.cache_control = "public, max-age=86400"
    response.conditional_response = True
    return response
