"""The Content-Disposition header (RFC 6266, with RFC 8187 for names beyond ASCII)."""

from __future__ import annotations

import re
from urllib.parse import quote

# Browsers show these in place; anything else is for saving.
_SHOWN = ("image/", "video/", "audio/")
_UNQUOTABLE = re.compile(r"[^\x20-\x7e]|[\"\\%]")


def content_disposition(filename: str, media_type: str) -> str:
    """Header value that proposes ``filename``; inline for pictures, video and sound."""
    kind = "inline" if media_type.startswith(_SHOWN) else "attachment"
    plain = _UNQUOTABLE.sub("_", filename)
    value = f'{kind}; filename="{plain}"'
    if plain != filename:
        value += f"; filename*=UTF-8''{quote(filename, safe='')}"
    return value
