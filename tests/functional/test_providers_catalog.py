"""What teams can order, as administrators and plugins set it up."""

from __future__ import annotations

import uuid
from decimal import Decimal
from typing import Any

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import delete, event, select
from sqlalchemy.orm import Session

from contentsvc.db.session import engine_of
from contentsvc.http.errors import ApiError, FieldErrors
from contentsvc.plugin import BillingUnit, Capability, Driver, Model
from contentsvc.providers.catalog import Catalog
from contentsvc.providers.models import ConfigStatus, ModelConfig, Provider
from contentsvc.providers.plugins import Plugin, Plugins, plugins_of
from contentsvc.providers.plugins import install as install_plugins
from contentsvc.providers.sync import renew_api_keys, sync
from contentsvc.security.secrets import SecretBox
from tests.canary import key_of

IMAGE, EDIT, SPEECH = Capability.IMAGE_GENERATION, Capability.IMAGE_EDIT, Capability.SPEECH
SOURCE = Plugin("acme", "contentsvc-acme", "1.0")
KEY = key_of("acme")


class Backend:
    """Never called here."""


def driver(name: str = "acme", *, needs_secret: bool = False, **fields: Any) -> Driver:
    backends = {IMAGE: Backend, EDIT: Backend, SPEECH: Backend}
    return Driver(name, name.title(), backends, needs_secret=needs_secret, **fields)


def model(name: str = "one", capability: Capability = IMAGE, provider: str = "acme", **fields: Any) -> Model:
    values = {"unit_price": Decimal("0.2"), "billing_unit": BillingUnit.IMAGE, **fields}
    return Model(provider, name, name.title(), capability, **values)


def plugins_with(drivers: list[Driver], models: list[Model]) -> Plugins:
    plugins = Plugins()
    plugins.declared.drivers = {item.name: (SOURCE, item) for item in drivers}
    plugins.declared.models = {(item.provider, item.capability, item.name): (SOURCE, item) for item in models}
    return plugins


@pytest.fixture
def declare(registry: Any, database: Any) -> Any:
    """``declare(drivers, models)``: the application's plugins declare just these; they are synced."""
    before = plugins_of(registry)
    with database() as session:
        # What the plugins of the environment have declared.
        session.execute(delete(ModelConfig))
        session.execute(delete(Provider))

    def declare(drivers: list[Driver], models: list[Model]) -> Catalog:
        plugins = plugins_with(drivers, models)
        install_plugins(registry, plugins)
        with database() as session:
            sync(session, registry)
        return Catalog(plugins)

    yield declare
    install_plugins(registry, before)


def row(session: Session, name: str = "one", capability: Capability = IMAGE) -> ModelConfig:
    return session.scalars(
        select(ModelConfig)
        .join(Provider, Provider.id == ModelConfig.provider_id)
        .where(ModelConfig.name == name, ModelConfig.capability == capability, Provider.driver == "acme")
    ).one()


def provider_row(session: Session, name: str = "acme") -> Provider:
    return session.scalars(select(Provider).where(Provider.name == name)).one()


def test_sync_writes_declared_models(declare: Any, database: Any) -> None:
    declare([driver()], [model(endpoint="v1", options={"resubmit_safe": True})])
    with database() as session:
        found = row(session)
        assert (found.unit_price, found.billing_unit, found.endpoint, found.options) == (
            Decimal("0.2"),
            "image",
            "v1",
            {"resubmit_safe": True},
        )


def test_sync_twice_makes_one_row(declare: Any, database: Any) -> None:
    for _ in range(2):
        declare([driver()], [model()])
    with database() as session:
        assert row(session).name == "one"


def test_sync_refreshes_fields_nobody_has_edited(declare: Any, database: Any) -> None:
    declare([driver()], [model()])
    declare([driver()], [model(unit_price=Decimal("0.3"))])
    with database() as session:
        assert row(session).unit_price == Decimal("0.3")


def test_sync_keeps_what_the_administrator_has_edited(declare: Any, database: Any, admin: Any) -> None:
    declare([driver()], [model()])
    with database() as session:
        path = f"/api/admin/models/{row(session).id}/"
    admin.patch_json(path, {"unit_price": "9"})
    declare([driver()], [model(unit_price=Decimal("0.3"), endpoint="v2")])
    with database() as session:
        assert (row(session).unit_price, row(session).endpoint) == (Decimal(9), "v2")


def test_a_patch_to_the_value_it_has_counts_as_no_edit(declare: Any, database: Any, admin: Any) -> None:
    declare([driver()], [model()])
    with database() as session:
        path = f"/api/admin/models/{row(session).id}/"
    admin.patch_json(path, {"unit_price": "0.20"})
    declare([driver()], [model(unit_price=Decimal("0.3"))])
    with database() as session:
        assert row(session).unit_price == Decimal("0.3")


def test_sync_does_not_bring_a_renamed_model_back_under_its_old_name(
    declare: Any, database: Any, admin: Any
) -> None:
    declare([driver()], [model()])
    with database() as session:
        path = f"/api/admin/models/{row(session).id}/"
    admin.patch_json(path, {"name": "mine"})
    declare([driver()], [model()])
    names = [item["name"] for item in admin.get("/api/admin/models/?provider=acme").json]
    assert names == ["mine"]


def test_sync_does_not_bring_a_deleted_model_back(declare: Any, database: Any, admin: Any) -> None:
    declare([driver()], [model()])
    with database() as session:
        path = f"/api/admin/models/{row(session).id}/"
    admin.delete(path, status=204)
    declare([driver()], [model()])
    assert admin.get("/api/admin/models/?provider=acme").json == []


def test_sync_does_not_bring_a_deleted_provider_back(declare: Any, database: Any, admin: Any) -> None:
    declare([driver()], [])
    with database() as session:
        path = f"/api/admin/providers/{provider_row(session).id}/"
    admin.delete(path, status=204)
    declare([driver()], [model()])
    assert [item["name"] for item in admin.get("/api/admin/providers/").json if item["name"] == "acme"] == []


def test_sync_adopts_what_the_administrator_made_before_the_plugin_came(declare: Any, admin: Any) -> None:
    body = {"name": "acme", "display_name": "By hand", "base_url": "https://acme.test"}
    made = admin.post_json("/api/admin/providers/", body).json
    declare([driver(base_url="https://other.test")], [model()])
    assert made in admin.get("/api/admin/providers/").json


def test_rows_of_a_removed_plugin_stay_and_are_unavailable(declare: Any, database: Any) -> None:
    declare([driver()], [model()])
    catalog = declare([], [])
    with database() as session:
        assert catalog.available(row(session)) is False


def test_the_first_declared_default_is_taken(declare: Any, database: Any) -> None:
    catalog = declare([driver()], [model(), model("two", is_default=True), model("three", is_default=True)])
    with database() as session:
        assert catalog.default(session, IMAGE).name == "two"


def test_a_declared_default_does_not_replace_the_administrators(
    declare: Any, database: Any, admin: Any
) -> None:
    declare([driver()], [model(), model("two", is_default=True)])
    with database() as session:
        path = f"/api/admin/models/{row(session).id}/set-default/"
    admin.post(path)
    catalog = declare([driver()], [model(), model("two", is_default=True)])
    with database() as session:
        assert catalog.default(session, IMAGE).name == "one"


@pytest.mark.parametrize("status_of", ["model", "provider"])
def test_an_inactive_default_is_no_model(declare: Any, database: Any, status_of: str) -> None:
    catalog = declare([driver()], [model(is_default=True)])
    with database() as session:
        target = row(session) if status_of == "model" else provider_row(session)
        target.status = ConfigStatus.INACTIVE
    with database() as session, pytest.raises(ApiError) as caught:
        catalog.default(session, IMAGE)
    assert (caught.value.status, caught.value.code) == (503, "no_model")


def test_a_capability_nobody_backs_is_no_model(declare: Any, database: Any) -> None:
    catalog = declare([driver()], [model(is_default=True)])
    with database() as session, pytest.raises(ApiError) as caught:
        catalog.default(session, SPEECH)
    assert caught.value.code == "no_model"


def test_an_edit_is_seen_by_a_session_that_has_read_before(declare: Any, database: Any, admin: Any) -> None:
    catalog = declare([driver()], [model(is_default=True), model("two")])
    with database() as session:
        assert catalog.default(session, IMAGE).name == "one"
        admin.post(f"/api/admin/models/{row(session, 'two').id}/set-default/")
        assert catalog.default(session, IMAGE).name == "two"


@pytest.mark.parametrize(("references", "capability"), [(True, EDIT), (False, IMAGE)])
@pytest.mark.parametrize("named", [IMAGE, EDIT])
def test_a_named_model_serves_with_the_capability_the_order_needs(
    declare: Any, database: Any, references: bool, capability: Capability, named: Capability
) -> None:
    catalog = declare([driver()], [model(), model(capability=EDIT)])
    with database() as session:
        by_id = str(row(session, capability=named).id)
        found = catalog.choose_image_model(session, by_id, with_references=references)
        assert (found.name, found.capability) == ("one", capability)


def test_a_model_is_found_by_its_name(declare: Any, database: Any) -> None:
    catalog = declare([driver()], [model(is_default=True), model("two")])
    with database() as session:
        assert catalog.choose_image_model(session, "two", with_references=False).name == "two"


def test_no_name_takes_the_default(declare: Any, database: Any) -> None:
    catalog = declare([driver()], [model(), model("two", EDIT, is_default=True)])
    with database() as session:
        assert catalog.choose_image_model(session, None, with_references=True).name == "two"


def test_a_name_two_providers_have_prefers_the_default(declare: Any, database: Any) -> None:
    catalog = declare([driver(), driver("zeta")], [model(), model(provider="zeta", is_default=True)])
    with database() as session:
        found = catalog.choose_image_model(session, "one", with_references=False)
        assert found.provider.name == "zeta"


def test_a_name_two_providers_have_prefers_one_that_is_installed(declare: Any, database: Any) -> None:
    declare([driver(), driver("zeta")], [model(), model(provider="zeta")])
    catalog = declare([driver("zeta")], [model(provider="zeta")])
    with database() as session:
        found = catalog.choose_image_model(session, "one", with_references=False)
        assert found.provider.name == "zeta"


@pytest.mark.parametrize("name", ["nobody", "", str(uuid.UUID(int=0)), "speaker"])
def test_a_bad_image_model_is_refused_on_its_field(declare: Any, database: Any, name: str) -> None:
    catalog = declare([driver()], [model(is_default=True), model("speaker", SPEECH)])
    with database() as session, pytest.raises(FieldErrors) as caught:
        catalog.choose_image_model(session, name, with_references=False)
    assert list(caught.value.errors) == ["image_model"]


def test_an_inactive_image_model_is_refused_on_its_field(declare: Any, database: Any) -> None:
    catalog = declare([driver()], [model()])
    with database() as session:
        row(session).status = ConfigStatus.INACTIVE
    with database() as session, pytest.raises(FieldErrors):
        catalog.choose_image_model(session, "one", with_references=False)


def test_a_model_without_the_edit_side_is_refused_with_references(declare: Any, database: Any) -> None:
    catalog = declare([driver()], [model(), model("two", EDIT, is_default=True)])
    with database() as session, pytest.raises(FieldErrors) as caught:
        catalog.choose_image_model(session, "one", with_references=True)
    assert list(caught.value.errors) == ["image_model"]


def test_a_named_model_whose_driver_is_gone_is_no_model(declare: Any, database: Any) -> None:
    declare([driver()], [model()])
    catalog = declare([], [])
    with database() as session, pytest.raises(ApiError) as caught:
        catalog.choose_image_model(session, "one", with_references=False)
    assert (caught.value.status, caught.value.code) == (503, "no_model")


def test_without_the_key_it_needs_a_model_is_no_model_and_is_not_listed(
    declare: Any, database: Any, owner: Any, admin: Any
) -> None:
    catalog = declare([driver(needs_secret=True)], [model(is_default=True)])
    with database() as session, pytest.raises(ApiError, match="No model is set up"):
        catalog.default(session, IMAGE)
    with database() as session, pytest.raises(ApiError, match="No API key is set") as caught:
        catalog.choose_image_model(session, "one", with_references=False)
    assert caught.value.code == "no_model"
    assert owner.get("/api/ai/models/").json["count"] == 0
    with database() as session:
        provider_id = session.scalars(select(Provider.id)).one()
    admin.patch_json(f"/api/admin/providers/{provider_id}/", {"api_key": KEY})
    with database() as session:
        assert catalog.default(session, IMAGE).name == "one"
    assert [row["status"] for row in owner.get("/api/ai/models/").json["results"]] == ["active"]


def test_a_fallback_without_the_key_it_needs_is_none(declare: Any, database: Any) -> None:
    other = model("two", provider="keyed")
    catalog = declare(
        [driver(), driver("keyed", needs_secret=True)], [model(options={"fallback": "two"}), other]
    )
    with database() as session:
        first = catalog.choose_image_model(session, "one", with_references=False)
        assert catalog.fallback_of(session, first) is None


def test_the_fallback_takes_over_the_same_kind_of_order(declare: Any, database: Any) -> None:
    catalog = declare([driver()], [model(options={"fallback": "two"}), model("two"), model("two", EDIT)])
    with database() as session:
        found = catalog.fallback_of(session, row(session))
        assert found is not None
        assert (found.name, found.capability) == ("two", IMAGE)


@pytest.mark.parametrize(
    "other",
    [
        model("two", EDIT),
        model("two", billing_unit=BillingUnit.TASK),
        model("three"),
    ],
    ids=["other capability", "other unit", "other name"],
)
def test_a_fallback_that_does_not_fit_is_none(declare: Any, database: Any, other: Model) -> None:
    catalog = declare([driver()], [model(options={"fallback": "two"}), other])
    with database() as session:
        assert catalog.fallback_of(session, row(session)) is None


def test_an_inactive_fallback_is_none(declare: Any, database: Any) -> None:
    catalog = declare([driver()], [model(options={"fallback": "two"}), model("two")])
    with database() as session:
        row(session, "two").status = ConfigStatus.INACTIVE
    with database() as session:
        assert catalog.fallback_of(session, row(session)) is None


def test_a_team_sees_models_in_pages(declare: Any, owner: Any) -> None:
    declare([driver()], [model(), model("two"), model("talker", SPEECH)])
    reply = owner.get("/api/ai/models/?capability=speech&page_size=5").json
    assert (reply["count"], reply["page_size"]) == (1, 5)
    assert (reply["results"][0]["name"], reply["results"][0]["provider_name"]) == ("talker", "acme")


def test_a_team_sees_an_administrators_change_at_once(declare: Any, owner: Any, admin: Any) -> None:
    declare([driver()], [])
    body = {"provider": "acme", "name": "live", "display_name": "Live", "capability": "speech"}
    made = admin.post_json("/api/admin/models/", body).json
    assert made in owner.get("/api/ai/models/?page_size=200").json["results"]
    admin.patch_json(f"/api/admin/models/{made['id']}/", {"status": "inactive"})
    assert made["id"] not in {
        item["id"] for item in owner.get("/api/ai/models/?page_size=200").json["results"]
    }


def test_a_team_does_not_see_models_of_an_inactive_provider(
    declare: Any, owner: Any, admin: Any, database: Any
) -> None:
    declare([driver()], [model()])
    with database() as session:
        path = f"/api/admin/providers/{provider_row(session).id}/"
    admin.patch_json(path, {"status": "inactive"})
    names = {item["provider_name"] for item in owner.get("/api/ai/models/").json["results"]}
    assert "acme" not in names


def test_an_unknown_capability_is_refused(owner: Any) -> None:
    assert list(owner.get("/api/ai/models/?capability=telepathy", status=400).json) == ["capability"]


def test_who_has_no_team_cannot_list_models(admin: Any, api: Any) -> None:
    admin.get("/api/ai/models/", status=403)
    api.get("/api/ai/models/", status=401)


def test_two_hundred_models_take_as_many_queries_as_one(declare: Any, owner: Any, registry: Any) -> None:
    declare([driver()], [model()])
    few = statements_of(registry, lambda: owner.get("/api/ai/models/?page_size=200"))
    declare([driver()], [model(f"m{number}") for number in range(200)])
    many = statements_of(registry, lambda: owner.get("/api/ai/models/?page_size=200"))
    assert many == few


def statements_of(registry: Any, call: Any) -> int:
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


def test_stored_keys_move_to_the_newest_key_of_the_ini(
    declare: Any, registry: Any, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    declare([driver()], [])
    with database() as session:
        provider_row(session).api_key_encrypted = SecretBox([old]).encrypt(KEY)
    monkeypatch.setitem(registry, "contentsvc.secret_box", SecretBox([new, old]))
    with database() as session:
        assert renew_api_keys(session, registry) == 1
    with database() as session:
        secret = provider_row(session).api_key_encrypted
        assert secret is not None
        assert SecretBox([new]).decrypt(secret) == KEY


def test_a_key_that_cannot_be_read_is_left_alone(declare: Any, registry: Any, database: Any) -> None:
    declare([driver()], [])
    with database() as session:
        provider_row(session).api_key_encrypted = b"of a lost key"
    with database() as session:
        assert renew_api_keys(session, registry) == 0
    with database() as session:
        assert provider_row(session).api_key_encrypted == b"of a lost key"
