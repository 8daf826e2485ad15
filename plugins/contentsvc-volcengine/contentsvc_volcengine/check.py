"""Whether Ark knows the API key: its list of video tasks costs nothing."""

from __future__ import annotations

from contentsvc.plugin import CheckContext
from contentsvc_volcengine.client import Ark
from contentsvc_volcengine.videos import TASKS


def check(ctx: CheckContext) -> str:
    """What was found. Raises ProviderError where the key is refused."""
    ark = Ark(ctx)
    ark.get(f"{TASKS}?page_num=1&page_size=1")
    if ark.keys.get("access_key_id") and ark.keys.get("secret_access_key"):
        return "Volcengine knows this API key. The access key for reviews was not tried."
    return "Volcengine knows this API key. There is no access key, so faces can't be reviewed."
