"""What a provider's answers mean, and the small things around them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from decimal import Decimal
from typing import Any

import httpx
import pytest

from contentsvc.plugin import AuthenticationFailed, OutcomeUnknown, ProviderError, RateLimited
from contentsvc.testing.samples import media
from contentsvc_declared import Provider, before_the_order, figures, models_of
from contentsvc_declared.media import data_uri, file_name, link_or_data
from contentsvc_declared.paths import dig, link_in
from contentsvc_declared.replies import placing

ACME = Provider("Acme")


def reply(status: int, document: Any = None, **headers: str) -> httpx.Response:
    return httpx.Response(status, json=document, headers=headers)


@pytest.mark.parametrize(
    ("status", "error", "retryable"),
    [
        (301, ProviderError, False),
        (401, AuthenticationFailed, False),
        (402, ProviderError, False),
        (403, AuthenticationFailed, False),
        (404, ProviderError, False),
        (408, OutcomeUnknown, False),
        (422, ProviderError, False),
        (429, RateLimited, True),
        (500, OutcomeUnknown, False),
        (503, ProviderError, True),
        (504, OutcomeUnknown, False),
    ],
)
def test_an_orders_status_says_whether_it_was_taken(
    status: int, error: type[ProviderError], retryable: bool
) -> None:
    with pytest.raises(ProviderError) as caught:
        ACME.ordered(reply(status, {"detail": "words of Acme's"}))
    assert (type(caught.value), caught.value.retryable) == (error, retryable)
    assert "words of" not in caught.value.public_message


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"id": ', b"[]", b"[" * 100_000, b"\xff"])
def test_what_cannot_be_read_may_be_an_order_and_passes_in_a_poll(body: bytes) -> None:
    with pytest.raises(OutcomeUnknown):
        ACME.ordered(httpx.Response(200, content=body))
    with pytest.raises(ProviderError) as caught:
        ACME.told(httpx.Response(200, content=body))
    assert caught.value.retryable


def test_figures_that_are_none_do_not_spoil_the_rest() -> None:
    assert ACME.told(httpx.Response(200, content=b'{"a": NaN, "b": 1}')) == {"a": None, "b": 1}


def test_a_servers_trouble_passes_in_a_poll() -> None:
    with pytest.raises(ProviderError) as caught:
        ACME.told(reply(500))
    assert caught.value.retryable


@pytest.mark.parametrize(
    ("header", "document", "seconds"),
    [
        ("7", {}, 7.0),
        ("-1", {}, 0.0),
        ("nan", {}, None),
        ("soon", {"retry_after": 9}, 9.0),
        ("", {"detail": "Throttled"}, None),
        ("Fri, 20 Nov 2020 11:00:00 GMT", {}, 0.0),
    ],
)
def test_a_pause_is_read_from_header_or_body(
    header: str, document: dict[str, Any], seconds: float | None
) -> None:
    headers = {"Retry-After": header} if header else {}
    with pytest.raises(RateLimited) as caught:
        ACME.ordered(reply(429, document, **headers))
    assert caught.value.retry_after == seconds


@pytest.mark.parametrize("read", [ACME.ordered, ACME.told])
def test_an_overloaded_provider_may_say_how_long(read: Callable[[httpx.Response], Any]) -> None:
    with pytest.raises(RateLimited) as caught:
        read(reply(503, {}, **{"Retry-After": "20"}))
    assert caught.value.retry_after == 20


def test_the_field_that_is_wrong_is_named_if_it_looks_like_one() -> None:
    for name, words in (("image_size", "(HTTP 422, field image_size)"), ("<b>", "(HTTP 422)")):
        with pytest.raises(ProviderError) as caught:
            ACME.ordered(reply(422, {"detail": [{"loc": ["body", name], "msg": "no"}]}))
        assert words in caught.value.public_message


@pytest.mark.parametrize(
    ("guard", "error", "retryable"),
    [
        (before_the_order, httpx.ReadTimeout, True),
        (placing, httpx.ConnectError, True),
        (placing, httpx.ConnectTimeout, True),
    ],
)
def test_without_a_connection_nothing_was_ordered(
    guard: Callable[[], AbstractContextManager[None]], error: type[httpx.TransportError], retryable: bool
) -> None:
    with pytest.raises(ProviderError) as caught, guard():
        raise error("no")
    assert caught.value.retryable is retryable


def test_what_the_service_words_itself_passes() -> None:
    refused = type("Refused", (httpx.ConnectError,), {"__module__": "elsewhere"})
    for guard in (before_the_order, placing):
        with pytest.raises(refused), guard():
            raise refused("no")
    with pytest.raises(httpx.ReadError), placing():
        raise httpx.ReadError("the order may be there")


def test_figures_are_sane_or_left_out() -> None:
    found = {"a": 1, "b": -1, "c": float("inf"), "d": "2.5", "e": True, "f": 10**400, "g": float("nan")}
    assert figures(found, tuple("abcdefgh")) == {"a": 1.0, "d": 2.5}
    assert figures([1], ("a",)) == {}


def test_paths_lead_through_objects_and_lists() -> None:
    document = {"images": [{"url": "here"}]}
    assert dig(document, "images.0.url") == "here"
    assert dig(document, "images.1.url") is None
    assert dig(document, "images.url") is None
    assert dig(["first"], "0") == "first"
    assert dig("whole", "") == "whole"


def test_of_a_list_of_links_the_first_is_taken() -> None:
    assert link_in({"video": {"url": "here"}}, "video.url") == "here"
    assert link_in(["first", "second"], "") == "first"
    assert link_in([], "") is None
    assert link_in([{"url": "there"}], "") is None


def test_pictures_travel_by_their_address_or_as_they_are() -> None:
    assert link_or_data(media("https://media.example.com/1.png"), 1) == "https://media.example.com/1.png"
    assert link_or_data(media(), 10_000).startswith("data:image/png;base64,iVBOR")
    with pytest.raises(ProviderError, match="too large"):
        data_uri(media(), 100)


@pytest.mark.parametrize(
    ("link", "name"),
    [
        ("https://cdn.example.com/a/b.WEBP?token=1.exe", "clip.webp"),
        ("https://cdn.example.com/a.sh", "clip.mp4"),
        ("https://[broken", "clip.mp4"),
    ],
)
def test_files_are_named_by_ourselves(link: str, name: str) -> None:
    assert file_name("clip", link, ".mp4") == name


def test_a_table_makes_models_without_a_default() -> None:
    row = """[{"name": "one", "display_name": "One", "capability": "speech", "endpoint": "acme/one",
               "unit_price": "0.25", "billing_unit": "1k_characters"}]"""
    [model] = models_of(row, "acme")
    assert (model.provider, model.unit_price, model.is_default) == ("acme", Decimal("0.25"), False)
    with pytest.raises(ValueError, match="sise"):
        models_of(row.replace('"endpoint"', '"sise"'), "acme")
