"""Text that came from a provider, made fit to be shown or logged."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, TypeVar, cast
from urllib.parse import quote

T = TypeVar("T")

SHORTEST_KEY: Final = 8
MAX_MESSAGE: Final = 500
HIDDEN: Final = "[hidden]"

_LEFT_IN_URLS: Final = "/+=:@$,;!*'()&~"
_LINK = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://\S+", re.IGNORECASE)
_KEY = re.compile(
    r"\b(?:bearer\s+"
    r"|(?:api[-_ ]?key|token|secret|authorization)\s*[:=]\s*['\"]?(?:bearer\s+)?"
    r"|(?:sk|pk|rk|ak)[-_])"
    r"[A-Za-z0-9._~+/=-]{8,}",
    re.IGNORECASE,
)


def without_secret(text: str, secret: str | None) -> str:
    """``text`` with every occurrence of the provider's key hidden, as it is or as URLs and JSON write it."""
    for form in _forms(secret):
        text = text.replace(form, HIDDEN)
    return text


def hide_secret(value: T, secret: str | None) -> T:
    """The same for every text in a result: dataclasses, tuples, lists and mappings all the way down.

    A key of a few letters is left, since it may be a word.
    """
    if secret is None or len(secret) < SHORTEST_KEY:
        return value
    return cast("T", _hidden(value, secret))


def _hidden(value: Any, secret: str) -> Any:
    if isinstance(value, str) and not isinstance(value, Enum):
        return without_secret(value, secret)
    if isinstance(value, Mapping):
        return {_hidden(key, secret): _hidden(item, secret) for key, item in value.items()}
    if isinstance(value, list | tuple):
        items = [_hidden(item, secret) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.init]
        return dataclasses.replace(value, **{name: _hidden(getattr(value, name), secret) for name in names})
    return value


def _forms(secret: str | None) -> set[str]:
    if not secret:
        return set()
    urls = {quote(secret, safe=""), quote(secret, safe=_LEFT_IN_URLS)}
    return {secret, *urls, json.dumps(secret)[1:-1], repr(secret)[1:-1]}


def public_message(text: str, secret: str | None = None) -> str:
    """One line without addresses and keys, of at most 500 characters."""
    line = " ".join(without_secret(text, secret).split())
    line = _KEY.sub(HIDDEN, _LINK.sub("[link]", line))
    printable = "".join(character for character in line if character.isprintable())
    return printable if len(printable) <= MAX_MESSAGE else printable[: MAX_MESSAGE - 1] + "…"
