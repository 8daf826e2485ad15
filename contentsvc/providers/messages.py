"""Text that came from a provider, made fit to be shown or logged."""

from __future__ import annotations

import re
from typing import Final

MAX_MESSAGE: Final = 500
HIDDEN: Final = "[hidden]"

_LINK = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://\S+", re.IGNORECASE)
_KEY = re.compile(
    r"\b(?:bearer\s+"
    r"|(?:api[-_ ]?key|token|secret|authorization)\s*[:=]\s*['\"]?(?:bearer\s+)?"
    r"|(?:sk|pk|rk|ak)[-_])"
    r"[A-Za-z0-9._~+/=-]{8,}",
    re.IGNORECASE,
)


def without_secret(text: str, secret: str | None) -> str:
    """``text`` with every occurrence of the provider's key hidden."""
    return text.replace(secret, HIDDEN) if secret else text


def public_message(text: str, secret: str | None = None) -> str:
    """One line without addresses and keys, of at most 500 characters."""
    line = " ".join(without_secret(text, secret).split())
    line = _KEY.sub(HIDDEN, _LINK.sub("[link]", line))
    printable = "".join(character for character in line if character.isprintable())
    return printable if len(printable) <= MAX_MESSAGE else printable[: MAX_MESSAGE - 1] + "…"
