"""The script and entity backends: chat completions, as the shared authors ask for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from contentsvc.plugin import Context, ProviderError
from contentsvc_authoring import Chat, Completions, EntityReader, FormRefused, Question, ScriptAuthor, option
from contentsvc_openai.errors import UNREADABLE, Refusal, error_of
from contentsvc_openai.sdk import document, opened

if TYPE_CHECKING:
    import httpx2

SILENT_SECONDS: Final = 180.0


class OpenAIScripts(ScriptAuthor):
    """Writes scripts with a chat model."""

    def ask(self, ctx: Context, question: Question) -> Chat:
        """See :meth:`contentsvc_authoring.ScriptAuthor.ask`."""
        return Completions(ctx, question, _Endpoint(ctx))


class OpenAIEntities(EntityReader):
    """Finds people and places with a chat model."""

    def ask(self, ctx: Context, question: Question) -> Chat:
        """See :meth:`contentsvc_authoring.EntityReader.ask`."""
        return Completions(ctx, question, _Endpoint(ctx))


@dataclass(frozen=True, slots=True)
class _Endpoint:
    ctx: Context

    @contextmanager
    def open(self, body: Mapping[str, Any]) -> Iterator[Iterator[Mapping[str, Any]]]:
        """See :meth:`contentsvc_authoring.Endpoint.open`."""
        with opened(self.ctx, option(self.ctx, "timeout_seconds", SILENT_SECONDS)) as client:
            from openai import BadRequestError, Stream, UnprocessableEntityError

            try:
                answer = client.chat.completions.with_raw_response.create(
                    model=body["model"], messages=body["messages"], stream=True, extra_body=body
                )
            except (BadRequestError, UnprocessableEntityError) as error:
                refusal = Refusal.of(error)
                raise FormRefused(error_of(refusal, self.ctx.secret), refusal.param, refusal.text) from None
            # Of plain documents: the SDK's own models take over whatever comes, unchecked.
            with answer.parse(to=Stream[object]) as stream:
                yield _chunks(answer.http_response, stream)


def _chunks(reply: httpx2.Response, stream: Iterator[object]) -> Iterator[Mapping[str, Any]]:
    """The documents of a stream's events, or the one document of an endpoint that doesn't stream."""
    kind = reply.headers.get("Content-Type", "")
    if "html" in kind:
        raise ProviderError(UNREADABLE)
    if "json" in kind:
        yield document(reply.read())
        return
    try:
        for chunk in stream:
            if not isinstance(chunk, Mapping):
                raise ProviderError(UNREADABLE)
            yield chunk
    except (ValueError, RecursionError):
        raise ProviderError(UNREADABLE) from None
