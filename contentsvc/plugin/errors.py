"""How a backend says that something went wrong; the service decides what follows."""

from __future__ import annotations


class ProviderError(Exception):
    """The provider did not do the work.

    ``public_message`` is shown to the customer: readable, without keys, URLs or
    stack traces. ``retryable`` says that the same order may succeed later; it must
    only be true where the provider certainly did not take the order.
    """

    retryable = False

    def __init__(self, public_message: str, *, retryable: bool | None = None) -> None:
        super().__init__(public_message)
        self.public_message = public_message
        if retryable is not None:
            self.retryable = retryable


class RateLimited(ProviderError):
    """The provider asks to come back later; ``retry_after`` is in seconds."""

    retryable = True

    def __init__(self, public_message: str, *, retry_after: float | None = None) -> None:
        super().__init__(public_message)
        self.retry_after = retry_after


class ContentRejected(ProviderError):
    """The provider refuses this content. Trying again can't help."""


class AuthenticationFailed(ProviderError):
    """The key is missing, wrong or not allowed to use this model."""


class OutcomeUnknown(ProviderError):
    """The order was sent and no answer came: it may or may not have been taken.

    The service repeats such an order only when the model's options declare
    ``resubmit_safe``; otherwise the task fails, the credit is released and the
    administrator sees a mark.
    """
