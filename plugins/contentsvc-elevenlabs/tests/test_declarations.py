"""What the distribution declares."""

from __future__ import annotations

from importlib import metadata

from contentsvc.testing import Declared
from contentsvc_elevenlabs import plugin


def test_entry_point_leads_to_the_plugin() -> None:
    entries = metadata.entry_points(group="contentsvc.plugins")
    [entry] = [found for found in entries if found.name == "elevenlabs"]
    assert entry.load() is plugin


def test_models_are_no_defaults_and_not_repeated() -> None:
    declared = Declared.of(plugin)
    assert [driver.needs_secret for driver in declared.drivers.values()] == [True]
    assert not any(model.is_default or "resubmit_safe" in model.options for model in declared.models)
