"""Voice-over and background music of a project."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pyramid.registry import Registry
from sqlalchemy import delete

from contentsvc.assets.models import Asset
from contentsvc.generation.admission import Buyer
from contentsvc.plugin import BillingUnit, Capability
from contentsvc.projects.models import Project
from contentsvc.projects.sound.orders import order_voiceover
from contentsvc.projects.sound.schemas import VoiceoverIn
from contentsvc.providers.models import ModelConfig
from contentsvc.security.models import Team
from tests import media_samples
from tests.fakes.provider import FakeProvider, Reply, fake_provider
from tests.functional.conftest import Client, MakeClient
from tests.functional.filming import set_default_model
from tests.functional.generating import Database, Studio, ledger_of
from tests.functional.projecting import act, add_project, add_script, read_project

VOICE = "generate-voiceover"


@pytest.fixture
def provider(registry: Registry, database: Database) -> Iterator[FakeProvider]:
    with fake_provider() as server:
        with database() as session:
            set_default_model(
                session, Capability.SPEECH, server.url, unit=BillingUnit.THOUSAND_CHARACTERS, price="2"
            )
        yield server
        assert Studio(registry, database, server).faults() == []


@pytest.fixture
def project(registry: Registry, owner: Client) -> str:
    made = add_project(registry, owner.team_id)
    add_script(registry, owner.team_id, made, adopted=True)
    return made


def _say(*texts: str, **fields: Any) -> dict[str, Any]:
    return {"items": [{"index": n, "text": text} for n, text in enumerate(texts)], **fields}


def _voice_task(client: Client, project: str) -> Any:
    [task] = client.get(f"/api/ai/tasks/?project={project}&task_type=voiceover").json["results"]
    return task


def _upload(client: Client, project: str, data: bytes, name: str = "beat.wav", **kwargs: Any) -> Any:
    return client.post(f"/api/projects/{project}/upload-bgm/", upload_files=[("file", name, data)], **kwargs)


def test_texts_are_spoken_in_one_call(provider: FakeProvider, owner: Client, project: str) -> None:
    body = _say("Mornings are grey.", "Then comes the cup.", voice_type="warm", speed_ratio=1.5)

    voiceover = act(owner, project, VOICE, body).json["voiceover"]

    assert (voiceover["voice_type"], voiceover["speed_ratio"]) == ("warm", 1.5)
    assert [(item["index"], item["text"]) for item in voiceover["items"]] == [
        (0, "Mornings are grey."),
        (1, "Then comes the cup."),
    ]
    first = voiceover["items"][0]
    assert (first["asset"]["category"], first["asset"]["asset_type"]) == ("voice", "audio")
    assert first["duration_seconds"] == pytest.approx(0.18, abs=0.01)
    assert owner.get(first["url"]).content_type == "audio/wav"


def test_the_model_gets_text_voice_and_speed(provider: FakeProvider, owner: Client, project: str) -> None:
    act(owner, project, VOICE, _say("One.", "Two.", voice_type="warm", speed_ratio=0.5))

    heard = [(order["text"], order["voice"], order["speed"]) for order in provider.orders]
    assert heard == [("One.", "warm", 0.5), ("Two.", "warm", 0.5)]


def test_each_text_is_an_order_of_its_own(provider: FakeProvider, owner: Client, project: str) -> None:
    act(owner, project, VOICE, _say("One.", "Two."))

    assert len({order["key"] for order in provider.orders}) == 2


def test_the_project_shows_its_voice_over(provider: FakeProvider, owner: Client, project: str) -> None:
    made = act(owner, project, VOICE, _say("One.")).json["voiceover"]

    assert read_project(owner, project)["voiceover"] == made


def test_a_new_call_replaces_all_items(provider: FakeProvider, owner: Client, project: str) -> None:
    before = act(owner, project, VOICE, _say("One.", "Two.")).json["voiceover"]
    act(owner, project, VOICE, {"items": [{"index": 2, "text": "Three."}]})

    voiceover = read_project(owner, project)["voiceover"]
    assert [(item["index"], item["text"]) for item in voiceover["items"]] == [(2, "Three.")]
    assert voiceover["id"] == before["id"]


def test_a_voice_stays_with_its_segment(provider: FakeProvider, owner: Client, project: str) -> None:
    act(owner, project, VOICE, _say("One.", "Two."))
    act(owner, project, "add-script-segment", {"narration": "Before all."})

    voiceover = read_project(owner, project)["voiceover"]
    assert [(item["index"], item["text"]) for item in voiceover["items"]] == [(1, "One."), (2, "Two.")]


def test_the_voice_of_a_deleted_segment_is_not_shown(
    provider: FakeProvider, owner: Client, project: str
) -> None:
    act(owner, project, VOICE, _say("One.", "Two.", "Three."))
    segment = read_project(owner, project)["current_script"]["segments"][0]["segment_id"]
    act(owner, project, "delete-script-segment", {"segment_id": segment})

    voiceover = read_project(owner, project)["voiceover"]
    assert [(item["index"], item["text"]) for item in voiceover["items"]] == [(0, "Two."), (1, "Three.")]


def test_one_task_is_charged_for_all_characters(provider: FakeProvider, owner: Client, project: str) -> None:
    act(owner, project, VOICE, _say("x" * 300, "y" * 200))

    task = _voice_task(owner, project)
    # 0.5 thousand characters at 2, margin 1.5, ten credits a currency unit.
    assert (task["status"], task["estimated_cost"], task["actual_cost"]) == ("succeeded", "15.00", "15.00")
    assert ledger_of(owner, task["id"]) == ["RESERVE", "CHARGE"]


def test_reported_units_are_summed(provider: FakeProvider, owner: Client, project: str) -> None:
    for units in ("0.1", "0.2"):
        reply = Reply.json(200, {"units": units})
        reply.headers["Content-Type"] = "application/json"
        provider.replies.append(reply)

    act(owner, project, VOICE, _say("x" * 300, "y" * 200))

    assert _voice_task(owner, project)["actual_cost"] == "9.00"


def test_a_voice_paid_by_the_second_is_charged_by_its_sound(
    provider: FakeProvider, database: Database, owner: Client, project: str
) -> None:
    with database() as session:
        for model in session.query(ModelConfig).filter_by(name="fake-speech"):
            model.billing_unit = BillingUnit.SECOND

    act(owner, project, VOICE, _say("x" * 14))

    task = _voice_task(owner, project)
    # Fourteen characters are a second, about; the fake voice needs 0.14 of one.
    assert (task["estimated_cost"], task["actual_cost"]) == ("30.00", "4.20")


def test_a_voice_that_takes_its_time_is_waited_for(
    provider: FakeProvider, owner: Client, project: str, monkeypatch: pytest.MonkeyPatch, registry: Registry
) -> None:
    settings = registry["contentsvc.settings"]
    quick = settings.generation.model_copy(update={"poll_min_seconds": 0.01})
    monkeypatch.setitem(registry, "contentsvc.settings", settings.model_copy(update={"generation": quick}))
    provider.replies.append(Reply.json(202, {"job": "7"}))
    provider.polls.append(Reply(202))

    voiceover = act(owner, project, VOICE, _say("One.")).json["voiceover"]

    assert provider.polled == ["7", "7"]
    assert voiceover["items"][0]["duration_seconds"] == pytest.approx(1.0, abs=0.01)


def test_a_failing_voice_releases_everything(provider: FakeProvider, owner: Client, project: str) -> None:
    provider.replies.extend([Reply(), Reply(500)])

    reply = act(owner, project, VOICE, _say("One.", "Two."), status=502).json

    assert reply == {"detail": "The provider can't speak this.", "code": "provider_error"}
    task = _voice_task(owner, project)
    assert (task["status"], task["error_message"], task["actual_cost"]) == ("failed", reply["detail"], None)
    assert ledger_of(owner, task["id"]) == ["RESERVE", "RELEASE"]
    assert read_project(owner, project)["voiceover"] is None


def test_a_voice_whose_line_breaks_is_marked(provider: FakeProvider, owner: Client, project: str) -> None:
    provider.replies.append(Reply(cut=True))

    act(owner, project, VOICE, _say("One."), status=502)

    task = _voice_task(owner, project)
    assert (task["status"], task["metadata"]["outcome_unknown"]) == ("failed", True)


def test_a_failure_keeps_the_voice_there_was(provider: FakeProvider, owner: Client, project: str) -> None:
    made = act(owner, project, VOICE, _say("One.")).json["voiceover"]
    provider.replies.append(Reply(500))
    act(owner, project, VOICE, _say("Two."), status=502)

    assert read_project(owner, project)["voiceover"] == made


def test_a_repeat_with_the_same_key_speaks_nothing(
    provider: FakeProvider, owner: Client, project: str
) -> None:
    key = {"Idempotency-Key": "k1"}
    first = act(owner, project, VOICE, _say("One."), headers=key)
    again = act(owner, project, VOICE, _say("One."), headers=key)

    assert again.json == first.json
    assert (first.headers.get("Idempotent-Replay"), again.headers["Idempotent-Replay"]) == (None, "true")
    assert len(provider.orders) == 1


def test_a_repeat_waits_for_the_first_call(provider: FakeProvider, owner: Client, project: str) -> None:
    gate = threading.Event()
    provider.replies.append(Reply(gate=gate))
    key = {"Idempotency-Key": "k2"}
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(act, owner, project, VOICE, _say("One."), headers=key)
        assert provider.ordered.acquire(timeout=20)
        again = pool.submit(act, owner, project, VOICE, _say("One."), headers=key)
        gate.set()
        assert again.result(30).json == first.result(30).json
    assert len(provider.orders) == 1


def test_a_voice_whose_server_died_is_released(
    provider: FakeProvider, registry: Registry, database: Database, owner: Client, project: str
) -> None:
    with database() as session:
        buyer = Buyer(team=session.get_one(Team, owner.team_id), user_id=owner.user_id)
        row = session.get_one(Project, uuid.UUID(project))
        order_voiceover(session, registry, buyer, row, VoiceoverIn.model_validate(_say("One.")))

    Studio(registry, database, provider).work()

    task = _voice_task(owner, project)
    assert (task["status"], ledger_of(owner, task["id"])) == ("failed", ["RESERVE", "RELEASE"])
    assert provider.orders == []


def test_purged_sound_leaves_its_text(
    provider: FakeProvider, database: Database, owner: Client, project: str
) -> None:
    [item] = act(owner, project, VOICE, _say("One.")).json["voiceover"]["items"]
    _upload(owner, project, media_samples.sound_wav(0.1))
    with database() as session:
        session.execute(delete(Asset).where(Asset.team_id == owner.team_id, Asset.asset_type == "audio"))

    shown = read_project(owner, project)
    assert shown["voiceover"]["items"] == [{**item, "asset": None, "url": None, "duration_seconds": None}]
    assert shown["bgm"] is None


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "items"),
        ({"items": []}, "items"),
        ({"items": [{"index": 0, "text": ""}]}, "items.0.text"),
        ({"items": [{"index": 0, "text": " \n"}]}, "items.0.text"),
        ({"items": [{"index": 0, "text": "x" * 4001}]}, "items.0.text"),
        ({"items": [{"index": -1, "text": "x"}]}, "items.0.index"),
        ({"items": [{"index": True, "text": "x"}]}, "items.0.index"),
        ({"items": [{"index": 3, "text": "x"}]}, "items.0.index"),
        ({"items": [{"index": 1, "text": "x"}, {"index": 1, "text": "y"}]}, "items.1.index"),
        (_say("x", speed_ratio=0.49), "speed_ratio"),
        (_say("x", speed_ratio=2.01), "speed_ratio"),
        (_say("x", speed_ratio="1"), "speed_ratio"),
        (_say("x", voice_type=5), "voice_type"),
    ],
)
def test_bad_orders_are_refused(
    provider: FakeProvider, owner: Client, project: str, body: dict[str, Any], field: str
) -> None:
    assert field in act(owner, project, VOICE, body, status=400).json
    assert provider.orders == []


@pytest.mark.parametrize("speed", [0.5, 2, 2.0])
def test_the_bounds_of_the_speed_are_allowed(
    provider: FakeProvider, owner: Client, project: str, speed: float
) -> None:
    act(owner, project, VOICE, _say("x" * 4000, speed_ratio=speed), status=402)


def test_before_a_script_is_adopted_nothing_is_spoken(
    provider: FakeProvider, registry: Registry, owner: Client
) -> None:
    project = add_project(registry, owner.team_id)
    add_script(registry, owner.team_id, project)

    assert act(owner, project, VOICE, _say("One."), status=400).json["code"] == "conflict"


def test_without_a_voice_model_nothing_is_spoken(
    provider: FakeProvider, database: Database, owner: Client, project: str
) -> None:
    with database() as session:
        for model in session.query(ModelConfig).filter_by(capability=Capability.SPEECH):
            model.status = "inactive"

    assert act(owner, project, VOICE, _say("One."), status=503).json["code"] == "no_model"


def test_what_can_not_be_paid_is_not_spoken(
    provider: FakeProvider, registry: Registry, make_client: MakeClient
) -> None:
    poor = make_client(balance=1)
    project = add_project(registry, poor.team_id)
    add_script(registry, poor.team_id, project, adopted=True)

    reply = act(poor, project, VOICE, _say("x" * 1000), status=402).json

    assert reply["code"] == "insufficient_balance"
    assert provider.orders == []


def test_an_estimate_is_what_the_order_reserves(provider: FakeProvider, owner: Client, project: str) -> None:
    body = _say("x" * 300, "y" * 200)
    told = owner.post_json("/api/ai/estimate/", {"task_type": "voiceover", **body}).json
    act(owner, project, VOICE, body)
    assert told["estimated_cost"] == _voice_task(owner, project)["estimated_cost"] == "15.00"


def test_viewers_order_no_voice(
    provider: FakeProvider, owner: Client, project: str, make_client: MakeClient
) -> None:
    viewer = make_client("viewer", owner.team_id)
    assert act(viewer, project, VOICE, _say("One."), status=403).json["code"] == "permission_denied"


@pytest.mark.parametrize("action", [VOICE, "upload-bgm"])
def test_another_teams_project_has_no_sound(
    provider: FakeProvider, owner: Client, other: Client, project: str, action: str
) -> None:
    for unknown in (project, str(uuid.uuid4()), "x"):
        path = f"/api/projects/{unknown}/{action}/"
        assert other.post_json(path, _say("One."), status=404).json["code"] == "not_found"


def test_music_is_shown_on_the_project(registry: Registry, owner: Client, project: str) -> None:
    reply = _upload(owner, project, media_samples.sound_wav(0.5)).json

    bgm = reply["bgm"]
    assert bgm["volume"] == 0.3
    assert (bgm["asset"]["category"], bgm["asset"]["source"], bgm["asset"]["name"]) == (
        "bgm",
        "uploaded",
        "beat.wav",
    )
    assert bgm["asset"]["project"] == project
    assert owner.get(bgm["url"]).content_type == "audio/wav"
    assert read_project(owner, project)["bgm"] == bgm


def test_new_music_takes_the_place_of_the_old(registry: Registry, owner: Client, project: str) -> None:
    old = _upload(owner, project, media_samples.sound_wav(0.2)).json["bgm"]["asset"]["id"]
    new = _upload(owner, project, media_samples.sound_wav(0.3), params={"volume": "1.5"}).json["bgm"]

    assert (new["volume"], new["asset"]["id"] != old) == (1.5, True)
    assert owner.get(f"/api/assets/{old}/").json["id"] == old


@pytest.mark.parametrize("volume", ["-0.1", "2.1", "loud", "nan", "inf"])
def test_music_of_another_loudness_is_refused(
    registry: Registry, owner: Client, project: str, volume: str
) -> None:
    data = media_samples.sound_wav(0.1)
    reply = _upload(owner, project, data, params={"volume": volume}, status=400)
    assert list(reply.json) == ["volume"]


def test_pictures_are_no_music(registry: Registry, owner: Client, project: str) -> None:
    reply = _upload(owner, project, media_samples.image("PNG"), "beat.mp3", status=400)
    assert list(reply.json) == ["file"]


def test_music_without_a_file_is_refused(registry: Registry, owner: Client, project: str) -> None:
    reply = owner.post(
        f"/api/projects/{project}/upload-bgm/",
        {"volume": "1"},
        content_type="multipart/form-data",
        status=400,
    )
    assert reply.status_int == 400


def test_music_comes_as_a_form(registry: Registry, owner: Client, project: str) -> None:
    assert act(owner, project, "upload-bgm", {}, status=415).json["code"] == "unsupported_media_type"


def test_viewers_bring_no_music(
    registry: Registry, owner: Client, project: str, make_client: MakeClient
) -> None:
    viewer = make_client("viewer", owner.team_id)
    _upload(viewer, project, media_samples.sound_wav(0.1), status=403)
