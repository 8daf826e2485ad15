"""Plugins from installed distributions, the broken ones too."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

import pytest

from contentsvc.plugin import Capability
from contentsvc.providers.loading import load
from contentsvc.providers.plugins import GROUP, Plugins
from contentsvc.settings import PluginSettings, SettingsError

Install = Callable[..., None]

DRIVER = """
    from decimal import Decimal
    from contentsvc.plugin import BillingUnit, Capability, Driver, Model, PluginSetting, hookimpl

    class Backend:
        def start(self, request, ctx): ...
        def poll(self, job_id, ctx): ...

    @hookimpl
    def contentsvc_register_providers(register):
        register(Driver("{driver}", "Label", {{Capability.IMAGE_GENERATION: Backend}},
                        settings=(PluginSetting("quality", "80", "JPEG quality"),)))

    @hookimpl
    def contentsvc_register_models(register):
        register(
            Model("{driver}", "one", "One", Capability.IMAGE_GENERATION, Decimal("0.2"), BillingUnit.IMAGE)
        )
"""


def loaded(disabled: tuple[str, ...] = (), **options: str) -> Plugins:
    """The test's own plugins; whatever else is installed in the environment stays out."""
    found = [entry for entry in entry_points(group=GROUP) if entry.name.startswith("demo")]
    return load(PluginSettings(disabled=disabled, options=options), found)


def stages(plugins: Plugins) -> list[tuple[str, str]]:
    return [(problem.plugin.name, problem.stage) for problem in plugins.problems]


def test_a_sound_plugin_brings_its_driver_and_models(install_plugin: Install) -> None:
    install_plugin("demo_sound", DRIVER.format(driver="sound"))
    plugins = loaded()
    assert list(plugins.drivers) == ["sound"]
    assert [(model.provider, model.name) for model in plugins.models] == [("sound", "one")]
    assert plugins.problems == []


def test_a_plugin_that_cannot_be_imported_is_named_and_the_rest_works(install_plugin: Install) -> None:
    install_plugin("demo_a_broken", "import a_module_that_is_nowhere")
    install_plugin("demo_sound", DRIVER.format(driver="sound"))
    plugins = loaded()
    assert stages(plugins) == [("demo_a_broken", "import")]
    assert "a_module_that_is_nowhere" in plugins.problems[0].message
    assert list(plugins.drivers) == ["sound"]


def test_a_plugin_that_ends_the_process_at_import_is_only_recorded(install_plugin: Install) -> None:
    install_plugin("demo_quitter", "raise SystemExit('bye')")
    assert stages(loaded()) == [("demo_quitter", "import")]


def test_an_entry_point_to_a_missing_object_is_an_import_problem(install_plugin: Install) -> None:
    install_plugin("demo_empty", "", "demo_empty = demo_empty:plugin")
    assert stages(loaded()) == [("demo_empty", "import")]


def test_a_problem_names_distribution_and_version(install_plugin: Install) -> None:
    install_plugin("demo_broken", "1 / 0")
    plugin = loaded().problems[0].plugin
    assert (plugin.distribution, plugin.version) == ("demo_broken", "2.5")


def test_a_hook_that_raises_is_named_and_the_others_are_called(install_plugin: Install) -> None:
    install_plugin(
        "demo_a_raises",
        """
        from contentsvc.plugin import hookimpl

        @hookimpl
        def contentsvc_register_providers(register):
            raise RuntimeError("no licence")
        """,
    )
    install_plugin("demo_sound", DRIVER.format(driver="sound"))
    plugins = loaded()
    assert stages(plugins) == [("demo_a_raises", "contentsvc_register_providers")]
    assert plugins.problems[0].message == "RuntimeError: no licence"
    assert list(plugins.drivers) == ["sound"]


def test_drivers_registered_before_the_hook_raised_are_left_out(install_plugin: Install) -> None:
    source = DRIVER.format(driver="half").replace(
        "settings=(PluginSetting", "settings=(), base_url=1 / 0) or (PluginSetting"
    )
    install_plugin("demo_half", source)
    plugins = loaded()
    assert plugins.drivers == {}
    assert plugins.models == []


def test_a_misspelled_hook_is_named_and_the_right_ones_work(install_plugin: Install) -> None:
    misspelled = """
    @hookimpl
    def contentsvc_register_modles(register): ...
"""
    install_plugin("demo_typo", DRIVER.format(driver="typo") + misspelled)
    plugins = loaded()
    assert [problem.message for problem in plugins.problems] == [
        "unknown hook contentsvc_register_modles; is it misspelled?"
    ]
    assert list(plugins.drivers) == ["typo"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("contentsvc_register_provider", "unknown hook contentsvc_register_provider; is it misspelled?"),
        ("contentsvc_register_providers", "contentsvc_register_providers is not marked with hookimpl"),
    ],
)
def test_an_unmarked_function_named_like_a_hook_is_a_problem(
    install_plugin: Install, name: str, message: str
) -> None:
    install_plugin("demo_unmarked", f"def {name}(register): ...")
    assert [problem.message for problem in loaded().problems] == [message]


def test_an_imported_module_named_like_a_hook_is_no_problem(install_plugin: Install) -> None:
    install_plugin("demo_import", "import contentsvc.plugin as contentsvc_plugin")
    assert loaded().problems == []


def test_default_values_of_hook_arguments_are_a_problem(install_plugin: Install) -> None:
    install_plugin(
        "demo_default",
        """
        from contentsvc.plugin import hookimpl

        @hookimpl
        def contentsvc_task_settled(task=None): ...
        """,
    )
    assert "default values" in loaded().problems[0].message


def test_a_hook_with_an_unknown_argument_is_refused(install_plugin: Install) -> None:
    install_plugin(
        "demo_argument",
        """
        from contentsvc.plugin import hookimpl

        @hookimpl
        def contentsvc_task_settled(job): ...
        """,
    )
    plugins = loaded()
    assert stages(plugins) == [("demo_argument", "register")]
    assert plugins.loaded == []


def test_an_unhashable_plugin_object_is_refused(install_plugin: Install) -> None:
    install_plugin("demo_unhashable", "plugin = {}", "demo_unhashable = demo_unhashable:plugin")
    assert stages(loaded()) == [("demo_unhashable", "register")]


def test_of_two_drivers_of_one_name_the_later_plugin_is_left_out(install_plugin: Install) -> None:
    install_plugin("demo_first", DRIVER.format(driver="same"))
    install_plugin("demo_second", DRIVER.format(driver="same"))
    plugins = loaded()
    assert plugins.declared.drivers["same"][0].name == "demo_first"
    assert stages(plugins) == [("demo_second", "contentsvc_register_providers")]
    assert "already registered by demo_first" in plugins.problems[0].message


def test_models_of_a_left_out_driver_are_not_given_to_its_namesake(install_plugin: Install) -> None:
    install_plugin("demo_first", DRIVER.format(driver="same"))
    install_plugin("demo_second", DRIVER.format(driver="same").replace('"one"', '"two"'))
    assert [model.name for model in loaded().models] == ["one"]


def test_two_plugins_under_one_entry_point_name_are_one_problem(install_plugin: Install) -> None:
    install_plugin("demo_first", DRIVER.format(driver="first"))
    install_plugin("demo_second", DRIVER.format(driver="second"), "demo_first = demo_second")
    plugins = loaded()
    assert stages(plugins) == [("demo_first", "register")]
    assert list(plugins.drivers) == ["first"]


def test_a_disabled_entry_point_is_not_imported(install_plugin: Install) -> None:
    install_plugin("demo_off", "1 / 0")
    plugins = loaded(disabled=("demo_off",))
    assert plugins.problems == []
    assert [plugin.name for plugin in plugins.disabled] == ["demo_off"]


def test_settings_of_a_driver_get_their_defaults(install_plugin: Install) -> None:
    install_plugin("demo_sound", DRIVER.format(driver="sound"))
    assert loaded().driver_settings("sound") == {"quality": "80"}


def test_the_ini_overrides_a_driver_setting(install_plugin: Install) -> None:
    install_plugin("demo_sound", DRIVER.format(driver="sound"))
    plugins = loaded(**{"sound.quality": "95"})
    assert plugins.driver_settings("sound")["quality"] == "95"


def test_all_unknown_plugin_settings_are_refused_at_once(install_plugin: Install) -> None:
    install_plugin("demo_sound", DRIVER.format(driver="sound"))
    with pytest.raises(SettingsError) as caught:
        loaded(**{"sound.colour": "red", "nowhere.key": "1"})
    assert caught.value.faults == [
        "plugins.sound.colour: the driver sound has no such setting",
        "plugins.nowhere.key: no installed plugin has a driver nowhere",
    ]


def test_settings_of_a_broken_plugin_do_not_stop_the_start(install_plugin: Install) -> None:
    install_plugin("demo_broken", "1 / 0")
    assert stages(loaded(**{"broken.key": "1"})) == [("demo_broken", "import")]


BAD_DECLARATIONS = {
    "a name with a dot": ('"sound"', '"so.und"'),
    "no capability": ("{Capability.IMAGE_GENERATION: Backend}", "{}"),
    "an instance as backend": (": Backend}", ": Backend()}"),
    "a repeated setting": (
        'settings=(PluginSetting("quality", "80", "JPEG quality"),)',
        'settings=(PluginSetting("a", "", ""), PluginSetting("a", "", ""))',
    ),
    "a model of an unbacked capability": ('"One", Capability.IMAGE_GENERATION', '"One", Capability.SPEECH'),
    "a float for a price": ('Decimal("0.2")', "0.2"),
    "a price that is no number": ('Decimal("0.2")', 'Decimal("NaN")'),
    "a negative price": ('Decimal("0.2")', 'Decimal("-1")'),
    "seven decimals": ('Decimal("0.2")', 'Decimal("0.0000001")'),
    "a model of nobody's driver": ('Model("sound"', 'Model("elsewhere"'),
    "options of the wrong type": (
        "BillingUnit.IMAGE)",
        'BillingUnit.IMAGE, options={"resubmit_safe": "yes"})',
    ),
    "options that are no JSON": ("BillingUnit.IMAGE)", 'BillingUnit.IMAGE, options={"x": object()})'),
}


@pytest.mark.parametrize("fault", BAD_DECLARATIONS)
def test_a_declaration_that_cannot_be_taken_is_one_problem(install_plugin: Install, fault: str) -> None:
    old, new = BAD_DECLARATIONS[fault]
    source = DRIVER.format(driver="sound")
    assert old in source
    install_plugin("demo_sound", source.replace(old, new))
    plugins = loaded()
    assert len(plugins.problems) == 1
    assert plugins.problems[0].message.startswith("DeclarationError: ")
    assert plugins.models == []


def test_a_payment_channel_is_taken(install_plugin: Install) -> None:
    install_plugin("demo_pay", CHANNEL.format(name="card"))
    assert list(loaded().channels) == ["card"]


@pytest.mark.parametrize("ways", ["", ", print, print", ", confirm=5", ", pay='pay'"])
def test_a_payment_channel_has_one_function(install_plugin: Install, ways: str) -> None:
    source = CHANNEL.format(name="card")
    install_plugin("demo_pay", source.replace(", lambda team, amount, bonus: bonus", ways))
    plugins = loaded()
    assert plugins.channels == {}
    assert "either confirm or pay" in plugins.problems[0].message


def test_a_plugin_cannot_take_the_manual_channel(install_plugin: Install) -> None:
    install_plugin("demo_pay", CHANNEL.format(name="manual"))
    plugins = loaded()
    assert plugins.channels == {}
    assert stages(plugins) == [("demo_pay", "contentsvc_register_payment_channels")]


def test_a_storage_backend_is_offered(install_plugin: Install) -> None:
    install_plugin("demo_store", STORAGE.format(name="vault"))
    assert loaded().storage["vault"]({}) == "a backend"


def test_a_plugin_cannot_replace_the_local_storage(install_plugin: Install) -> None:
    install_plugin("demo_store", STORAGE.format(name="local"))
    assert loaded().storage == {}


CHANNEL = """
    from contentsvc.plugin import PaymentChannel, hookimpl

    @hookimpl
    def contentsvc_register_payment_channels(register):
        register(PaymentChannel("{name}", lambda team, amount, bonus: bonus))
"""
STORAGE = """
    from contentsvc.plugin import hookimpl

    @hookimpl
    def contentsvc_register_storage(register):
        register("{name}", lambda options: "a backend")
"""


def test_an_observer_that_raises_does_not_stop_the_next(install_plugin: Install) -> None:
    observer = """
        from contentsvc.plugin import hookimpl

        seen = []

        @hookimpl
        def contentsvc_notification(notification):
            seen.append(notification["id"])
            {action}
    """
    install_plugin("demo_a_raises", observer.format(action='raise ValueError("no")'))
    install_plugin("demo_listens", observer.format(action="pass"))
    plugins = loaded()
    plugins.notify("contentsvc_notification", notification={"id": "n1"})
    import demo_listens  # type: ignore[import-not-found]

    assert demo_listens.seen == ["n1"]


def test_a_hook_that_fails_at_every_call_is_one_problem(install_plugin: Install) -> None:
    install_plugin(
        "demo_raises",
        """
        from contentsvc.plugin import hookimpl

        @hookimpl
        def contentsvc_task_settled(task):
            raise ValueError("always")
        """,
    )
    plugins = loaded()
    for _ in range(3):
        plugins.notify("contentsvc_task_settled", task=None)
    assert stages(plugins) == [("demo_raises", "contentsvc_task_settled")]


def test_the_backend_of_an_unbacked_capability_is_none(install_plugin: Install) -> None:
    install_plugin("demo_sound", DRIVER.format(driver="sound"))
    plugins = loaded()
    found: list[Any] = [plugins.backend_of("sound", name) for name in ("image_generation", "speech")]
    assert [getattr(item, "__name__", None) for item in found] == ["Backend", None]
    assert plugins.backend_of("elsewhere", Capability.SPEECH) is None
