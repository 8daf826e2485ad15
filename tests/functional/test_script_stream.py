"""The script stream: its frames, what it stores, what it charges, how it fails."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest
from pyramid.registry import Registry
from sqlalchemy import select

from contentsvc.generation.models import TaskAttempt
from contentsvc.plugin import BillingUnit, Capability
from contentsvc.providers.models import ModelConfig
from tests.fakes.provider import Reply
from tests.fakes.scripts import STORY, line, result, said, script, shot
from tests.functional.conftest import Client
from tests.functional.generating import Database, ledger_of
from tests.functional.projecting import add_script
from tests.functional.scripting import Author, author, frames, kinds, only


@pytest.fixture
def studio(registry: Registry, database: Database, owner: Client) -> Iterator[Author]:
    with author(registry, database, owner) as made:
        made.provider.default = script()
        yield made


def test_the_frames_come_in_the_authors_order(studio: Author) -> None:
    reply = studio.stream()
    assert kinds(reply) == ["tool", "delta", "delta", "tool", "draft", "draft", "saved", "done"]


def test_a_step_is_shown_running_and_done(studio: Author) -> None:
    steps = [frame for frame in frames(studio.stream()) if frame["type"] == "tool"]
    assert steps == [
        {"type": "tool", "name": "plan", "label": "Planning the story", "status": status}
        for status in ("running", "done")
    ]


def test_the_reasoning_comes_in_pieces(studio: Author) -> None:
    texts = [frame["text"] for frame in frames(studio.stream()) if frame["type"] == "delta"]
    assert texts == ["The cup ", "is the hero."]


def test_nothing_between_client_and_server_may_hold_frames_back(studio: Author) -> None:
    reply = studio.stream()
    assert (reply.headers["Cache-Control"], reply.headers["X-Accel-Buffering"]) == ("no-store", "no")


def test_the_last_draft_is_the_script_that_is_saved(studio: Author) -> None:
    reply = studio.stream()
    drafts = [frame["segments"] for frame in frames(reply) if frame["type"] == "draft"]
    assert drafts[-1] == only(reply, "saved")["script_version"]["segments"]


def test_a_segment_keeps_its_id_from_the_first_draft_on(studio: Author) -> None:
    drafts = [frame["segments"] for frame in frames(studio.stream()) if frame["type"] == "draft"]
    assert drafts[0][0]["segment_id"] == drafts[1][0]["segment_id"]


def test_the_saved_version_is_the_projects_script(studio: Author) -> None:
    saved = only(studio.stream(), "saved")["script_version"]
    assert saved == studio.read()["current_script"]


def test_a_version_says_what_was_asked(studio: Author) -> None:
    reply = studio.stream(mode="theme", prompt="a rainy day", aspect_ratio="16:9", total_duration=20)
    saved = only(reply, "saved")["script_version"]
    assert {name: saved[name] for name in ("version", "mode", "prompt", "aspect_ratio")} == {
        "version": 1,
        "mode": "theme",
        "prompt": "a rainy day",
        "aspect_ratio": "16:9",
    }
    assert (saved["total_duration"], saved["base_version"], saved["is_adopted"]) == (20, None, False)


def test_segments_are_whole(studio: Author) -> None:
    [first, *_] = only(studio.stream(), "saved")["script_version"]["segments"]
    assert first.pop("segment_id")
    assert first == {
        "index": 0,
        "narration": STORY[0],
        "dialogue": [{"speaker": None, "line": STORY[0]}],
        "visual_prompt": f"Shot: {STORY[0]}",
        "duration_seconds": 5,
        "entity_refs": [],
    }


def test_the_end_names_the_version_and_its_price(studio: Author) -> None:
    reply = studio.stream()
    assert only(reply, "done") == {
        "type": "done",
        "script_version_id": only(reply, "saved")["script_version"]["id"],
        "charged": "0.30",
    }


def test_a_script_is_charged_once(studio: Author) -> None:
    studio.stream()
    [task] = studio.tasks()
    assert (task["task_type"], task["status"], task["actual_cost"]) == ("script", "succeeded", "0.30")
    assert ledger_of(studio.owner, task["id"]) == ["RESERVE", "CHARGE"]
    assert studio.credit() == ("99.70", "0.00")


def test_no_worker_is_needed(studio: Author) -> None:
    assert studio.stream().status_int == 200


def test_the_reported_use_is_charged(studio: Author, database: Database) -> None:
    with database() as session:
        model = session.scalars(select(ModelConfig).where(ModelConfig.name == "fake-script")).one()
        model.billing_unit = BillingUnit.THOUSAND_TOKENS
    studio.provider.default = script(units="2.5")
    assert only(studio.stream(), "done")["charged"] == "0.75"


def test_without_a_report_the_estimate_is_charged(studio: Author, database: Database) -> None:
    with database() as session:
        model = session.scalars(select(ModelConfig).where(ModelConfig.name == "fake-script")).one()
        model.billing_unit = BillingUnit.THOUSAND_TOKENS
    studio.provider.default = script(units=None)
    studio.stream()
    [task] = studio.tasks()
    assert task["actual_cost"] == task["estimated_cost"]
    assert Decimal(task["estimated_cost"]) > Decimal("0.30")


def test_an_estimate_costs_nothing(studio: Author) -> None:
    reply = studio.owner.post_json("/api/ai/estimate/", {"task_type": "script"})
    assert reply.json["estimated_cost"] == "0.30"


def test_the_author_gets_facts_and_wishes(studio: Author) -> None:
    studio.stream(mode="theme", prompt="a rainy day", total_duration=20)
    [order] = studio.provider.orders
    assert {name: order[name] for name in ("mode", "instruction", "product", "total_duration")} == {
        "mode": "theme",
        "instruction": "a rainy day",
        "product": "Cup",
        "total_duration": 20,
    }
    assert (order["aspect_ratio"], order["narrations"], order["target_index"]) == ("9:16", [], None)


def test_chosen_selling_points_alone_are_told(studio: Author) -> None:
    product = f"/api/products/{studio.read()['product']}/"
    points = studio.owner.patch_json(
        product, {"selling_points": [{"title": "warm"}, {"title": "light"}, {"title": "blue"}]}
    ).json["selling_points"]
    studio.stream(selling_point_ids=[points[2]["id"], points[0]["id"]])
    assert studio.provider.orders[0]["points"] == ["warm", "blue"]


def test_without_a_choice_all_selling_points_are_told(studio: Author) -> None:
    product = f"/api/products/{studio.read()['product']}/"
    studio.owner.patch_json(product, {"selling_points": [{"title": "warm"}, {"title": "light"}]})
    studio.stream()
    assert studio.provider.orders[0]["points"] == ["warm", "light"]


def test_a_client_may_name_the_model(studio: Author, database: Database) -> None:
    with database() as session:
        default = session.scalars(select(ModelConfig).where(ModelConfig.name == "fake-script")).one()
        other = ModelConfig(
            provider_id=default.provider_id,
            name="better",
            display_name="Better",
            capability=Capability.SCRIPT,
            unit_price=Decimal("0.04"),
            billing_unit=BillingUnit.TASK,
        )
        session.add(other)
        session.flush()
        named = str(other.id)
    assert only(studio.stream(model_config_id=named), "done")["charged"] == "0.60"
    assert studio.provider.orders[0]["model"] == "better"


# Revisions


def test_a_revision_rewrites_the_working_version(studio: Author) -> None:
    base = add_script(studio.registry, studio.owner.team_id, studio.project)
    saved = only(studio.stream(mode="revise", prompt="shorter"), "saved")["script_version"]
    assert (saved["version"], saved["mode"], saved["base_version"]) == (2, "revise", base["id"])
    assert studio.provider.orders[0]["narrations"] == list(STORY)


def test_a_revision_says_the_length_that_was_asked_for_alone(studio: Author) -> None:
    add_script(studio.registry, studio.owner.team_id, studio.project, total_duration=15, aspect_ratio="1:1")
    saved = only(studio.stream(mode="revise"), "saved")["script_version"]
    assert (saved["total_duration"], saved["aspect_ratio"]) == (None, "1:1")


def test_a_revision_may_name_its_base(studio: Author) -> None:
    first = add_script(studio.registry, studio.owner.team_id, studio.project)
    add_script(studio.registry, studio.owner.team_id, studio.project, segments=[{"narration": "Else."}])
    reply = studio.stream(mode="revise", base_version_id=first["id"])
    assert only(reply, "saved")["script_version"]["base_version"] == first["id"]
    assert studio.provider.orders[0]["narrations"] == list(STORY)


def test_revised_segments_keep_their_ids_by_place(studio: Author) -> None:
    base = add_script(studio.registry, studio.owner.team_id, studio.project)
    studio.provider.default = said(result("One.", "Two.", "Three.", "Four."))
    segments = only(studio.stream(mode="revise"), "saved")["script_version"]["segments"]
    assert [segment["segment_id"] for segment in segments][:3] == base["segment_ids"]


def test_a_target_is_rewritten_and_nothing_else(studio: Author) -> None:
    add_script(studio.registry, studio.owner.team_id, studio.project)
    before = studio.read()["current_script"]["segments"]
    studio.provider.default = said(result("A new beginning."))
    reply = studio.stream(mode="revise", target_index=1, prompt="warmer")
    after = only(reply, "saved")["script_version"]["segments"]
    assert [after[0], after[2]] == [before[0], before[2]]
    assert (after[1]["segment_id"], after[1]["narration"]) == (before[1]["segment_id"], "A new beginning.")


def test_the_draft_of_a_target_shows_the_whole_script(studio: Author) -> None:
    add_script(studio.registry, studio.owner.team_id, studio.project)
    studio.provider.default = said(result("A new beginning."))
    draft = only(studio.stream(mode="revise", target_index=0), "draft")["segments"]
    assert [segment["narration"] for segment in draft] == ["A new beginning.", *STORY[1:]]


def test_a_rewritten_target_keeps_its_entities(studio: Author) -> None:
    add_script(
        studio.registry,
        studio.owner.team_id,
        studio.project,
        segments=[{"narration": "Old.", "entity_refs": ["hero"]}],
    )
    studio.provider.default = said(result("New."))
    [segment] = only(studio.stream(mode="revise", target_index=0), "saved")["script_version"]["segments"]
    assert segment["entity_refs"] == ["hero"]


def test_several_segments_for_one_target_are_refused(studio: Author) -> None:
    add_script(studio.registry, studio.owner.team_id, studio.project)
    studio.provider.default = said(result("One.", "Two."))
    reply = studio.stream(mode="revise", target_index=1)
    assert only(reply, "error")["detail"] == "The model returned a script that can't be used."


# What models write


def test_durations_are_brought_into_range(studio: Author) -> None:
    written = [shot("Short.", duration_seconds=0.1), shot("Long.", duration_seconds=1000)]
    studio.provider.default = said(line(result=written))
    segments = only(studio.stream(), "saved")["script_version"]["segments"]
    assert [segment["duration_seconds"] for segment in segments] == [1, 60]


def test_a_missing_picture_is_described_by_the_narration(studio: Author) -> None:
    studio.provider.default = said(line(result=[shot("A cup.", visual_prompt=" ")]))
    [segment] = only(studio.stream(), "saved")["script_version"]["segments"]
    assert segment["visual_prompt"] == "A cup."


def test_a_missing_narration_is_what_the_dialogue_says(studio: Author) -> None:
    lines = [{"line": "Tea?", "speaker": "Ann"}, {"line": "Coffee!"}]
    studio.provider.default = said(line(result=[shot("", dialogue=lines)]))
    [segment] = only(studio.stream(), "saved")["script_version"]["segments"]
    assert segment["narration"] == "Tea? Coffee!"
    assert segment["dialogue"] == [
        {"speaker": "Ann", "line": "Tea?"},
        {"speaker": None, "line": "Coffee!"},
    ]


def test_a_segment_without_words_is_dropped(studio: Author) -> None:
    studio.provider.default = said(line(result=[shot(""), shot("A cup.")]))
    segments = only(studio.stream(), "saved")["script_version"]["segments"]
    assert [segment["narration"] for segment in segments] == ["A cup."]


def test_what_cannot_be_stored_is_taken_out(studio: Author) -> None:
    studio.provider.default = said(line(text="a\x00b\ud800"), line(result=[shot("A\x00 cup\ud800.")]))
    reply = studio.stream()
    [segment] = only(reply, "saved")["script_version"]["segments"]
    assert segment["narration"] == "A cup?."


@pytest.mark.parametrize(
    "reply",
    [
        said(line(result=[])),
        said(line(result=[shot("")])),
        said(line(result=[shot("Word.")] * 101)),
        said(line(result=[shot("Word.", duration_seconds="long")])),
        said(line(result=[shot(None)])),
        said(line(raw="just text")),
        said(line(text="It never ends well.")),
        said(line(text="A cup."), b"not JSON\n"),
        said(line(text="A cup."), cut=True),
        said(line(error="The model is tired.")),
        Reply.json(500, {}),
        Reply.json(422, {}),
    ],
    ids=[
        "no segments",
        "no words",
        "too many",
        "a duration that is no number",
        "no text",
        "no event",
        "no result",
        "no JSON",
        "broken off",
        "an error",
        "a refusal",
        "refused content",
    ],
)
def test_what_cannot_be_used_fails_and_is_released(studio: Author, reply: Reply) -> None:
    studio.provider.default = reply
    answer = studio.stream()
    assert answer.status_int == 200
    assert kinds(answer)[-1] == "error"
    assert only(answer, "error")["code"] == "provider_error"
    assert "saved" not in kinds(answer)
    [task] = studio.tasks()
    assert (task["status"], task["actual_cost"]) == ("failed", None)
    assert task["error_message"] == only(answer, "error")["detail"]
    assert ledger_of(studio.owner, task["id"]) == ["RESERVE", "RELEASE"]
    assert studio.read()["current_script"] is None


def test_an_author_that_breaks_off_is_no_unknown_outcome(studio: Author) -> None:
    studio.provider.default = said(line(text="A cup."), cut=True)
    studio.stream()
    assert "outcome_unknown" not in studio.tasks()[0]["metadata"]


def test_an_attempt_is_kept(studio: Author) -> None:
    studio.stream()
    with studio.database() as session:
        [attempt] = session.scalars(select(TaskAttempt))
    assert (attempt.outcome, attempt.usage) == ("succeeded", {"units": "1", "raw": {"made_by": "fake"}})


def test_a_segment_deleted_meanwhile_is_not_brought_back(studio: Author) -> None:
    base = add_script(studio.registry, studio.owner.team_id, studio.project)

    def delete_it() -> Iterator[bytes]:
        studio.post("delete-script-segment", {"segment_id": base["segment_ids"][1]})
        yield result("A new beginning.")

    studio.provider.default = Reply(pieces=_Late(delete_it))
    reply = studio.stream(mode="revise", target_index=1)
    assert "deleted" in only(reply, "error")["detail"]
    assert studio.credit() == ("100.00", "0.00")


class _Late(list[bytes]):
    """Pieces that are made when they are sent."""

    def __init__(self, make: object) -> None:
        super().__init__([b"\n"])
        self._make = make

    def __iter__(self) -> Iterator[bytes]:
        assert callable(self._make)
        return iter(self._make())


def test_the_bill_of_a_script_is_explained(studio: Author) -> None:
    studio.stream()
    [task] = studio.tasks()
    found = studio.owner.get(f"/api/ai/tasks/{task['id']}/explain/").json
    assert [attempt["outcome"] for attempt in found["attempts"]] == ["succeeded"]
    assert [row["ledger_type"] for row in found["ledgers"]] == ["RESERVE", "CHARGE"]
    assert found["price"]["charged"] == "0.30"
