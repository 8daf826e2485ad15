"""What the fuzzer is told beside the OpenAPI document: loaded by it, not by pytest."""

from __future__ import annotations

import json
import os
import re
import zlib
from typing import Any

import schemathesis
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import StatefulPhaseData

from tests import media_samples

# Ids of the fuzzer's own users and teams, who stay signed in, and of the models that do its work.
_OWN = frozenset(os.environ["FUZZ_OWN_IDS"].split(","))
_SPARED = ("/toggle/", "/reset-password/", "/password/", "/set-default/")
_SPARED_CHANGES = ("/api/admin/models/{id}/", "/api/admin/providers/{id}/")
_NOBODY = "00000000-0000-7000-8000-000000000000"

# A team's own project and what is in it: by itself the fuzzer would hardly ever name one.
_IDS = json.loads(os.environ["FUZZ_IDS"])
_FIELDS = {
    "after_segment_id": "segment",
    "asset_id": "candidate",
    "group_id": "group",
    "portrait_asset_id": "candidate",
    "product": "product",
    "product_id": "product",
    "script_version_id": "script_version",
    "segment_id": "segment",
    "shot_id": "shot",
    "video_segment_id": "video_segment",
}
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_FILES = {"/upload-video-segment/": media_samples.video("mp4"), "/upload-bgm/": media_samples.sound_wav(0.2)}
_PICTURE = media_samples.image("PNG")

# What nobody but the fuzzer brought about: it removes models, and names providers that don't exist.
_FORESEEN = frozenset({"no_model", "no_worker", "provider_error"})


@schemathesis.hook
def map_case(_context: Any, case: Any) -> Any:
    """Three in four cases name things that exist; none locks the fuzzer out, or takes its models away."""
    # A chain of calls names what it has made itself.
    in_chain = case.meta is not None and isinstance(case.meta.phase.data, StatefulPhaseData)
    if not in_chain and zlib.crc32(f"{case.path_parameters}{case.body}".encode("utf-8", "replace")) % 4:
        _name_what_exists(case)
    parameters = case.path_parameters or {}
    is_own = str(parameters.get("id", "")).lower() in _OWN
    # Of the defaults it is the other way about: only its own models may become that.
    if case.path.endswith("/set-default/"):
        is_own = not is_own
    if is_own and (case.path.endswith(_SPARED) or case.path in _SPARED_CHANGES):
        case.path_parameters = {**parameters, "id": _NOBODY}
    return case


def _name_what_exists(case: Any) -> None:
    parameters = case.path_parameters or {}
    of_a_project = case.path.startswith("/api/projects/{id}/") and case.method.upper() != "DELETE"
    if of_a_project and _UUID.fullmatch(str(parameters.get("id", ""))):
        case.path_parameters = {**parameters, "id": _IDS["project"]}
    if (
        not isinstance(case.body, dict)
        or case.meta is None
        or case.meta.is_negative_at(ParameterLocation.BODY)
    ):
        return
    named = {name: _IDS[_FIELDS[name]] for name, value in case.body.items() if name in _FIELDS and value}
    if "file" in case.body:
        ending = next((one for one in _FILES if case.path.endswith(one)), "")
        named["file"] = _FILES.get(ending, _PICTURE)
    case.body = {**case.body, **named}


@schemathesis.hook
def filter_failure(_context: Any, failure: Any, case: Any, response: Any) -> bool:
    """Drop what is meant: see the functions below."""
    # A request line of over 8 KiB: the server never hands it to the application.
    if response.status_code == 414:
        return False
    kind = type(failure).__name__
    if kind == "ServerError":
        return not _foreseen(response)
    # Whatever is in a form is text, or the file that was put there above.
    is_form = case.media_type == "multipart/form-data"
    return not (kind == "AcceptedNegativeData" and (is_form or _empty_filter(case)))


def _foreseen(response: Any) -> bool:
    """A 502 or 503 of the contract's: the fuzzer itself has removed a model, or broken a provider."""
    return response.status_code in (502, 503) and response.json().get("code") in _FORESEEN


def _empty_filter(case: Any) -> bool:
    """A filter that is sent empty counts as not sent; of a repeated one the last counts."""
    values = [one[-1:] if isinstance(one, list) else [one] for one in (case.query or {}).values()]
    return any(value in ([], [""], [None]) for value in values)
