"""Whether orders would work: Google is asked for its models, which costs nothing."""

from __future__ import annotations

from contentsvc.plugin import CheckContext, ProviderError
from contentsvc_google.failures import poll_failure
from contentsvc_google.sdk import Google


def check(ctx: CheckContext) -> str:
    """What Google answers; ProviderError where orders would fail."""
    count = Google(ctx, poll_failure).model_count()
    if not count:
        raise ProviderError("The address answers, but not with Google's list of models.")
    return f"The key is accepted. Google lists {count} models."
