"""Whether orders would work: Google is asked for its models, which costs nothing."""

from __future__ import annotations

from contentsvc.plugin import CheckContext, ProviderError
from contentsvc_google.client import Google

PATH = "models?pageSize=1000"


def check(ctx: CheckContext) -> str:
    """What Google answers; ProviderError where orders would fail."""
    models = Google(ctx).get(PATH).get("models")
    if not isinstance(models, list):
        raise ProviderError("The address answers, but not with Google's list of models.")
    return f"The key is accepted. Google lists {len(models)} models."
