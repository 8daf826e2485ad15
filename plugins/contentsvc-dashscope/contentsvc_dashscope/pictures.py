"""The pictures of an order as Model Studio takes them: written into the request, or as links to them."""

from __future__ import annotations

import base64
from typing import Final

from contentsvc.plugin import Context, MediaRef, ProviderError

KINDS: Final = frozenset({"image/png", "image/jpeg", "image/webp", "image/bmp"})
MOST_BYTES: Final = 10_000_000
MOST_BYTES_TOGETHER: Final = 30_000_000
LINKS: Final = "links"


class Pictures:
    """Turns pictures into addresses, and watches how much is written into one request.

    With the option ``pictures`` set to ``links`` a link goes out wherever there is one. Otherwise
    bytes come first: a link that the service thinks public may still be one of its own network.
    """

    def __init__(self, ctx: Context) -> None:
        self._by_link = ctx.model.options.get("pictures") == LINKS
        self._left = MOST_BYTES_TOGETHER

    def address(self, media: MediaRef) -> str:
        """A picture's link, or its bytes as a data URL. Raises ProviderError where neither will do."""
        if media.media_type not in KINDS:
            raise ProviderError("Model Studio takes PNG, JPEG, WebP and BMP pictures only.")
        fits = media.size_bytes <= min(MOST_BYTES, self._left)
        if media.public_url and (self._by_link or not fits):
            return media.public_url
        if not fits:
            raise ProviderError("The pictures of this order are too large for Model Studio.")
        self._left -= media.size_bytes
        with media.open() as stream:
            written = base64.b64encode(stream.read()).decode("ascii")
        return f"data:{media.media_type};base64,{written}"
