"""Whether orders would work: ElevenLabs is asked for the account's voices, which costs nothing."""

from __future__ import annotations

from contentsvc.plugin import CheckContext, ProviderError
from contentsvc_elevenlabs.errors import UNREADABLE
from contentsvc_elevenlabs.sdk import ONCE, opened


def check(ctx: CheckContext) -> str:
    """What the account has; ProviderError where orders would fail."""
    try:
        with opened(ctx) as client:
            found = client.voices.get_all(request_options=ONCE)
    except (AttributeError, TypeError, ValueError):
        # The SDK makes its models of whatever comes, which need not fit.
        raise ProviderError(UNREADABLE) from None
    voices: object = getattr(found, "voices", None)
    if not isinstance(voices, list):
        raise ProviderError(UNREADABLE)
    return f"The key is accepted. The account has {len(voices)} voices."
