"""Replies: objects in, bytes out, through the model the operation declares."""

from __future__ import annotations

import json
import math
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter
from pyramid.response import Response

from contentsvc.http.errors import ApiError
from contentsvc.http.request import ApiRequest


class ModelRenderer:
    """Pyramid renderer ``contentsvc``: validates against the operation's response model.

    A reply that doesn't fit its model is a defect of the service and raises
    pydantic.ValidationError, which becomes a 500.
    """

    def __init__(self, _info: Any) -> None:
        self._adapter = lru_cache(maxsize=None)(TypeAdapter)

    def __call__(self, value: Any, system: dict[str, Any]) -> bytes:
        request: ApiRequest = system["request"]
        model = request.operation.response
        if model is None:
            request.response.status_int = 204
            request.response.content_type = None
            return b""
        adapter: TypeAdapter[Any] = self._adapter(model)
        request.response.content_type = "application/json"
        checked = adapter.validate_python(value, from_attributes=True, context={"base_url": request.base_url})
        return adapter.dump_json(checked, by_alias=True)


def error_response(error: ApiError) -> Response:
    """The contract's error envelope."""
    headers = {}
    if error.retry_after is not None:
        headers["Retry-After"] = str(max(1, math.ceil(error.retry_after)))
    return Response(
        json.dumps(error.body()).encode(),
        status=error.status,
        content_type="application/json",
        charset=None,
        headerlist=[("Content-Type", "application/json"), *headers.items()],
    )
