"""Whether ComfyUI answers, and which workflows can be ordered."""

from __future__ import annotations

from collections.abc import Mapping

from contentsvc.plugin import CheckContext, ProviderError
from contentsvc_comfyui.files import folder_of, names_in, read_workflow
from contentsvc_comfyui.server import Server, word
from contentsvc_declared import UNREADABLE

_MOST_NAMED = 10


def check(ctx: CheckContext) -> str:
    """What was found. ProviderError where there is no server, or a workflow file can't be used."""
    system = Server(ctx).statistics().get("system")
    if not isinstance(system, Mapping):
        raise ProviderError(UNREADABLE)
    folder = folder_of(ctx.settings)
    names = names_in(folder)
    if not names:
        raise ProviderError("ComfyUI answers, but there are no workflow files in the folder that is set up.")
    for name in names:
        read_workflow(folder, name)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    version = word(system.get("comfyui_version"))
    return f"ComfyUI {version} answers. Workflows: {', '.join(names[:_MOST_NAMED])}{more}."
