"""How the kit is used: what tests are called, what they say, what is there beside the cases."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from contentsvc.plugin import BillingUnit, Capability, Driver, Model, ProviderError
from contentsvc.providers.declarations import DeclarationError
from contentsvc.testing import (
    CASES,
    Declared,
    Dialect,
    ExampleProvider,
    Failed,
    Kind,
    ProviderServer,
    Reply,
    Request,
    Stage,
    cases_of,
    conformance,
    play,
    serving,
    stage_of,
)
from tests.unit.testing.right import HOME, Bytes, ByteWords, Jobs, JobWords, Scripts, ScriptWords, subject
from tests.unit.testing.wrong import WRONG

__all__ = ["stage_of"]


def plugin(*backed: tuple[Capability, type[Any]]) -> Any:
    """What an entry point names."""

    def providers(register: Callable[[Driver], None]) -> None:
        register(Driver("acme", "Acme", dict(backed)))

    return types.SimpleNamespace(contentsvc_register_providers=providers)


def parameters(test: Any) -> dict[str, Any]:
    [mark] = test.pytestmark
    return {parameter.id: parameter for parameter in mark.args[1]}


def test_tests_are_named_for_capability_and_case() -> None:
    test = conformance(plugin((Capability.SPEECH, Bytes)), ByteWords())
    assert list(parameters(test)) == [
        *(f"speech-{case.name}" for case in cases_of(ByteWords())),
        "every-capability",
    ]


def test_a_capability_without_a_dialect_is_named() -> None:
    test = conformance(plugin((Capability.SPEECH, Bytes), (Capability.SCRIPT, Scripts)), ByteWords())
    with pytest.raises(Failed, match="no dialect describes acme/script"):
        test(*parameters(test)["every-capability"].values)


def test_a_dialect_for_what_nobody_backs_is_refused() -> None:
    test = conformance(plugin((Capability.SPEECH, Bytes)), ScriptWords())
    with pytest.raises(LookupError, match="script is backed by none"):
        test(*parameters(test)["every-capability"].values)


def test_a_declaration_that_the_service_would_refuse_is_refused() -> None:
    module = plugin((Capability.SPEECH, Bytes))
    module.contentsvc_register_models = lambda register: register(
        Model("other", "voice", "Voice", Capability.SPEECH, 1, BillingUnit.TASK)
    )
    with pytest.raises(DeclarationError):
        Declared.of(module)


def test_a_failure_says_what_is_asked_and_what_came() -> None:
    [wrong] = [wrong for wrong in WRONG if (wrong.case, wrong.words) == ("order-hang", "hopes")]
    [case] = [case for case in CASES if case.name == "order-hang"]
    with pytest.raises(Failed) as failed:
        play(subject(wrong.dialect, wrong.backend), case)
    assert str(failed.value) == (
        "The order is read and never answered: OutcomeUnknown.\n\n"
        "OutcomeUnknown is expected; it ended in ProviderError (retryable): Try again."
    )


def test_a_defect_is_shown_with_its_trace() -> None:
    [wrong] = [wrong for wrong in WRONG if wrong.case == "order-429-date"]
    [case] = [case for case in CASES if case.name == "order-429-date"]
    with pytest.raises(Failed, match=r"in paused\n(.|\n)*ValueError: could not convert"):
        play(subject(wrong.dialect, wrong.backend), case)


def test_a_dialect_that_lacks_a_reply_is_told() -> None:
    class Speechless(Dialect):
        capability = Capability.SPEECH

    with pytest.raises(Failed, match="Speechless has to say how its provider answers: done"):
        play(subject(Speechless(), Bytes), next(case for case in CASES if case.name == "success"))


def test_only_what_applies_is_asked() -> None:
    names = {case.name for case in cases_of(ByteWords())}
    assert not any(name.startswith(("poll-", "link-", "usage-", "stream-")) for name in names)
    assert [case.name for case in cases_of(HOME)] == ["offline", "cancelled"]


def test_authors_tests_have_a_stage(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of(plugin((Capability.IMAGE_GENERATION, Jobs)), JobWords())
    stage.when(Kind.POLL, Reply.json({"status": "failed"}))
    with pytest.raises(ProviderError, match="The job has failed"):
        raise stage.refuses(stage.run(), ProviderError)
    assert [order.json()["text"] for order in stage.provider.of_kind(Kind.ORDER)] == [stage.order.prompt]


@pytest.fixture
def example() -> Iterator[ProviderServer]:
    with serving(ExampleProvider(JobsBelow(), VoicesBelow()).answer) as server:
        yield server


class JobsBelow(JobWords):
    def kind(self, request: Request) -> Kind:
        return super().kind(request) if request.path.startswith("/pictures") else Kind.ASIDE


class VoicesBelow(ByteWords):
    def kind(self, request: Request) -> Kind:
        return super().kind(request) if request.path.startswith("/say") else Kind.ASIDE


def test_the_example_provider_takes_a_job_and_does_it(example: ProviderServer) -> None:
    job = httpx.post(f"{example.url}/pictures", json={}).json()["id"]
    assert httpx.get(f"{example.url}/pictures/{job}").json()["status"] == "running"
    done = httpx.get(f"{example.url}/pictures/{job}").json()
    assert httpx.get(done["url"]).headers["Content-Type"] == "image/png"


def test_the_example_provider_has_several_dialects(example: ProviderServer) -> None:
    assert httpx.post(f"{example.url}/say", json={}).headers["Content-Type"] == "audio/wav"
    assert httpx.get(f"{example.url}/else").status_code == 404
