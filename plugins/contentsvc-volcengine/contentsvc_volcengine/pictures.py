"""The pictures of an order as Volcengine takes them."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from contentsvc.plugin import MediaRef, ProviderError

ASSET = "asset_id"
"""Name of the handle under which an approved picture's id in the asset library is kept."""

MOST_BYTES = 10_000_000
MOST_BYTES_TOGETHER = 40_000_000
TOO_LARGE = "A picture of this order is too large for Volcengine."


class Pictures:
    """Turns pictures into addresses, and watches how much is written into one request."""

    def __init__(self, *, approved: bool) -> None:
        self._approved = approved
        self._left = MOST_BYTES_TOGETHER

    def address(self, media: MediaRef) -> str:
        """The picture's id in the asset library where it has one and that counts, else its bytes,
        else a link to it. Raises ProviderError for what is too large and has no link."""
        if self._approved and (asset := media.handles.get(ASSET)):
            return f"asset://{asset}"
        if not media.media_type.startswith("image/"):
            raise ProviderError("Volcengine takes only pictures to work from.")
        # Bytes first: a link that the service thinks public may still be one of its own network.
        if media.size_bytes <= min(MOST_BYTES, self._left):
            self._left -= media.size_bytes
            with media.open() as stream:
                written = base64.b64encode(stream.read()).decode("ascii")
            return f"data:{media.media_type.lower()};base64,{written}"
        if media.public_url:
            return media.public_url
        raise ProviderError(TOO_LARGE)

    def addresses(self, media: Sequence[MediaRef]) -> list[str]:
        """Several, in their order."""
        return [self.address(item) for item in media]
