"""Work that is finished and paid for, and lies behind a link for a day."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from contentsvc.plugin import Accepted, Context, Done, GeneratedFile, ProviderError, Usage

ResultT = TypeVar("ResultT")


class Made(BaseModel):
    """What the provider has made, to be fetched."""

    url: str
    units: Decimal | None
    usage: Mapping[str, Any]

    @classmethod
    def read(cls, job_id: str) -> Made:
        """From the name under which it was handed over. Raises ProviderError for any other."""
        try:
            return cls.model_validate_json(job_id)
        except ValidationError:
            raise ProviderError("This is no work of Model Studio's.") from None

    def fetched(
        self, ctx: Context, name: str, result: Callable[[GeneratedFile, Usage], ResultT]
    ) -> Done[ResultT]:
        """The result, with its file. Raises as :meth:`contentsvc.plugin.Context.download`."""
        # Nobody's key goes along: the link itself is one, and leads to another host.
        path = ctx.download(self.url, name=name)
        metadata = {"generator": ctx.model.endpoint or ctx.model.name}
        return Done(result(GeneratedFile(path, metadata), Usage(self.units, dict(self.usage))))

    def handed_over(
        self, ctx: Context, name: str, result: Callable[[GeneratedFile, Usage], ResultT]
    ) -> Done[ResultT] | Accepted:
        """The result, or where its link doesn't answer a job: it is fetched again, not ordered again."""
        try:
            return self.fetched(ctx, name, result)
        except httpx.TransportError:
            return Accepted(self.model_dump_json())
