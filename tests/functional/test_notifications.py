"""The inbox: what lies in it, reading, putting away, and whose it is."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from pyramid.registry import Registry

from contentsvc.db.session import sessions_of
from contentsvc.notifications.models import NotificationType
from contentsvc.notifications.services import notify
from contentsvc.plugin import hookimpl
from contentsvc.providers.plugins import Plugin, plugins_of
from tests.functional.conftest import Client, MakeClient
from tests.functional.queries import count_queries
from tests.functional.telling import INBOX, inbox, notice, tell, titles

Database = Callable[..., Any]


def _ids(client: Client) -> list[str]:
    return [item["id"] for item in inbox(client)["results"]]


def test_a_notification_has_the_fields_of_the_contract(registry: Registry, owner: Client) -> None:
    task = uuid.uuid4()
    tell(registry, [owner], notice("Ready", "Have a look.", NotificationType.ASSET, task=task, project=None))
    [told] = inbox(owner)["results"]
    assert told.pop("id")
    assert told.pop("created_at").endswith("Z")
    assert told == {
        "type": "asset",
        "title": "Ready",
        "body": "Have a look.",
        "is_read": False,
        "read_at": None,
        "is_archived": False,
        "metadata": {
            "task": str(task),
            "timeline": [{"step": "happened", "label": "It happened", "at": "2026-03-01T12:00:00Z"}],
        },
    }


def test_an_empty_inbox_counts_nothing(owner: Client) -> None:
    assert inbox(owner) == {
        "count": 0,
        "page": 1,
        "page_size": 10,
        "next": None,
        "previous": None,
        "results": [],
        "unread_count": 0,
        "type_counts": {"project": 0, "asset": 0, "billing": 0, "system": 0},
    }


def test_the_newest_comes_first(registry: Registry, owner: Client) -> None:
    tell(registry, [owner], notice("first"), notice("second"))
    assert titles(owner) == ["second", "first"]


def test_it_is_filtered_by_type(registry: Registry, owner: Client) -> None:
    tell(registry, [owner], notice("a", kind=NotificationType.BILLING), notice("b"))
    assert titles(owner, type="billing") == ["a"]
    assert titles(owner, type="all") == ["b", "a"]


def test_an_unknown_type_is_refused(owner: Client) -> None:
    assert "type" in owner.get(INBOX, params={"type": "gossip"}, status=400).json


def test_unread_leaves_out_what_is_read(registry: Registry, owner: Client) -> None:
    tell(registry, [owner], notice("old"))
    owner.post(f"{INBOX}mark-all-read/")
    tell(registry, [owner], notice("new"))
    assert titles(owner, unread=1) == ["new"]


@pytest.mark.parametrize("text", ["100%", "UP", "a_b"])
def test_a_search_takes_its_text_literally(registry: Registry, owner: Client, text: str) -> None:
    tell(registry, [owner], notice("100% up", "a_b"), notice("100 items", "axb"))
    assert titles(owner, search=text) == ["100% up"]


def test_the_counts_do_not_follow_filters_or_pages(registry: Registry, owner: Client) -> None:
    billing = NotificationType.BILLING
    tell(registry, [owner], notice("a", kind=billing), notice("b", kind=billing), notice("c"))
    found = inbox(owner, type="system", search="c", page=2, page_size=1)
    assert found["count"] == 1
    assert found["unread_count"] == 3
    assert found["type_counts"] == {"project": 0, "asset": 0, "billing": 2, "system": 1}


def test_marking_all_counts_what_was_unread(registry: Registry, owner: Client) -> None:
    tell(registry, [owner], notice("a"), notice("b"))
    assert owner.post(f"{INBOX}mark-all-read/").json == {"updated": 2, "unread_count": 0}
    assert owner.post(f"{INBOX}mark-all-read/").json == {"updated": 0, "unread_count": 0}


def test_marking_twice_answers_the_same(registry: Registry, owner: Client) -> None:
    tell(registry, [owner], notice())
    [path] = [f"{INBOX}{each}/mark-read/" for each in _ids(owner)]
    first = owner.post(path).json
    assert first["is_read"]
    assert first["read_at"].endswith("Z")
    assert owner.post(path).json == first


def test_archiving_takes_it_out_of_list_and_counts(registry: Registry, owner: Client) -> None:
    tell(registry, [owner], notice("kept"), notice("gone"))
    path = f"{INBOX}{_ids(owner)[0]}/archive/"
    assert owner.post(path, status=204).body == b""
    found = inbox(owner)
    assert [item["title"] for item in found["results"]] == ["kept"]
    assert (found["unread_count"], found["type_counts"]["system"]) == (1, 1)
    owner.post(path, status=204)


def test_marking_all_leaves_archived_ones_alone(registry: Registry, owner: Client) -> None:
    tell(registry, [owner], notice())
    owner.post(f"{INBOX}{_ids(owner)[0]}/archive/")
    assert owner.post(f"{INBOX}mark-all-read/").json["updated"] == 0


@pytest.mark.parametrize("action", ["mark-read", "archive"])
def test_a_colleagues_notification_does_not_exist(
    registry: Registry, owner: Client, make_client: MakeClient, action: str
) -> None:
    colleague = make_client("admin", team_id=owner.team_id)
    tell(registry, [owner], notice())
    colleague.post(f"{INBOX}{_ids(owner)[0]}/{action}/", status=404)
    assert inbox(colleague)["type_counts"]["system"] == 0
    assert inbox(owner)["unread_count"] == 1


def test_a_viewer_keeps_his_own_inbox(registry: Registry, owner: Client, make_client: MakeClient) -> None:
    viewer = make_client("viewer", team_id=owner.team_id)
    tell(registry, [viewer], notice())
    [own] = _ids(viewer)
    viewer.post(f"{INBOX}{own}/mark-read/")
    viewer.post(f"{INBOX}{own}/archive/", status=204)
    assert _ids(viewer) == []


def test_an_administrator_without_a_team_has_an_inbox(registry: Registry, admin: Client) -> None:
    tell(registry, [admin], notice("hello"))
    assert titles(admin) == ["hello"]
    admin.post(f"{INBOX}{_ids(admin)[0]}/mark-read/")
    assert inbox(admin)["unread_count"] == 0


def test_nobody_reads_it_without_a_token(api: Any) -> None:
    api.get(INBOX, status=401)


def test_a_list_asks_the_database_the_same_however_long(registry: Registry, owner: Client) -> None:
    tell(registry, [owner], notice())
    with count_queries(registry) as few:
        inbox(owner)
    tell(registry, [owner], *[notice()] * 30)
    with count_queries(registry) as many:
        inbox(owner, page_size=30)
    assert len(many) == len(few) <= 4


def test_many_are_told_in_one_statement(registry: Registry, make_client: MakeClient) -> None:
    people = [make_client(platform=True) for _ in range(5)]
    with count_queries(registry) as asked:
        tell(registry, [*people, people[0]], notice())
    assert len(asked) == 1
    assert [inbox(person)["count"] for person in people] == [1] * 5


class _Listener:
    """A plugin that hears notifications, and may choke on them."""

    def __init__(self, *, fails: bool = False) -> None:
        self.heard: list[Mapping[str, Any]] = []
        self._fails = fails

    @hookimpl
    def contentsvc_notification(self, notification: Mapping[str, Any]) -> None:
        self.heard.append(notification)
        if self._fails:
            raise RuntimeError("deaf")


@pytest.fixture
def listen(registry: Registry) -> Any:
    plugins = plugins_of(registry)
    named = Plugin("listener", "listener", "1")

    def start(listener: _Listener) -> _Listener:
        plugins.manager.register(listener, name=named.name)
        plugins.loaded.append(named)
        return listener

    yield start
    plugins.manager.unregister(name=named.name)
    plugins.loaded.remove(named)


def test_a_plugin_hears_it_in_the_shape_of_the_api(registry: Registry, owner: Client, listen: Any) -> None:
    listener = listen(_Listener())
    tell(registry, [owner], notice("Ready"))
    [heard] = listener.heard
    assert heard == {**inbox(owner)["results"][0], "recipient": str(owner.user_id)}


def test_a_plugin_hears_nothing_of_what_was_rolled_back(
    registry: Registry, owner: Client, listen: Any
) -> None:
    listener = listen(_Listener())
    with sessions_of(registry)() as session:
        notify(session, registry, [owner.user_id], notice())
        session.rollback()
    assert listener.heard == []


def test_a_deaf_plugin_costs_nobody_the_notification(registry: Registry, owner: Client, listen: Any) -> None:
    listener = listen(_Listener(fails=True))
    tell(registry, [owner], notice("Ready"))
    assert len(listener.heard) == 1
    assert titles(owner) == ["Ready"]
