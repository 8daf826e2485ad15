"""The settings of one's own team: read by all, changed by its owners."""

from __future__ import annotations

from typing import Any

import pytest
from pyramid.registry import Registry

from tests.functional.conftest import Client, MakeClient
from tests.functional.ledgers import Books
from tests.functional.teaming import ME, SETTINGS


def test_settings_have_exactly_the_contracts_members(owner: Client) -> None:
    team = owner.get(ME).json["team"]

    assert owner.get(SETTINGS, status=200).json == {
        "id": str(owner.team_id),
        "name": team["name"],
        "monthly_credit_limit": None,
        "monthly_used": "0.00",
        "price_multiplier": "1",
    }


@pytest.mark.parametrize(
    ("limit", "shown"), [(0, "0.00"), ("12.5", "12.50"), (None, None)], ids=["none", "a cap", "the default"]
)
def test_the_limit_has_three_states_that_stay(owner: Client, limit: Any, shown: str | None) -> None:
    owner.patch_json(SETTINGS, {"monthly_credit_limit": 7}, status=200)

    changed = owner.patch_json(SETTINGS, {"monthly_credit_limit": limit}, status=200).json

    assert changed["monthly_credit_limit"] == shown
    assert owner.get(SETTINGS).json == changed
    assert owner.get("/api/billing/summary/").json["monthly_credit_limit"] == shown


def test_what_is_left_out_stays(owner: Client) -> None:
    owner.patch_json(SETTINGS, {"monthly_credit_limit": 7})

    renamed = owner.patch_json(SETTINGS, {"name": " Cups ", "price_multiplier": "9"}).json

    assert (renamed["name"], renamed["monthly_credit_limit"]) == ("Cups", "7.00")
    assert renamed["price_multiplier"] == "1"


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"monthly_credit_limit": -1}, {"monthly_credit_limit"}),
        ({"monthly_credit_limit": "1.001"}, {"monthly_credit_limit"}),
        ({"name": " "}, {"name"}),
        ({"name": None}, {"name"}),
        ({"name": "x" * 256}, {"name"}),
    ],
)
def test_bad_settings_are_named(owner: Client, body: dict[str, Any], fields: set[str]) -> None:
    assert set(owner.patch_json(SETTINGS, body, status=400).json) == fields


def test_used_is_what_was_charged_this_month_and_what_is_held(
    registry: Registry, make_client: MakeClient
) -> None:
    books = Books(registry)
    books.spend("2.50")
    books.reserve_amount("1.25")

    viewer = make_client("viewer", team_id=books.team_id)
    assert viewer.get(SETTINGS).json["monthly_used"] == "3.75"


@pytest.mark.parametrize("role", ["admin", "member", "viewer"])
def test_all_read_and_only_owners_change(owner: Client, make_client: MakeClient, role: str) -> None:
    client = make_client(role, team_id=owner.team_id)

    assert client.get(SETTINGS, status=200).json == owner.get(SETTINGS).json
    assert client.patch(SETTINGS, "{broken", status=403).json["code"] == "permission_denied"


def test_an_administrator_without_a_team_has_no_settings(admin: Client) -> None:
    assert admin.get(SETTINGS, status=403).json["code"] == "permission_denied"
