"""What the fuzzer is told beside the OpenAPI document: loaded by it, not by pytest."""

from __future__ import annotations

import os
from typing import Any

import schemathesis

# Ids of the fuzzer's own users and teams, who stay signed in, and of the models that do its work.
_OWN = frozenset(os.environ["FUZZ_OWN_IDS"].split(","))
_SPARED = ("/toggle/", "/reset-password/", "/password/", "/set-default/")
_SPARED_CHANGES = ("/api/admin/models/{id}/", "/api/admin/providers/{id}/")
_NOBODY = "00000000-0000-7000-8000-000000000000"

# What nobody but the fuzzer brought about: it removes models, and names providers that don't exist.
_FORESEEN = frozenset({"no_model", "no_worker", "provider_error"})


@schemathesis.hook
def map_case(_context: Any, case: Any) -> Any:
    """Nobody locks the fuzzer out, or takes its models away."""
    parameters = case.path_parameters or {}
    is_own = str(parameters.get("id", "")).lower() in _OWN
    # Of the defaults it is the other way about: only its own models may become that.
    if case.path.endswith("/set-default/"):
        is_own = not is_own
    if is_own and (case.path.endswith(_SPARED) or case.path in _SPARED_CHANGES):
        case.path_parameters = {**parameters, "id": _NOBODY}
    return case


@schemathesis.hook
def filter_failure(_context: Any, failure: Any, case: Any, response: Any) -> bool:
    """Drop what is meant: see the functions below."""
    # A request line of over 8 KiB: the server never hands it to the application.
    if response.status_code == 414:
        return False
    kind = type(failure).__name__
    if kind == "ServerError":
        return not _foreseen(response)
    return not (kind == "AcceptedNegativeData" and _empty_filter(case))


def _foreseen(response: Any) -> bool:
    """A 502 or 503 of the contract's: the fuzzer itself has removed a model, or broken a provider."""
    return response.status_code in (502, 503) and response.json().get("code") in _FORESEEN


def _empty_filter(case: Any) -> bool:
    """A filter that is sent empty counts as not sent; of a repeated one the last counts."""
    values = [one[-1:] if isinstance(one, list) else [one] for one in (case.query or {}).values()]
    return any(value in ([], [""], [None]) for value in values)
