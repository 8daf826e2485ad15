"""Whether orders would work: Model Studio is asked for the account's tasks, which costs nothing."""

from __future__ import annotations

from contentsvc.plugin import CheckContext, ProviderError
from contentsvc_dashscope.client import API, DashScope

PATH = f"{API}/tasks?page_no=1&page_size=1"


def check(ctx: CheckContext) -> str:
    """What Model Studio answers; ProviderError where orders would fail."""
    if "request_id" not in DashScope(ctx).get(PATH):
        raise ProviderError("The address answers, but not as Model Studio does.")
    return "The key is accepted."
