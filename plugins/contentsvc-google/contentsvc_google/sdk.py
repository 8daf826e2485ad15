"""Google's SDK, over the service's HTTP client. Every request to Google goes out here."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import httpx

from contentsvc.plugin import AuthenticationFailed, CheckContext, Context, ProviderError
from contentsvc_authoring import option, order_of
from contentsvc_google.failures import UNREADABLE, order_failure, stream_failure

if TYPE_CHECKING:
    from google.genai import Client
    from google.genai.types import PartDict

BASE_URL: Final = "https://generativelanguage.googleapis.com"
VERSION: Final = "v1beta"
KEY_HEADER: Final = "x-goog-api-key"
CONNECT_SECONDS: Final = 10.0
_VERSION: Final = re.compile(r"v[0-9a-z]{1,20}")
_MODEL: Final = re.compile(r"[A-Za-z0-9_-](?:[A-Za-z0-9_-]|[./](?=[A-Za-z0-9_-]))*")
# What the SDK stumbles over in a reply that isn't one of Google's.
_STUMBLES: Final = (ValueError, TypeError, AttributeError, RecursionError)

Failure = Callable[[httpx.Response], ProviderError]


class Google:
    """The SDK's client for one call.

    ``failure`` tells what a status other than 200 means; Google may be silent for ``seconds``, or
    as long as the caller's client waits. Methods raise what it tells, and httpx's transport errors.
    """

    def __init__(
        self, caller: CheckContext, failure: Failure, *, seconds: float | None = None, version: object = None
    ) -> None:
        # Half a second and more than forty megabytes, which processes that never call Google are spared.
        from google.genai import Client
        from google.genai.client import DebugConfig
        from google.genai.types import HttpOptions, HttpRetryOptions

        if not caller.secret:
            # The SDK would look for one in the environment.
            raise AuthenticationFailed("There is no API key for Google.")
        _guard(caller.http, failure, seconds)
        # For the SDK's asynchronous half, which is never used: it would load the world's certificates.
        empty = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.headers = {KEY_HEADER: caller.secret}
        self._sdk: Client = Client(
            # Each of these says what the SDK would else ask the environment.
            enterprise=False,
            api_key=caller.secret,
            debug_config=DebugConfig(client_mode=None, replays_directory=None, replay_id=None),
            http_options=HttpOptions(
                base_url=caller.base_url or BASE_URL,
                api_version=version if isinstance(version, str) and _VERSION.fullmatch(version) else VERSION,
                httpx_client=caller.http,
                async_client_args={"verify": empty, "ssl": empty},
                # By itself the SDK sends interactions, paid orders among them, up to five times.
                retry_options=HttpRetryOptions(attempts=1),
            ),
        )

    @classmethod
    def of(cls, ctx: Context, failure: Failure = order_failure, *, seconds: float | None = None) -> Google:
        """For an order or a poll, in the version and with the patience that the model's options name."""
        patience = None if seconds is None else option(ctx, "timeout_seconds", seconds)
        return cls(ctx, failure, seconds=patience, version=ctx.model.options.get("api_version"))

    def model_count(self) -> int:
        """How many models Google lists; 0 where the answer is no such list."""
        try:
            return len(self._sdk.models.list(config={"page_size": 1000}))
        except _STUMBLES:
            return 0

    def generated(
        self,
        model: str,
        parts: Sequence[PartDict],
        config: Mapping[str, Any],
        added: Mapping[str, Any],
    ) -> dict[str, Any] | None:
        """What a model makes of these parts; ``added`` are more members of ``generationConfig``.

        None for an answer that can't be read.
        """
        from google.genai.types import ContentDict, GenerateContentConfig

        settings = GenerateContentConfig.model_validate(
            {
                **config,
                "http_options": {"extra_body": {"generationConfig": added}},
                # Each would be a further order.
                "automatic_continuation": False,
                "automatic_function_calling": {"disable": True},
                # As it came: the SDK's own reading throws all away for one member that it doesn't expect.
                "should_return_http_response": True,
            }
        )
        reply = self._sdk.models.generate_content(
            model=model, contents=[ContentDict(role="user", parts=list(parts))], config=settings
        )
        return json_object(reply.sdk_http_response.body if reply.sdk_http_response else None)

    def streamed(self, model: str, body: Mapping[str, Any]) -> Generator[dict[str, Any], None, None]:
        """The events of what a model writes. Raises ProviderError for one that can't be read."""
        from google.genai.errors import APIError

        # What generate_content_stream is made of. It can't be used itself: an answer whose usage is not
        # as expected is lost as a whole there, and one that breaks off is ordered again.
        replies = self._sdk._api_client.request_streamed(  # noqa: SLF001
            "post", f"{model}:streamGenerateContent?alt=sse", dict(body)
        )
        try:
            for reply in replies:
                event = json_object(reply.body)
                if event is None:
                    raise ProviderError(UNREADABLE)
                yield event
        except APIError as error:
            raise stream_failure(error.details) from None
        except _STUMBLES:
            raise ProviderError(UNREADABLE) from None

    def filmed(self, order: Mapping[str, Any], added: Mapping[str, Any]) -> dict[str, Any] | None:
        """Order a clip; ``added`` are more members of the interaction. None as for :meth:`generated`."""
        return self._interacted("create", **order, extra_body=added)

    def clip(self, name: str) -> dict[str, Any] | None:
        """Ask for a clip. None as for :meth:`generated`."""
        return self._interacted("get", id=name)

    def _interacted(self, method: str, **arguments: Any) -> dict[str, Any] | None:
        interactions = self._sdk.interactions
        # GOOGLE_GENAI_DEBUG would have headers logged, the key among them; GOOGLE_GENAI_USER_PROJECT
        # would have another project pay.
        interactions.sdk_configuration.debug_logger = _Mute()
        interactions.sdk_configuration.globals.user_project = None
        try:
            reply = getattr(interactions.with_raw_response, method)(**arguments)
        except Exception as error:
            # The service tells by httpx's errors whether an order may have been taken.
            if isinstance(error.__cause__, httpx.TransportError):
                raise error.__cause__ from None
            raise
        return json_object(reply.http_response.content)


class _Mute:
    def debug(self, msg: str, *args: Any, **kwargs: Any) -> None:
        """Log nothing."""


def model_of(ctx: Context) -> str:
    """The path of the ordered model. Raises ProviderError where the endpoint is none."""
    name = order_of(ctx)
    if not _MODEL.fullmatch(name):
        raise ProviderError("The model's endpoint is no name of a model of Google's.")
    return name if "/" in name else f"models/{name}"


def json_object(data: str | bytes | None) -> dict[str, Any] | None:
    """A JSON object; None for anything else."""
    try:
        found = json.loads(data or "")
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _guard(http: httpx.Client, failure: Failure, seconds: float | None) -> None:
    """Let ``http`` wait as long as it shall, and have failures told from the replies themselves.

    The SDK would set one time for connecting and waiting, or none; and it tells of failures in
    three families of exceptions, which come to grief over bodies that are no JSON.
    """
    timeout = http.timeout if seconds is None else httpx.Timeout(seconds, connect=CONNECT_SECONDS)

    def wait(request: httpx.Request) -> None:
        request.extensions = {**request.extensions, "timeout": timeout.as_dict()}

    def refuse(reply: httpx.Response) -> None:
        if reply.status_code != httpx.codes.OK:
            reply.read()
            raise failure(reply)

    http.event_hooks["request"].append(wait)
    http.event_hooks["response"].append(refuse)
