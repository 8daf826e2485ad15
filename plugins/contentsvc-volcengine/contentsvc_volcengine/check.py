"""Whether Ark knows the API key: its list of video tasks costs nothing."""

from __future__ import annotations

from contentsvc.plugin import CheckContext
from contentsvc_volcengine.client import Ark


def check(ctx: CheckContext) -> str:
    """What was found. Raises ProviderError where the key is refused."""
    ark = Ark(ctx)
    # Not by the SDK's list(): where all is logged it warns of its own arguments.
    page = {"page_num": 1, "page_size": 1}
    ark.ask(lambda sdk: sdk.get("/contents/generations/tasks", params=page, cast_to=object))
    if ark.keys.get("access_key_id") and ark.keys.get("secret_access_key"):
        return "Volcengine knows this API key. The access key for reviews was not tried."
    return "Volcengine knows this API key. There is no access key, so faces can't be reviewed."
