"""The same plugins, each made wrong in one way, and the case that has to notice."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx

from contentsvc.plugin import (
    AuthenticationFailed,
    CheckContext,
    Context,
    Done,
    ImageResult,
    OutcomeUnknown,
    Pending,
    ProviderError,
    RateLimited,
    ScriptEvent,
    ScriptResult,
)
from contentsvc.testing import Dialect
from contentsvc.testing.samples import SEGMENTS
from tests.unit.testing import right

JOBS, LATE, INLINE, BYTES, SCRIPT, HOME, CHECKED = (dialect for dialect, _ in right.RIGHT)
AGAIN = ProviderError("Try again.", retryable=True)
NEVER = ProviderError("It is over.")
UNKNOWN = OutcomeUnknown("Who knows?")


@dataclass(frozen=True)
class Wrong:
    """A backend, what is wrong with it in words, and the one case that finds it."""

    case: str
    words: str
    dialect: Dialect
    backend: type[Any]
    check: right.Check = right.check


def made(base: type[Any], **methods: Callable[..., Any]) -> type[Any]:
    """The backend with other methods."""
    return type(f"Wrong{base.__name__}", (base,), methods)


@contextmanager
def turned(error: type[Exception], into: Exception, words: str = "") -> Iterator[None]:
    """An error whose message has these words becomes another one."""
    try:
        yield
    except error as caught:
        if words not in str(caught):
            raise
        raise into from None


def at(method: str, error: type[Exception], into: Exception, words: str = "") -> type[Any]:
    """Jobs that turn an error of one of their steps into another."""
    usual = getattr(right.Jobs, method)

    def step(self: right.Jobs, *arguments: Any) -> Any:
        with turned(error, into, words):
            return usual(self, *arguments)

    return made(right.Jobs, **{method: step})


def on(method: str, status: int, do: Callable[[httpx.Response], object]) -> type[Any]:
    """Jobs that do something else where an order or a poll ends in this status."""
    usual = getattr(right.Jobs, method)

    def step(self: right.Jobs, reply: httpx.Response, ctx: Context) -> None:
        if reply.status_code == status:
            do(reply)
        usual(self, reply, ctx)

    return made(right.Jobs, **{method: step})


def fail(error: Exception) -> Callable[[object], None]:
    """What raises this."""

    def raises(_: object) -> None:
        raise error

    return raises


def is_page(reply: httpx.Response) -> bool:
    return bool(reply.headers["Content-Type"] == "text/html")


def paused(reply: httpx.Response) -> None:
    raise RateLimited("Too many.", retry_after=float(reply.headers.get("Retry-After", 5)))


def paused_if_told(reply: httpx.Response) -> None:
    if "Retry-After" not in reply.headers:
        raise NEVER


def paused_without_end(reply: httpx.Response) -> None:
    raise RateLimited("Too many.")


def units(odd: Callable[[Any], bool], value: Callable[[Any], object]) -> type[Any]:
    """Jobs that report some figures as they shouldn't."""

    def report(self: right.Jobs, reported: Any) -> Any:
        return value(reported) if odd(reported) else right.Jobs.units(self, reported)

    return made(right.Jobs, units=report)


def is_float(kind: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, float) and str(value) == kind


def ask_by_key(self: right.Jobs, job_id: str, ctx: Context) -> httpx.Response:
    return ctx.http.get(f"{ctx.base_url}/pictures/{job_id}", params={"key": ctx.secret or ""})


def send_twice(self: right.Jobs, request: Any, ctx: Context) -> httpx.Response:
    try:
        return right.Jobs.send(self, request, ctx)
    except httpx.ReadTimeout:
        return right.Jobs.send(self, request, ctx)


def impatient(self: right.Jobs, reply: httpx.Response, ctx: Context) -> None:
    right.Jobs.check_poll(self, reply, ctx)
    if reply.headers.get("Transfer-Encoding") == "chunked":
        raise ProviderError("This takes too long.", retryable=False)


def order_anything(self: right.Jobs, reply: httpx.Response) -> str:
    return "some-job" if is_page(reply) else right.Jobs.job(self, reply)


def trust_order_json(self: right.Jobs, reply: httpx.Response) -> Any:
    return right.Jobs.order_document(self, reply) if is_page(reply) else self.mapping(reply.json())


def trust_order_shape(self: right.Jobs, reply: httpx.Response) -> str:
    return str(self.read(reply)["id"])


def trust_poll_json(self: right.Jobs, reply: httpx.Response) -> Any:
    return right.Jobs.poll_document(self, reply) if is_page(reply) else self.mapping(reply.json())


def trust_poll_status(self: right.Jobs, document: Any) -> str:
    return str(document["status"])


def page_runs(self: right.Jobs, reply: httpx.Response) -> Any:
    return {"status": "running", "percent": 1} if is_page(reply) else right.Jobs.poll_document(self, reply)


def percent(self: right.Jobs, document: Any) -> Pending:
    return Pending(document["percent"])


def once(self: right.Jobs, document: Any, ctx: Context) -> Done[ImageResult]:
    if ctx.state.setdefault("asked", 0):
        raise ProviderError("This job was asked for already.")
    result = right.Jobs.done(self, document, ctx)
    ctx.state["asked"] = 1
    return result


def fetch_page(self: right.Jobs, url: str, ctx: Context) -> Path:
    try:
        return right.Jobs.fetch(self, url, ctx)
    except ProviderError as error:
        if "page" not in error.public_message:
            raise
        path = ctx.work_dir / "page"
        path.write_text("<html>")
        return path


def fetch_all(self: right.Jobs, url: str, ctx: Context) -> Path:
    return ctx.download(url, name="picture", max_bytes=1 << 40)


def fetch_with_key(self: right.Jobs, url: str, ctx: Context) -> Path:
    ctx.http.head(url, headers=self.headers(ctx))
    return right.Jobs.fetch(self, url, ctx)


def fetch_on(self: right.Jobs, url: str, ctx: Any) -> Path:
    """As ``download``, but without a look at ``cancelled``."""
    usual, ctx.is_cancelled = ctx.is_cancelled, lambda: False
    try:
        return right.Jobs.fetch(self, url, ctx)
    finally:
        ctx.is_cancelled = usual


def stumble(self: right.Jobs, ctx: Context) -> None:
    if ctx.cancelled:
        raise InterruptedError


def log_key(self: right.Jobs, ctx: Context) -> None:
    logging.getLogger("acme").debug("order with %s", ctx.secret)


def keep_key(self: right.Jobs, ctx: Context) -> None:
    ctx.state["key"] = ctx.secret


def say(words: str) -> type[Any]:
    """Jobs that say this after 400."""

    def check(self: right.Jobs, reply: httpx.Response, ctx: Context) -> None:
        if reply.status_code == 400:
            raise ProviderError(words.format(secret=ctx.secret))
        right.Jobs.check(self, reply, ctx)

    return made(right.Jobs, check=check)


def take_both(self: right.Inline, pictures: list[str]) -> str:
    [picture] = pictures
    return picture


def save_some(self: right.Bytes, reply: httpx.Response, path: Path) -> None:
    with suppress(httpx.ReadError):
        right.Bytes.save(self, reply, path)


def drain(self: right.Scripts, reply: httpx.Response) -> Iterator[ScriptEvent]:
    lines = reply.iter_lines()
    try:
        for line in lines:
            yield self.event(line)
    except GeneratorExit:
        list(lines)
        return
    yield from self.end()


def end_anyway(self: right.Scripts) -> Iterator[ScriptEvent]:
    yield ScriptResult(SEGMENTS)


def end_somehow(self: right.Scripts) -> Iterator[ScriptEvent]:
    yield from ()


def call_home(self: right.AtHome, request: Any, ctx: Context) -> Any:
    ctx.http.get(f"{ctx.base_url}/version")
    return right.AtHome.start(self, request, ctx)


def check_nothing(ctx: CheckContext) -> str:
    right.check(ctx)
    return ""


def check_any_error(ctx: CheckContext) -> str:
    with turned(AuthenticationFailed, NEVER):
        return right.check(ctx)


def check_json(ctx: CheckContext) -> str:
    reply = ctx.http.get(f"{ctx.base_url}/account")
    if reply.status_code == httpx.codes.BAD_GATEWAY:
        return str(reply.json()["name"])
    return right.check(ctx)


def check_in_hope(ctx: CheckContext) -> str:
    try:
        return right.check(ctx)
    except httpx.ReadTimeout:
        return "It will be fine."


def wrong_check(case: str, words: str, check: right.Check) -> Wrong:
    return Wrong(case, words, CHECKED, right.Bytes, check)


def wrong(case: str, words: str, backend: type[Any], dialect: Dialect = JOBS) -> Wrong:
    return Wrong(case, words, dialect, backend)


WRONG = (
    wrong("success", "negative", units(lambda value: value == 3, lambda _: Decimal(-3))),
    wrong("slow", "fast", made(right.Jobs, check_poll=impatient)),
    wrong("key-not-in-urls", "query", made(right.Jobs, ask=ask_by_key)),
    wrong("huge", "cut off", made(right.Bytes, save=save_some), BYTES),
    wrong("twice", "just one", made(right.Inline, choose=take_both), INLINE),
    wrong("usage-negative", "as it is", units(lambda value: value == -5, Decimal)),
    wrong("usage-nan", "as it is", units(is_float("nan"), Decimal)),
    wrong("usage-infinite", "as it is", units(is_float("inf"), Decimal)),
    wrong("usage-absurd", "as it is", units(lambda value: value == 10**30, Decimal)),
    wrong("usage-text", "read", units(lambda value: isinstance(value, str), Decimal)),
    wrong("usage-missing", "counted", units(lambda value: value is None, lambda value: value / 2)),
    wrong("usage-object", "kept", units(lambda value: isinstance(value, dict), lambda value: value)),
    wrong("cancelled", "a defect", made(right.Jobs, prepare=stumble)),
    wrong("offline", "calls home", made(right.AtHome, start=call_home), HOME),
    wrong("reader-leaves", "reads on", made(right.Scripts, events=drain), SCRIPT),
    wrong("stream-ends-early", "no end", made(right.Scripts, end=end_somehow), SCRIPT),
    wrong("stream-ends-early", "any end", made(right.Scripts, end=end_anyway), SCRIPT),
    wrong("order-unreachable", "doubts", at("send", httpx.ConnectError, UNKNOWN)),
    wrong("order-unreachable", "gives up", at("send", httpx.ConnectError, NEVER)),
    wrong("order-hang", "hopes", at("send", httpx.ReadTimeout, AGAIN)),
    wrong("order-hang", "orders twice", made(right.Jobs, send=send_twice)),
    wrong("order-cut-unread", "hopes", at("send", httpx.NetworkError, AGAIN, "Connection reset")),
    wrong("order-cut-taken", "gives up", at("send", httpx.RemoteProtocolError, NEVER, "disconnected")),
    wrong("order-cut-inside", "hopes", at("send", httpx.RemoteProtocolError, AGAIN, "complete message body")),
    wrong("order-401", "gives up", on("check_order", 401, fail(NEVER))),
    wrong("order-429", "any time", on("check_order", 429, paused_without_end)),
    wrong("order-429-date", "a number", on("check_order", 429, paused)),
    wrong("order-429-bare", "needs a header", on("check_order", 429, paused_if_told)),
    wrong("order-500", "hopes", on("check_order", 500, fail(AGAIN))),
    wrong("order-503", "a defect", on("check_order", 503, lambda reply: reply.json()["code"])),
    wrong("order-502-page", "expects JSON", on("check_order", 502, lambda reply: reply.json())),
    wrong("order-page", "takes it", made(right.Jobs, job=order_anything)),
    wrong("order-broken-json", "a defect", made(right.Jobs, order_document=trust_order_json)),
    wrong("order-other-json", "a defect", made(right.Jobs, job=trust_order_shape)),
    wrong("order-refused", "any error", on("check_order", 422, fail(NEVER))),
    wrong("poll-unreachable", "gives up", at("ask", httpx.ConnectError, NEVER)),
    wrong("poll-hang", "doubts", at("ask", httpx.ReadTimeout, UNKNOWN)),
    wrong("poll-cut", "gives up", at("ask", httpx.RemoteProtocolError, NEVER)),
    wrong("poll-401", "any error", on("check_poll", 401, fail(NEVER))),
    wrong("poll-429", "any time", on("check_poll", 429, paused_without_end)),
    wrong("poll-500", "gives up", on("check_poll", 500, fail(NEVER))),
    wrong("poll-502-page", "expects JSON", on("check_poll", 502, lambda reply: reply.json())),
    wrong("poll-page", "waits", made(right.Jobs, poll_document=page_runs)),
    wrong("poll-broken-json", "a defect", made(right.Jobs, poll_document=trust_poll_json)),
    wrong("poll-other-json", "a defect", made(right.Jobs, status=trust_poll_status)),
    wrong("poll-404", "a defect", on("check_poll", 404, lambda reply: reply.json()["code"])),
    wrong("poll-failed", "hopes", made(right.Jobs, failure=lambda *_: AGAIN)),
    wrong("poll-refused", "any error", made(right.Jobs, failure=lambda *_: NEVER), LATE),
    wrong("poll-pending", "percent", made(right.Jobs, pending=percent)),
    wrong("poll-again", "once", made(right.Jobs, done=once)),
    wrong("link-hang", "gives up", at("fetch", httpx.ReadTimeout, NEVER)),
    wrong("link-cut", "gives up", at("fetch", httpx.RemoteProtocolError, NEVER, "complete message body")),
    wrong("link-503", "gives up", at("fetch", httpx.RemoteProtocolError, NEVER, "fetched now")),
    wrong("link-expired", "the key", at("fetch", ProviderError, AuthenticationFailed("The key."), "valid")),
    wrong("link-page", "takes it", made(right.Jobs, fetch=fetch_page)),
    wrong("link-empty", "doubts", at("fetch", ProviderError, UNKNOWN, "empty")),
    wrong("link-huge", "no limit", made(right.Jobs, fetch=fetch_all)),
    wrong("link-private", "hopes", at("fetch", ProviderError, AGAIN, "followed")),
    wrong("link-without-key", "asks before", made(right.Jobs, fetch=fetch_with_key)),
    wrong("link-cancelled", "goes on", made(right.Jobs, fetch=fetch_on)),
    wrong("secret-in-message", "quotes", say("Refused: {secret}")),
    wrong("secret-in-log", "logs", made(right.Jobs, prepare=log_key)),
    wrong("secret-in-state", "keeps", made(right.Jobs, prepare=keep_key)),
    wrong("readable", "a link", say("Refused; see https://acme.example/keys")),
    wrong("readable", "markup", say("<html>Refused")),
    wrong("readable", "nothing", say("")),
    wrong_check("check", "nothing", check_nothing),
    wrong_check("check-401", "any error", check_any_error),
    wrong_check("check-fails", "expects JSON", check_json),
    wrong_check("check-hang", "hopes", check_in_hope),
)
