"""The service starts and works beside plugins that are broken in every way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from webtest import TestApp

from contentsvc import configure
from contentsvc.db.session import engine_of
from contentsvc.plugin import SettledTask
from contentsvc.providers.plugins import describe, notify_settled, plugins_of
from contentsvc.settings import SettingsError

SETTLED = SettledTask("t", "team", "free_image", "succeeded", "acme", "one", Decimal(1), Decimal(1))

RAISING = """
    from contentsvc.plugin import hookimpl

    @hookimpl
    def contentsvc_register_providers(register):
        raise RuntimeError("no licence")
"""
MISSPELLED = """
    from contentsvc.plugin import hookimpl

    @hookimpl
    def contentsvc_register_provider(register): ...
"""
UNIMPORTABLE = "import a_module_that_is_nowhere"


@pytest.fixture
def start(app_settings: dict[str, Any]) -> Iterator[Callable[..., Any]]:
    """``start(**settings)``: the configured application, its connections closed at the end."""
    started = []

    def configured(**settings: Any) -> Any:
        config = configure(None, **app_settings | settings)
        started.append(config)
        return config

    yield configured
    for config in started:
        engine_of(config.registry).dispose()


@pytest.mark.parametrize(
    ("source", "stage", "words"),
    [
        (UNIMPORTABLE, "import", "a_module_that_is_nowhere"),
        (RAISING, "contentsvc_register_providers", "no licence"),
        (MISSPELLED, "register", "contentsvc_register_provider;"),
    ],
    ids=["cannot be imported", "hook raises", "hook misspelled"],
)
def test_the_service_starts_says_which_and_works(
    start: Any, install_plugin: Any, source: str, stage: str, words: str
) -> None:
    install_plugin("demo_broken", source)
    config = start()
    problems = [problem for problem in plugins_of(config.registry).problems if "demo" in problem.plugin.name]
    assert [(problem.plugin.name, problem.stage) for problem in problems] == [("demo_broken", stage)]
    assert words in problems[0].message
    assert TestApp(config.make_wsgi_app()).get("/api/health/").status_int == 200


def test_all_three_at_once_are_described_with_what_works(start: Any, install_plugin: Any) -> None:
    install_plugin("demo_broken", UNIMPORTABLE)
    install_plugin("demo_raising", RAISING)
    install_plugin("demo_typo", MISSPELLED)
    listed = {item.name: item for item in describe(start().registry)}
    assert [len(listed[name].problems) for name in ("demo_broken", "demo_raising", "demo_typo")] == [1, 1, 1]
    assert listed["demo_raising"].version == "2.5"
    assert listed["demo_raising"].hooks == ("contentsvc_register_providers",)


def test_a_problem_is_logged(start: Any, install_plugin: Any, caplog: pytest.LogCaptureFixture) -> None:
    install_plugin("demo_broken", UNIMPORTABLE)
    start()
    assert "demo_broken" in caplog.text


def test_a_disabled_plugin_is_described_as_such(start: Any, install_plugin: Any) -> None:
    install_plugin("demo_off", UNIMPORTABLE)
    config = start(**{"plugins.disabled": "demo_off"})
    listed = {item.name: item for item in describe(config.registry)}
    assert listed["demo_off"].disabled == ("demo_off",)


def test_an_unknown_plugin_setting_stops_the_start(start: Any) -> None:
    with pytest.raises(SettingsError, match=r"plugins\.nobody\.colour"):
        start(**{"plugins.nobody.colour": "red"})


def test_a_plugin_can_add_a_view(start: Any, install_plugin: Any) -> None:
    install_plugin("demo_view", VIEW.format(before="", after=""))
    app = TestApp(start().make_wsgi_app())
    assert app.get("/demo/").text == "from the plugin"


def test_a_failing_extension_leaves_no_half_of_itself(start: Any, install_plugin: Any) -> None:
    install_plugin("demo_view", VIEW.format(before="", after="raise RuntimeError('after the view')"))
    config = start()
    assert [problem.stage for problem in plugins_of(config.registry).problems] == ["contentsvc_includeme"]
    TestApp(config.make_wsgi_app()).get("/demo/", status=404)


def test_an_extension_whose_views_conflict_is_left_out(start: Any, install_plugin: Any) -> None:
    twice = "config.include(other); config.include(another)"
    install_plugin(
        "demo_view",
        VIEW.format(before="", after=twice)
        + """
    def other(config):
        config.add_route("demo-conflict", "/a/")

    def another(config):
        config.add_route("demo-conflict", "/b/")
""",
    )
    config = start()
    assert [problem.stage for problem in plugins_of(config.registry).problems] == ["contentsvc_includeme"]
    assert TestApp(config.make_wsgi_app()).get("/api/health/").status_int == 200


VIEW = """
    from pyramid.response import Response
    from contentsvc.plugin import hookimpl

    def hello(request):
        return Response("from the plugin")

    @hookimpl
    def contentsvc_includeme(config):
        {before}
        config.add_route("demo", "/demo/")
        config.add_view(hello, route_name="demo", permission="public")
        {after}
"""


def test_observers_hear_of_settled_tasks_though_one_raises(start: Any, install_plugin: Any) -> None:
    observer = """
    from contentsvc.plugin import hookimpl

    heard = []

    @hookimpl
    def contentsvc_task_settled(task):
        heard.append(task.id)
        {action}
    """
    install_plugin("demo_deaf", observer.format(action="raise ValueError('no')"))
    install_plugin("demo_listens", observer.format(action="pass"))
    registry = start().registry
    notify_settled(registry, SETTLED)
    import demo_listens  # type: ignore[import-not-found]

    assert demo_listens.heard == ["t"]


def test_a_plugins_storage_backend_can_be_chosen(start: Any, install_plugin: Any) -> None:
    install_plugin(
        "demo_store",
        """
    from contentsvc.plugin import hookimpl

    @hookimpl
    def contentsvc_register_storage(register):
        register("vault", lambda options: ("vault", dict(options)))
    """,
    )
    from contentsvc.storage.backends import storage_of

    config = start(**{"storage.backend": "vault", "storage.options": '{"room": 4}'})
    assert storage_of(config.registry) == ("vault", {"room": 4})
