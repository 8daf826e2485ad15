"""The administrator's providers and models."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import event, select, text
from webtest import TestApp

from contentsvc.backoffice.models import AuditRecord
from contentsvc.db.session import engine_of
from contentsvc.generation.models import AITask
from tests.canary import key_of, traces_in_rows

CANARY = key_of("acme", "sk-")
PROVIDERS = "/api/admin/providers/"
MODELS = "/api/admin/models/"


def add_provider(admin: Any, name: str = "acme", **fields: Any) -> dict[str, Any]:
    body = {"name": name, "display_name": name.title(), **fields}
    return dict(admin.post_json(PROVIDERS, body, status=201).json)


def add_model(admin: Any, provider: str = "acme", name: str = "one", **fields: Any) -> dict[str, Any]:
    body = {
        "provider": provider,
        "name": name,
        "display_name": "One",
        "capability": "image_generation",
        **fields,
    }
    return dict(admin.post_json(MODELS, body, status=201).json)


def test_a_provider_answers_the_contracts_members(admin: Any) -> None:
    provider = add_provider(admin, base_url="https://api.acme.test/v1", api_key=CANARY)
    assert uuid.UUID(provider.pop("id"))
    assert provider == {
        "name": "acme",
        "display_name": "Acme",
        "driver": "acme",
        "base_url": "https://api.acme.test/v1",
        "has_api_key": True,
        "status": "active",
        "health": "healthy",
    }


def test_a_second_row_on_one_driver_names_it(admin: Any) -> None:
    assert add_provider(admin, "acme-eu", driver="acme")["driver"] == "acme"


def test_the_list_of_providers_is_an_array(admin: Any) -> None:
    provider = add_provider(admin)
    reply = admin.get(PROVIDERS).json
    assert isinstance(reply, list)
    assert provider in reply


def test_a_second_provider_of_the_same_name_is_a_conflict(admin: Any) -> None:
    add_provider(admin)
    reply = admin.post_json(PROVIDERS, {"name": "acme", "display_name": "Again"}, status=409)
    assert reply.json["code"] == "conflict"


def test_renaming_a_provider_to_a_taken_name_is_a_conflict(admin: Any) -> None:
    add_provider(admin)
    other = add_provider(admin, "other")
    reply = admin.patch_json(f"{PROVIDERS}{other['id']}/", {"name": "acme"}, status=409)
    assert reply.json["code"] == "conflict"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "   "),
        ("name", None),
        ("base_url", None),
        ("name", "x" * 256),
        ("display_name", 5),
        ("status", "paused"),
        ("base_url", "ftp://files.acme.test"),
        ("base_url", "not an address"),
        ("base_url", "https://"),
        ("base_url", "https://user:word@acme.test/"),
        ("base_url", "https://acme.test:99999/"),
        ("base_url", "javascript:alert(1)"),
        ("api_key", 5),
        ("api_key", "with\nnewline"),
        ("driver", ""),
    ],
)
def test_a_bad_provider_field_is_named(admin: Any, field: str, value: Any) -> None:
    body = {"name": "acme", "display_name": "Acme", field: value}
    assert list(admin.post_json(PROVIDERS, body, status=400).json) == [field]


def test_a_refused_key_is_not_repeated_in_the_error(admin: Any) -> None:
    body = {"name": "acme", "display_name": "Acme", "api_key": f"{CANARY}\n{CANARY}"}
    assert CANARY not in admin.post_json(PROVIDERS, body, status=400).text


def test_a_patch_changes_only_what_it_names(admin: Any) -> None:
    provider = add_provider(admin, base_url="https://api.acme.test", api_key=CANARY)
    reply = admin.patch_json(f"{PROVIDERS}{provider['id']}/", {"status": "inactive"}).json
    assert reply == provider | {"status": "inactive"}


@pytest.mark.parametrize("value", [None, ""])
def test_a_key_sent_as_null_or_empty_is_removed(admin: Any, value: Any) -> None:
    provider = add_provider(admin, api_key=CANARY)
    reply = admin.patch_json(f"{PROVIDERS}{provider['id']}/", {"api_key": value}).json
    assert reply["has_api_key"] is False


def test_a_null_name_in_a_patch_is_refused(admin: Any) -> None:
    provider = add_provider(admin)
    reply = admin.patch_json(f"{PROVIDERS}{provider['id']}/", {"name": None}, status=400)
    assert list(reply.json) == ["name"]


def test_a_deleted_provider_is_gone(admin: Any) -> None:
    provider = add_provider(admin)
    assert admin.delete(f"{PROVIDERS}{provider['id']}/", status=204).body == b""
    admin.patch_json(f"{PROVIDERS}{provider['id']}/", {}, status=404)
    assert provider["id"] not in [row["id"] for row in admin.get(PROVIDERS).json]


def test_a_deleted_providers_name_is_free_again(admin: Any) -> None:
    admin.delete(f"{PROVIDERS}{add_provider(admin)['id']}/", status=204)
    assert add_provider(admin)["name"] == "acme"


def test_a_deleted_provider_leaves_no_key_behind(admin: Any, database: Any) -> None:
    admin.delete(f"{PROVIDERS}{add_provider(admin, api_key=CANARY)['id']}/", status=204)
    with database() as session:
        keys = session.scalars(text("SELECT api_key_encrypted FROM provider WHERE name = 'acme'")).all()
    assert keys == [None]


def test_a_provider_with_models_cannot_be_deleted(admin: Any) -> None:
    provider = add_provider(admin)
    add_model(admin)
    assert admin.delete(f"{PROVIDERS}{provider['id']}/", status=409).json["code"] == "conflict"


def test_a_provider_whose_models_are_deleted_can_be_deleted(admin: Any) -> None:
    provider = add_provider(admin)
    admin.delete(f"{MODELS}{add_model(admin)['id']}/", status=204)
    admin.delete(f"{PROVIDERS}{provider['id']}/", status=204)


@pytest.mark.parametrize("given", ["not-an-id", str(uuid.UUID(int=0))])
def test_an_unknown_id_is_not_found(admin: Any, given: str) -> None:
    admin.patch_json(f"{PROVIDERS}{given}/", {}, status=404)
    admin.delete(f"{PROVIDERS}{given}/", status=404)
    admin.patch_json(f"{MODELS}{given}/", {}, status=404)
    admin.delete(f"{MODELS}{given}/", status=404)
    admin.post(f"{MODELS}{given}/set-default/", status=404)


def test_only_the_platform_administrator_comes_in(owner: Any, api: TestApp) -> None:
    owner.get(PROVIDERS, status=403)
    owner.post_json(MODELS, {}, status=403)
    api.get(MODELS, status=401)


def test_a_model_answers_the_contracts_members(admin: Any) -> None:
    provider = add_provider(admin)
    model = add_model(
        admin, endpoint="v1/images", unit_price="0.250000", options={"ratios": ["1:1"], "style": "warm"}
    )
    assert uuid.UUID(model.pop("id"))
    assert model == {
        "provider": provider["id"],
        "provider_name": "acme",
        "name": "one",
        "display_name": "One",
        "capability": "image_generation",
        "endpoint": "v1/images",
        "unit_price": "0.25",
        "billing_unit": "image",
        "options": {"ratios": ["1:1"], "style": "warm"},
        "status": "active",
        "is_default": False,
    }


@pytest.mark.parametrize(
    ("capability", "unit"),
    [
        ("script", "1k_tokens"),
        ("image_edit", "image"),
        ("video_generation", "second"),
        ("speech", "1k_characters"),
        ("export", "task"),
    ],
)
def test_the_billing_unit_follows_the_capability(admin: Any, capability: str, unit: str) -> None:
    add_provider(admin)
    assert add_model(admin, capability=capability)["billing_unit"] == unit


def test_a_model_takes_its_provider_by_id_as_well(admin: Any) -> None:
    provider = add_provider(admin)
    assert add_model(admin, provider=provider["id"].upper())["provider"] == provider["id"]


@pytest.mark.parametrize("price", ["0.1234567", -1, True, "NaN", "1e3", 10**12, [], None])
def test_a_bad_price_is_named(admin: Any, price: Any) -> None:
    add_provider(admin)
    body = {"provider": "acme", "name": "n", "display_name": "N", "capability": "speech", "unit_price": price}
    assert list(admin.post_json(MODELS, body, status=400).json) == ["unit_price"]


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("provider", "nobody", "provider"),
        ("provider", str(uuid.UUID(int=0)), "provider"),
        ("provider", 5, "provider"),
        ("capability", "telepathy", "capability"),
        ("billing_unit", "hour", "billing_unit"),
        ("options", [], "options"),
        ("options", {"resubmit_safe": "yes"}, "options.resubmit_safe"),
        ("options", {"tokens_per_second": 0}, "options.tokens_per_second"),
        ("options", {"ratios": "1:1"}, "options.ratios"),
        ("options", {"long": "x" * 70_000}, "options"),
    ],
)
def test_a_bad_model_field_is_named(admin: Any, field: str, value: Any, named: str) -> None:
    add_provider(admin)
    body = {"provider": "acme", "name": "n", "display_name": "N", "capability": "speech", field: value}
    assert list(admin.post_json(MODELS, body, status=400).json) == [named]


def test_a_second_model_of_provider_capability_and_name_is_a_conflict(admin: Any) -> None:
    add_provider(admin)
    add_model(admin)
    body = {"provider": "acme", "name": "one", "display_name": "2", "capability": "image_generation"}
    assert admin.post_json(MODELS, body, status=409).json["code"] == "conflict"


def test_one_name_can_have_two_capabilities(admin: Any) -> None:
    add_provider(admin)
    add_model(admin)
    assert add_model(admin, capability="image_edit")["name"] == "one"


def test_a_patched_model_answers_the_change(admin: Any) -> None:
    add_provider(admin)
    model = add_model(admin)
    change = {"unit_price": 1.5, "options": {"fallback": "two"}, "status": "inactive"}
    reply = admin.patch_json(f"{MODELS}{model['id']}/", change).json
    assert reply == model | change | {"unit_price": "1.5"}


def test_is_default_cannot_be_written_by_a_patch(admin: Any) -> None:
    add_provider(admin)
    model = add_model(admin)
    assert admin.patch_json(f"{MODELS}{model['id']}/", {"is_default": True}).json["is_default"] is False


def test_models_are_filtered_by_provider_and_capability(admin: Any) -> None:
    provider = add_provider(admin)
    add_provider(admin, "other")
    mine = add_model(admin)
    speech = add_model(admin, capability="speech")
    add_model(admin, provider="other")
    by_name = admin.get(f"{MODELS}?provider=acme").json
    by_both = admin.get(f"{MODELS}?provider={provider['id']}&capability=speech").json
    assert by_name == [speech, mine]
    assert by_both == [speech]


def test_an_unknown_capability_in_the_filter_is_refused(admin: Any) -> None:
    assert list(admin.get(f"{MODELS}?capability=telepathy", status=400).json) == ["capability"]


def test_set_default_clears_the_default_of_the_same_capability_only(admin: Any) -> None:
    add_provider(admin)
    first, second = add_model(admin), add_model(admin, name="two")
    speech = add_model(admin, capability="speech")
    for model in (first, speech, second):
        assert admin.post(f"{MODELS}{model['id']}/set-default/").json["is_default"] is True
    rows = admin.get(f"{MODELS}?provider=acme").json
    assert [row["id"] for row in rows if row["is_default"]] == [speech["id"], second["id"]]


def test_twenty_set_defaults_at_once_leave_one_default(admin: Any, wsgi: Any) -> None:
    add_provider(admin)
    models = [add_model(admin, name=f"m{number}") for number in range(20)]

    def set_default(model: dict[str, Any]) -> int:
        reply = TestApp(wsgi).post(
            f"{MODELS}{model['id']}/set-default/", headers={"Authorization": f"Token {admin.token}"}
        )
        return int(reply.status_int)

    with ThreadPoolExecutor(20) as pool:
        statuses = list(pool.map(set_default, models))
    rows = admin.get(f"{MODELS}?capability=image_generation").json
    assert statuses == [200] * 20
    assert sum(row["is_default"] for row in rows) == 1


def test_a_default_that_changes_its_capability_is_the_default_of_none(admin: Any) -> None:
    add_provider(admin)
    model = add_model(admin, capability="speech")
    admin.post(f"{MODELS}{model['id']}/set-default/")
    reply = admin.patch_json(f"{MODELS}{model['id']}/", {"capability": "export"}).json
    assert reply["is_default"] is False


def test_a_model_that_tasks_refer_to_cannot_be_deleted(admin: Any, owner: Any, database: Any) -> None:
    add_provider(admin)
    model = add_model(admin)
    with database() as session:
        session.add(
            AITask(
                team_id=owner.team_id,
                task_type="free_image",
                estimated_cost=Decimal(1),
                model_config_id=uuid.UUID(model["id"]),
                created_by=owner.user_id,
            )
        )
    assert admin.delete(f"{MODELS}{model['id']}/", status=409).json["code"] == "conflict"


def test_changes_are_in_the_audit_trail_before_and_after(admin: Any, database: Any) -> None:
    provider = add_provider(admin)
    admin.patch_json(f"{PROVIDERS}{provider['id']}/", {"display_name": "New"})
    with database() as session:
        rows = session.query(AuditRecord).order_by(AuditRecord.created_at).all()
    assert [row.action for row in rows] == ["provider.create", "provider.change"]
    assert (rows[1].before["display_name"], rows[1].after["display_name"]) == ("Acme", "New")


def test_what_changes_nothing_is_not_audited(admin: Any, database: Any) -> None:
    provider, model = add_provider(admin), add_model(admin)
    admin.patch_json(f"{PROVIDERS}{provider['id']}/", {"display_name": "Acme", "status": "active"})
    admin.patch_json(f"{MODELS}{model['id']}/", {"name": "one"})
    for _ in range(2):
        admin.post(f"{MODELS}{model['id']}/set-default/")
    with database() as session:
        actions = session.scalars(select(AuditRecord.action).order_by(AuditRecord.created_at)).all()
    assert actions == ["provider.create", "model.create", "model.set_default"]


def test_another_key_is_audited_without_it(admin: Any, database: Any) -> None:
    path = f"{PROVIDERS}{add_provider(admin)['id']}/"
    for key in (CANARY, key_of("another"), None):
        admin.patch_json(path, {"api_key": key})
    with database() as session:
        rows = session.query(AuditRecord).order_by(AuditRecord.created_at).all()[1:]
    assert [row.action for row in rows] == ["provider.set_key"] * 3
    assert [(row.before["has_api_key"], row.after["has_api_key"]) for row in rows] == [
        (False, True),
        (True, True),
        (True, False),
    ]


def test_the_api_key_is_nowhere_but_encrypted(
    admin: Any, registry: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    replies = [admin.post_json(PROVIDERS, {"name": "a", "display_name": "A", "api_key": CANARY}).text]
    path = f"{PROVIDERS}{admin.get(PROVIDERS).json[0]['id']}/"
    replies += [admin.patch_json(path, {"api_key": CANARY}).text, admin.get(PROVIDERS).text]
    replies.append(admin.patch_json(path, {"api_key": CANARY, "status": "none"}, status=400).text)
    replies.append(admin.post_json(PROVIDERS, {"name": "a", "api_key": CANARY}, status=400).text)
    captured = capfd.readouterr()
    assert CANARY not in "".join(replies)
    assert CANARY not in captured.out + captured.err
    assert traces_in_rows(engine_of(registry)) == []


@pytest.mark.parametrize("path", [PROVIDERS, MODELS])
def test_a_longer_list_takes_no_more_queries(admin: Any, registry: Any, path: str) -> None:
    add_provider(admin)
    add_model(admin)
    few = queries_of(registry, lambda: admin.get(path))
    for number in range(15):
        add_provider(admin, f"p{number}")
        add_model(admin, f"p{number}")
    assert queries_of(registry, lambda: admin.get(path)) == few


def queries_of(registry: Any, call: Any) -> int:
    """How many statements a call sends."""
    sent: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        sent.append(statement)

    event.listen(engine_of(registry), "before_cursor_execute", note)
    try:
        call()
    finally:
        event.remove(engine_of(registry), "before_cursor_execute", note)
    return len(sent)
