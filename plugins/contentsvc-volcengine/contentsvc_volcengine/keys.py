"""What the administrator has entered as the API key: one key, or several as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from contentsvc.plugin import AuthenticationFailed

HIDDEN = "[hidden]"


@dataclass(frozen=True, slots=True)
class Keys:
    """The secrets of one provider row, by name; a plain text is its ``api_key``."""

    parts: Mapping[str, str] = field(repr=False)

    def get(self, name: str) -> str:
        """A part; empty where it isn't there."""
        return self.parts.get(name, "")

    def need(self, *names: str) -> tuple[str, ...]:
        """Several parts. Raises AuthenticationFailed, naming what is missing."""
        missing = [name for name in names if not self.get(name)]
        if missing:
            raise AuthenticationFailed(f"The API key of this provider lacks {' and '.join(missing)}.")
        return tuple(self.get(name) for name in names)

    def hide(self, text: str) -> str:
        """``text`` without any of the secrets."""
        for part in self.parts.values():
            text = text.replace(part, HIDDEN)
        return text


def read_keys(secret: str | None) -> Keys:
    """The secrets in :attr:`Context.secret`. Raises AuthenticationFailed for what can't be any."""
    text = (secret or "").strip()
    parts = _object(text) if text.startswith("{") else {"api_key": text}
    # A header can't carry anything else, and the error that says so would show the key.
    if any(not value.isascii() or not value.isprintable() or " " in value for value in parts.values()):
        raise AuthenticationFailed("The API key has characters that no key has; enter it again.")
    return Keys({name: value for name, value in parts.items() if value})


def _object(text: str) -> dict[str, str]:
    try:
        document = json.loads(text)
    except ValueError:
        document = None
    if not isinstance(document, dict) or not all(isinstance(value, str) for value in document.values()):
        raise AuthenticationFailed("The API key begins like JSON and is none; enter it again.") from None
    return {str(name): value.strip() for name, value in document.items()}
