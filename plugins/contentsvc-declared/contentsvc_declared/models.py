"""Jobs whose models are declared as data."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from contentsvc.plugin import Context, ImageRequest, MediaRef, ProviderError, VideoRequest
from contentsvc_declared.declaration import Declaration
from contentsvc_declared.filling import fill
from contentsvc_declared.jobs import Job, Jobs
from contentsvc_declared.media import link_or_data
from contentsvc_declared.paths import dig, link_in
from contentsvc_declared.replies import Provider

INLINE_SETTING: Final = "inline_max_bytes"
"""Name of the driver's setting: largest picture that is sent inside of an order."""


class DeclaredJobs(Jobs):
    """A plugin says how an input is ordered (``order``), and asks for a job (``ask``).

    ``inline_max_bytes`` holds where the driver's setting of that name is no number.
    """

    provider: ClassVar[Provider]
    inline_max_bytes: ClassVar[int]

    @abstractmethod
    def order(self, endpoint: str, document: Mapping[str, Any], ctx: Context) -> str:
        """Send an input; the provider's name of the job."""

    def place(self, request: ImageRequest | VideoRequest, ctx: Context) -> Job:
        """Fill the model's own fields from the request, and order it."""
        declaration, endpoint = Declaration.of(ctx.model.options).for_request(request, ctx.model.endpoint)
        filled = fill(declaration, request, lambda media: self.address(media, ctx))
        return Job(self.order(endpoint, filled.document, ctx), filled.seconds)

    def address(self, media: MediaRef, ctx: Context) -> str:
        """Where the model finds a picture: its public address, else the picture itself."""
        return link_or_data(media, self.most_inline(ctx))

    def most_inline(self, ctx: Context) -> int:
        """Bytes of the largest picture that is sent inside of an order."""
        told = ctx.settings.get(INLINE_SETTING, "")
        return int(told) if told.isdecimal() else self.inline_max_bytes

    def link(self, output: object, ctx: Context) -> str:
        """The result's link, where the model's options look for it.

        Raises ContentRejected where they find that the content was refused, ProviderError where
        they find no link.
        """
        declaration = Declaration.of(ctx.model.options)
        if declaration.rejected and dig(output, declaration.rejected) is True:
            raise self.provider.refused()
        found = link_in(output, declaration.output)
        if found is None:
            name = self.provider.name
            raise ProviderError(f"{name}'s answer holds no result where the model's options look for it.")
        return found
