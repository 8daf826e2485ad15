"""JSON bodies and query strings: parsed with limits, then validated by a model."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from typing import IO, Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError
from webob.request import DisconnectionError

from contentsvc.http.errors import NON_FIELD, ApiError, ErrorCode, FieldErrors
from contentsvc.http.request import ApiRequest

MAX_DEPTH = 64
# float64 ends at 1.8e308: a longer whole number fits no field and costs quadratic time.
MAX_DIGITS = 308

ModelT = TypeVar("ModelT", bound=BaseModel)


def read_json(request: ApiRequest, model: type[ModelT]) -> ModelT:
    """The request's JSON object as ``model``. Raises ApiError (415, 413, 400)."""
    if request.content_length and not is_json(request):
        raise _not_json()
    raw = limited_body(request)
    if raw and not is_json(request):
        raise _not_json()
    raw = raw or b"{}"
    _check_values(parse_object(raw))
    return _validated(lambda: model.model_validate_json(raw, strict=True))


def is_json(request: ApiRequest) -> bool:
    """Whether the body is declared as JSON."""
    return str(request.content_type).lower() == "application/json"


def read_query(request: ApiRequest, model: type[ModelT]) -> ModelT:
    """The query string as ``model``; of a repeated parameter the last counts."""
    parameters = dict(request.GET.items())
    _check_values(parameters)
    return _validated(lambda: model.model_validate(parameters))


def read_form(fields: dict[str, str], model: type[ModelT]) -> ModelT:
    """The text fields of a multipart upload as ``model``."""
    _check_values(fields)
    return _validated(lambda: model.model_validate(fields))


def parse_object(raw: bytes) -> dict[str, Any]:
    """A JSON object within the limits of depth and number size. Raises ApiError 400."""
    try:
        value = json.loads(
            raw.decode("utf-8"), parse_constant=_refuse, parse_float=_finite, parse_int=_bounded
        )
    except (ValueError, RecursionError) as error:
        raise ApiError(ErrorCode.MALFORMED_JSON, "The body is not valid JSON.") from error
    if not isinstance(value, dict):
        raise ApiError(ErrorCode.MALFORMED_JSON, "The body must be a JSON object.")
    return value


def limited_body(request: ApiRequest) -> bytes:
    """The whole body. Raises ApiError 413, without reading where the length is told."""
    limit = request.settings.http.max_body_bytes
    if (request.content_length or 0) > limit:
        raise _too_large(limit)
    # A chunked body has no length: read one byte more than allowed and no further.
    raw = read_piece(request.body_file, limit + 1) if request.is_body_readable else b""
    if len(raw) > limit:
        raise _too_large(limit)
    request.body = raw
    return raw


def read_piece(source: IO[bytes], size: int) -> bytes:
    """Up to so many bytes of a body that is coming in. Raises ApiError 400 where it breaks off.

    Chunks may end too early, or say no length; each web server has errors of its own for that.
    """
    try:
        return source.read(size)
    except DisconnectionError:
        raise
    except Exception as error:
        raise ApiError(
            ErrorCode.MALFORMED_JSON, "The body broke off, or its chunks are malformed."
        ) from error


def _not_json() -> ApiError:
    return ApiError(
        ErrorCode.UNSUPPORTED_MEDIA_TYPE, "Send the body as JSON, with Content-Type: application/json."
    )


def _too_large(limit: int) -> ApiError:
    return ApiError(ErrorCode.PAYLOAD_TOO_LARGE, f"The body is larger than {limit} bytes.")


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("number out of range")
    return number


def _bounded(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError("number out of range")
    return int(text)


def _check_values(value: dict[str, Any]) -> None:
    faults: dict[str, list[str]] = {}
    pending: list[tuple[str, Any, int]] = [("", value, 1)]
    while pending:
        path, item, depth = pending.pop()
        if depth > MAX_DEPTH:
            raise ApiError(ErrorCode.MALFORMED_JSON, f"The body is nested over {MAX_DEPTH} levels.")
        if isinstance(item, str):
            if message := _text_fault(item):
                faults.setdefault(path or NON_FIELD, []).append(message)
        elif isinstance(item, dict):
            for key in item:
                if message := _text_fault(key):
                    faults.setdefault(path or NON_FIELD, []).append(message)
            pending += [(f"{path}.{key}".lstrip("."), child, depth + 1) for key, child in item.items()]
        elif isinstance(item, list):
            pending += [(f"{path}.{index}", child, depth + 1) for index, child in enumerate(item)]
    if faults:
        raise FieldErrors({_printable(path): messages for path, messages in faults.items()})


def _text_fault(text: str) -> str | None:
    if "\x00" in text:
        return "NUL characters are not allowed."
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "The text is not valid Unicode."
    return None


def _printable(path: str) -> str:
    return path.encode("utf-8", "replace").decode("utf-8").replace("\x00", "?")


def _validated(validate: Callable[[], ModelT]) -> ModelT:
    try:
        return validate()
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        if any(fault["type"] == "json_invalid" for fault in faults):
            raise ApiError(ErrorCode.MALFORMED_JSON, "The body is not valid JSON.") from None
        raise FieldErrors(messages_by_field(faults)) from None


def messages_by_field(errors: Iterable[Any]) -> dict[str, list[str]]:
    """Pydantic's list of errors as the contract's map of field to messages."""
    fields: dict[str, list[str]] = {}
    for error in errors:
        path = ".".join(str(part) for part in error["loc"]) or NON_FIELD
        message = error["msg"].removeprefix("Value error, ")
        sentence = message[:1].upper() + message[1:] + ("" if message.endswith(".") else ".")
        messages = fields.setdefault(path, [])
        if sentence not in messages:
            messages.append(sentence)
    return fields
