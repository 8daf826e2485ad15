"""What a plugin's author tells of his provider: how it answers, for each thing that can happen."""

# ruff: noqa: ARG002  # methods are here to be overridden
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from contentsvc.plugin import Capability, Entity, ScriptSegment
from contentsvc.testing.wire import Kind, Reply, Request

SECRET: Final = "sk-kit-4b1e9d7c2f60a853"  # noqa: S105  # opens nothing
JOB: Final = "job-5f2a"


@dataclass(frozen=True)
class Made:
    """What the provider has made; a dialect puts it into the words of its provider.

    ``file`` are the bytes, ``link`` is where they can be fetched. ``usage`` is the figure that the
    provider reports; it may be anything, JSON's NaN among others. ``segments`` are for scripts,
    ``entities`` for entity_extraction, ``is_approved`` and ``reason`` for asset_review, ``seconds``
    the length of clips and sound.
    """

    file: bytes = b""
    media_type: str = ""
    link: str = ""
    usage: Any = 3
    seconds: float = 1.0
    segments: tuple[ScriptSegment, ...] = ()
    entities: tuple[Entity, ...] = ()
    is_approved: bool = True
    reason: str = ""


class Dialect:
    """How a provider speaks, for one capability of a plugin.

    Write one class for each, set what applies, and override the methods that differ from what
    is common. Every reply gets the request that it answers.
    """

    capability: Capability

    driver = ""
    """Which of the plugin's drivers; may be empty where it has one."""

    model = ""
    """Name of the declared model to order; empty for the first of the capability."""

    base_path = ""
    """What the provider's base URL ends with, such as ``/v1``."""

    secret = SECRET
    """The API key that is handed to the plugin, should it need a certain form."""

    options: ClassVar[Mapping[str, Any]] = {}
    """Options of the model that differ from the declared ones."""

    is_job = False
    """Orders are taken as jobs, and asked for until they are done."""

    has_link = False
    """The result is fetched in a request of its own."""

    fetches_at_home = False
    """The result is fetched from the provider's own address, not by a link; ``kind`` tells FILE."""

    reports_usage = False
    """The provider reports a figure that the plugin hands on as ``usage.units``."""

    refuses_later = False
    """Content is refused when the job is asked for, not when it is ordered."""

    takes_nothing_on_5xx = False
    """The provider promises that an order which ends in 5xx was not taken: it may be retryable."""

    most_orders = 1
    """How many orders one call may place."""

    @property
    def name(self) -> str:
        """How the cases of this dialect are called."""
        return self.capability.value

    def kind(self, request: Request) -> Kind:
        """What a request is. It may be asked before the body is there, which is then empty."""
        return Kind.ORDER if request.method == "POST" else Kind.POLL

    def order(self, sample: Any) -> Any:
        """The request that the plugin gets; the sample, or one with other members."""
        return sample

    def settings(self, folder: Path) -> Mapping[str, str]:
        """The driver's ini settings that differ from their defaults; ``folder`` is a scratch folder."""
        return {}

    def accepted(self, job: str, request: Request) -> Reply:
        """The order is taken as a job."""
        raise _missing(self, "accepted")

    def pending(self, request: Request) -> Reply:
        """The job still runs."""
        raise _missing(self, "pending")

    def done(self, made: Made, request: Request) -> Reply:
        """The work is finished: the reply to the order, or to the poll of a job."""
        raise _missing(self, "done")

    def failed(self, request: Request) -> Reply:
        """The job has failed at the provider's."""
        raise _missing(self, "failed")

    def refused(self, request: Request) -> Reply:
        """The content is refused."""
        raise _missing(self, "refused")

    def error(self, status: int, message: str, request: Request) -> Reply:
        """An error by its HTTP status, in the provider's form."""
        return Reply.json({"error": {"message": message}}, status)

    def aside(self, request: Request) -> Reply:
        """What is neither order nor poll nor file, such as an upload."""
        return self.error(404, "There is nothing here.", request)

    def checked(self, request: Request) -> Reply | None:
        """The key is good: the reply to the driver's ``check``; None where there is no check to test."""
        return None

    def twice(self, made: Made, request: Request) -> Reply | None:
        """As ``done``, with the same result in it twice; None where no reply can hold two."""
        return None


class Offline(Dialect):
    """A backend that works on this machine; only the cases without a provider apply."""

    def __init__(self, capability: Capability) -> None:
        self.capability = capability


def _missing(dialect: Dialect, method: str) -> TypeError:
    return TypeError(f"{type(dialect).__name__} has to say how its provider answers: {method}()")
