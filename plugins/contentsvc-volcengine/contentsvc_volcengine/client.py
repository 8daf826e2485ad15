"""Ark, the address behind chat, pictures and clips, through Volcengine's own SDK. Nothing is asked twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from contentsvc.plugin import CheckContext, OutcomeUnknown, ProviderError
from contentsvc_volcengine.failures import UNREADABLE, answer_failure, reply_failure
from contentsvc_volcengine.keys import Keys, read_keys

if TYPE_CHECKING:
    import volcenginesdkarkruntime


class Ark:
    """One call's way to Ark."""

    def __init__(self, ctx: CheckContext) -> None:
        self.keys: Keys = read_keys(ctx.secret)
        (key,) = self.keys.need("api_key")
        self._sdk = _sdk(ctx, key)

    def ask(self, call: Callable[[volcenginesdkarkruntime.Ark], object]) -> Mapping[str, Any]:
        """Ask for something that costs nothing. Raises ProviderError, httpx's transport errors."""
        with self._told(places_order=False):
            return _plain(call(self._sdk))

    def order(self, call: Callable[[volcenginesdkarkruntime.Ark], object]) -> Mapping[str, Any]:
        """Place an order. Raises ProviderError, httpx's transport errors."""
        with self._told(places_order=True):
            return _plain(call(self._sdk))

    @contextmanager
    def stream(
        self, call: Callable[[volcenginesdkarkruntime.Ark], Any]
    ) -> Iterator[Iterator[Mapping[str, Any]]]:
        """Place an order whose answer comes piece by piece. Raises as :meth:`order`."""
        with self._told(places_order=True):
            stream = call(self._sdk)
        with stream:
            yield self._pieces(stream)

    def _pieces(self, stream: Any) -> Iterator[Mapping[str, Any]]:
        with self._told(places_order=True):
            for piece in stream:
                yield _plain(piece)

    @contextmanager
    def _told(self, *, places_order: bool) -> Iterator[None]:
        """Say in the service's words what the SDK raises."""
        from volcenginesdkarkruntime._exceptions import (
            ArkAPIConnectionError,
            ArkAPIError,
            ArkAPIStatusError,
        )

        try:
            yield
        except ArkAPIStatusError as error:
            raise reply_failure(error.response, self.keys, places_order=places_order) from None
        except ArkAPIConnectionError as error:
            # The service tells by httpx's own error whether an order may have been taken.
            raise cast("Exception", error.__cause__) from None
        except ArkAPIError as error:
            # In the middle of a stream, which tells of its errors in a piece.
            raise answer_failure(error.body) from None
        except (ValueError, TypeError, AttributeError, RecursionError):
            # The SDK makes objects of what it has not looked at: odd documents break it anywhere.
            raise unreadable(places_order=places_order) from None


def _sdk(ctx: CheckContext, key: str) -> volcenginesdkarkruntime.Ark:
    # Takes a third of a second to import, and most processes never ask Volcengine.
    from volcenginesdkarkruntime import Ark as Sdk

    # Whatever is left out here the SDK takes from the environment, or decides for itself.
    return Sdk(
        base_url=ctx.base_url,
        api_key=key,
        ak="",
        sk="",
        timeout=ctx.http.timeout,
        max_retries=0,
        http_client=ctx.http,
    )


def _plain(answer: Any) -> Mapping[str, Any]:
    """The document behind one of the SDK's objects; what has none is no answer."""
    if isinstance(answer, Mapping):
        return answer
    return cast("Mapping[str, Any]", answer.to_dict(warnings=False))


def unreadable(*, places_order: bool) -> ProviderError:
    """The error for an answer that says nothing."""
    if places_order:
        # Taken, as the status says; what came of it nobody can tell.
        return OutcomeUnknown(UNREADABLE)
    return ProviderError(UNREADABLE, retryable=True)
