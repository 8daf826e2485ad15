"""Preferences: defaults, what is merged into them, and how much of it."""

from __future__ import annotations

from typing import Any

import pytest
from webtest import TestApp

from tests.functional.conftest import Client, MakeClient
from tests.functional.teaming import at_once, with_token

PATH = "/api/auth/me/preferences/"
DEFAULTS = {
    "language": "en",
    "timezone": "UTC",
    "theme": "system",
    "notifications": {},
    "default_ratio": "1:1",
}


def put(client: Client, body: dict[str, Any], status: int = 200) -> Any:
    return client.put_json(PATH, body, status=status).json


@pytest.mark.parametrize("role", ["owner", "admin", "member", "viewer"])
def test_everybody_has_defaults_of_his_own(make_client: MakeClient, role: str) -> None:
    client = make_client(role)

    assert client.get(PATH, status=200).json == DEFAULTS
    assert put(client, {"theme": "dark"}) == {**DEFAULTS, "theme": "dark"}


def test_an_administrator_without_a_team_has_preferences(admin: Client) -> None:
    assert put(admin, {"language": "de"})["language"] == "de"


def test_what_was_set_stays_when_other_keys_are_set(owner: Client) -> None:
    put(owner, {"theme": "dark", "sidebar": {"open": True}})

    expected = {**DEFAULTS, "theme": "dark", "sidebar": {"open": True}, "language": "fr"}
    assert put(owner, {"language": "fr"}) == expected
    assert owner.get(PATH).json == expected


def test_an_object_is_replaced_as_a_whole(owner: Client) -> None:
    put(owner, {"notifications": {"billing": False, "asset": True}})

    assert put(owner, {"notifications": {"asset": False}})["notifications"] == {"asset": False}


def test_an_empty_body_changes_nothing(owner: Client) -> None:
    put(owner, {"theme": "dark"})

    assert owner.put(PATH, status=200).json == {**DEFAULTS, "theme": "dark"}


def test_null_takes_a_key_to_its_default_or_away(owner: Client) -> None:
    put(owner, {"theme": "dark", "notifications": {"x": 1}, "own": 1})

    assert put(owner, {"theme": None, "notifications": None, "own": None, "never": None}) == DEFAULTS


@pytest.mark.parametrize(
    "value", [True, 0, 1.5, "", [], [None, {"a": None}], {"a": {"b": None}}, 10**300, 5e-324, "größe ✓"]
)
def test_further_keys_are_kept_as_sent(owner: Client, value: Any) -> None:
    put(owner, {"own": value})

    assert owner.get(PATH).json == {**DEFAULTS, "own": value}


@pytest.mark.parametrize(
    "key", ["model_config", "model_extra", "__class__", "values", "of", "", "a.b", "ключ"]
)
def test_further_keys_may_have_any_name(owner: Client, key: str) -> None:
    put(owner, {key: "mine"})

    assert owner.get(PATH).json == {**DEFAULTS, key: "mine"}


@pytest.mark.parametrize(
    "body",
    [{"language": 5}, {"timezone": True}, {"theme": {}}, {"notifications": []}, {"default_ratio": 1.5}],
)
def test_known_keys_have_their_types(owner: Client, body: dict[str, Any]) -> None:
    assert put(owner, body, 400).keys() == body.keys()
    assert owner.get(PATH).json == DEFAULTS


def test_preferences_of_64_kib_are_the_most(owner: Client) -> None:
    used = len('{"language":"en","timezone":"UTC","theme":"system","notifications":{},"default_ratio":"1:1"}')
    room = 64 * 1024 - used - len(',"own":""')

    assert put(owner, {"own": "x" * room})["own"] == "x" * room
    assert put(owner, {"two": 1}, 400).keys() == {"non_field_errors"}
    put(owner, {"own": "x" * (room - 8), "two": 1})


def test_keys_set_at_the_same_moment_all_stay(owner: Client, wsgi: Any) -> None:
    def set_key(number: int) -> None:
        app = TestApp(wsgi)
        app.put_json(PATH, {f"key{number}": number}, headers=with_token(owner.token), status=200)

    at_once(*(lambda n=n: set_key(n) for n in range(6)))

    assert owner.get(PATH).json == {**DEFAULTS, **{f"key{number}": number for number in range(6)}}


def test_preferences_are_ones_own(owner: Client, make_client: MakeClient) -> None:
    put(owner, {"theme": "dark"})

    assert make_client("admin", team_id=owner.team_id).get(PATH).json == DEFAULTS
