"""Work a client waits for falls back as any other does: once, and before he has heard a word."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import select

from contentsvc.plugin import BillingUnit, Capability
from contentsvc.providers.models import ModelConfig
from tests.fakes.provider import Reply
from tests.fakes.scripts import line, said, script
from tests.functional.conftest import Client
from tests.functional.filming import set_default_model
from tests.functional.generating import Database, ledger_of
from tests.functional.projecting import act, add_script
from tests.functional.scripting import Author, author, kinds, only

FAILURE = Reply.json(500, {})


@pytest.fixture
def studio(registry: Registry, database: Database, owner: Client) -> Iterator[Author]:
    """An author, a speaker, and a second model for the work of each."""
    with author(registry, database, owner) as made:
        with database() as session:
            set_default_model(session, Capability.SPEECH, made.provider.url, unit=BillingUnit.TASK, price="2")
            for model in session.scalars(select(ModelConfig).where(ModelConfig.is_default)).all():
                if model.provider.base_url == made.provider.url:
                    _add_substitute(session, model)
        yield made


def _add_substitute(session: Any, model: ModelConfig) -> None:
    model.options = {"fallback": "second"}
    session.add(
        ModelConfig(
            provider_id=model.provider_id,
            name="second",
            display_name="Second",
            capability=model.capability,
            billing_unit=model.billing_unit,
            unit_price=Decimal(9),
            options={"fallback": model.name},
        )
    )


def test_a_script_is_written_by_the_substitute_at_the_orders_price(studio: Author) -> None:
    studio.provider.replies.extend([FAILURE, script()])
    reply = studio.stream()
    assert kinds(reply)[-1] == "done"
    assert only(reply, "done")["charged"] == "0.30"
    assert [order["model"] for order in studio.provider.orders] == ["fake-script", "second"]
    [task] = studio.tasks()
    assert (task["model_name"], task["metadata"]["fallback_from"]) == ("second", "fake-script")
    assert ledger_of(studio.owner, task["id"]) == ["RESERVE", "CHARGE"]


def test_an_author_that_has_begun_to_speak_is_not_replaced(studio: Author) -> None:
    studio.provider.replies.append(said(line(text="A cup."), cut=True))
    assert kinds(studio.stream())[-1] == "error"
    assert len(studio.provider.orders) == 1


def test_refused_content_is_refused_by_one(studio: Author) -> None:
    studio.provider.replies.append(Reply.json(422, {}))
    assert kinds(studio.stream()) == ["error"]
    assert len(studio.provider.orders) == 1


def test_a_substitute_has_no_substitute(studio: Author) -> None:
    studio.provider.replies.extend([FAILURE, FAILURE])
    assert kinds(studio.stream()) == ["error"]
    assert len(studio.provider.orders) == 2
    assert studio.credit()[1] == "0.00"


def test_an_author_the_client_named_is_not_replaced(studio: Author) -> None:
    with studio.database() as session:
        named = session.scalars(select(ModelConfig).where(ModelConfig.name == "fake-script")).one()
    studio.provider.replies.append(FAILURE)
    assert kinds(studio.stream(model_config_id=str(named.id))) == ["error"]
    assert len(studio.provider.orders) == 1


def test_a_segment_is_rewritten_by_the_substitute(studio: Author) -> None:
    base = add_script(studio.registry, studio.owner.team_id, studio.project)
    studio.provider.replies.extend([FAILURE, script("Another morning.")])
    answer = studio.post("rerun-script-segment", {"segment_id": base["segment_ids"][0]})
    assert answer.status_int == 200
    assert [order["model"] for order in studio.provider.orders] == ["fake-script", "second"]


def test_one_voice_speaks_all_texts_of_a_voice_over(studio: Author) -> None:
    add_script(studio.registry, studio.owner.team_id, studio.project, adopted=True)
    studio.provider.replies.extend([Reply(), Reply(500)])
    texts = {"items": [{"index": 0, "text": "One."}, {"index": 1, "text": "Two."}]}
    spoken = act(studio.owner, studio.project, "generate-voiceover", texts).json["voiceover"]
    assert [item["text"] for item in spoken["items"]] == ["One.", "Two."]
    assert [order["text"] for order in studio.provider.orders] == ["One.", "Two.", "One.", "Two."]
    assert studio.credit()[1] == "0.00"


def test_the_substitutes_order_has_a_key_of_its_own(studio: Author) -> None:
    studio.provider.replies.append(FAILURE)
    studio.stream()
    first, second = (order["key"] for order in studio.provider.orders)
    assert first != second
