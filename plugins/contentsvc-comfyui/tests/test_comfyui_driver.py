"""What the distribution declares, its example workflows, and its check."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from contentsvc.plugin import Driver, ProviderError
from contentsvc.testing import Reply, serving
from contentsvc_comfyui import ComfyuiPlugin, plugin
from contentsvc_comfyui.check import check
from contentsvc_comfyui.files import EXAMPLES, names_in, read_workflow

STATISTICS = Reply.json({"system": {"comfyui_version": "0.3.66", "os": "posix"}, "devices": []})


def checked(reply: Reply, folder: Path | str = "", address: str | None = None) -> str:
    with serving(lambda _: reply) as server, httpx.Client(trust_env=False) as client:
        settings = {"workflows": str(folder)}
        base_url = server.url if address is None else address
        context: Any = SimpleNamespace(base_url=base_url, secret=None, settings=settings, http=client)
        return check(context)


def test_the_entry_point_leads_to_the_plugin() -> None:
    entries = metadata.entry_points(group="contentsvc.plugins")
    [entry] = [entry for entry in entries if entry.name == "comfyui"]
    assert entry.load() is plugin


def test_the_driver_needs_no_key_and_has_no_models() -> None:
    drivers: list[Driver] = []
    ComfyuiPlugin().contentsvc_register_providers(register=drivers.append)
    [driver] = drivers
    assert (driver.name, driver.needs_secret, driver.base_url) == (
        "comfyui",
        False,
        "http://127.0.0.1:8188",
    )
    assert not hasattr(plugin, "contentsvc_register_models")


def test_every_example_can_be_read_and_says_what_it_loads() -> None:
    names = names_in(EXAMPLES)
    assert names == ["sdxl-image-to-image", "sdxl-text-to-image", "wan-image-to-video", "wan-text-to-video"]
    for name in names:
        file = read_workflow(EXAMPLES, name)
        links = [
            value[0]
            for node in file.workflow.values()
            for value in node.inputs.values()
            if type(value) is list
        ]
        assert set(links) <= set(file.workflow)
        assert file.output == "save"


def test_the_file_in_the_readme_can_be_read(tmp_path: Path) -> None:
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    (tmp_path / "shown.json").write_text(readme.split("```json")[1].split("```")[0])
    assert read_workflow(tmp_path, "shown").slots.references == ["10.image", "11.image"]


def test_the_check_names_the_workflows() -> None:
    sentence = checked(STATISTICS)
    assert sentence.startswith("ComfyUI 0.3.66 answers. Workflows: sdxl-image-to-image, sdxl-text-to-image")


@pytest.mark.parametrize(
    ("reply", "address", "words"),
    [
        (STATISTICS, "", "No address is set"),
        (Reply.json({"system": 1}), None, "can't be read"),
    ],
)
def test_the_check_tells_what_is_wrong(reply: Reply, address: str | None, words: str) -> None:
    with pytest.raises(ProviderError, match=words):
        checked(reply, address=address)


def test_the_check_reads_every_workflow(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="no workflow files"):
        checked(STATISTICS, tmp_path)
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(ProviderError, match=r"broken\.json can't be used"):
        checked(STATISTICS, tmp_path)
