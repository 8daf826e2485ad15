"""Where a case is played: the provider's server, the host of its results, and the backend."""

from __future__ import annotations

import shutil
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from contentsvc.plugin import (
    Accepted,
    Capability,
    Done,
    Pending,
    ProviderError,
    ScriptResult,
)
from contentsvc.providers.results import RESULTS
from contentsvc.storage.files import MediaKind
from contentsvc.storage.sniffing import FACTS, sniff
from contentsvc.testing.calling import Caller, Outcome
from contentsvc.testing.dialects import JOB, Made, Offline
from contentsvc.testing.samples import sample_order, sample_result
from contentsvc.testing.server import ProviderServer, serving
from contentsvc.testing.subjects import Subject
from contentsvc.testing.wire import Kind, Reply, Request

MOST_SECONDS: Final = 60.0
POLL_SECONDS: Final = 0.002
WORK_SECONDS: Final = 0.3
"""Between two polls of a backend that really works; the service waits longer."""

HURRIED_SECONDS: Final = 0.3
_FILES: Final = {
    Capability.IMAGE_GENERATION: MediaKind.IMAGE,
    Capability.IMAGE_EDIT: MediaKind.IMAGE,
    Capability.VIDEO_GENERATION: MediaKind.VIDEO,
    Capability.EXPORT: MediaKind.VIDEO,
    Capability.SPEECH: MediaKind.AUDIO,
}
_MEMBERS: Final = {MediaKind.IMAGE: "image", MediaKind.VIDEO: "video", MediaKind.AUDIO: "audio"}
ErrorT = TypeVar("ErrorT", bound=ProviderError)
Planned: TypeAlias = Reply | Callable[[Request], Reply]


class Failed(AssertionError):
    """A backend doesn't do what a case asks for; the message says what and why."""


@dataclass
class Stage:
    """One case of one subject.

    ``provider`` answers by the dialect unless told otherwise; ``host`` has the results that
    are fetched by a link, on another port. ``made`` is what the provider makes, ``job_id`` the
    backend's name of the last order that was taken as a job.
    """

    subject: Subject
    provider: ProviderServer
    host: ProviderServer
    caller: Caller
    made: Made
    order: Any
    planned: dict[Kind, Planned]
    faults: list[str]
    polled: int = 0
    job_id: str = ""

    def usual(self, request: Request) -> Reply:
        """What a request gets by the dialect: orders are taken, jobs are done at the second poll."""
        dialect = self.subject.dialect
        if isinstance(dialect, Offline):
            return Reply(404)
        match request.kind:
            case Kind.ORDER:
                return dialect.accepted(JOB, request) if dialect.is_job else dialect.done(self.made, request)
            case Kind.POLL:
                self.polled += 1
                return dialect.pending(request) if self.polled == 1 else dialect.done(self.made, request)
            case Kind.FILE:
                return Reply.file(self.made.file, self.made.media_type)
            case Kind.ASIDE:
                return dialect.aside(request)

    def when(self, kind: Kind, reply: Planned) -> None:
        """What every request of a kind gets from now on."""
        self.planned[kind] = reply

    def link_to(self, url: str) -> None:
        """Let the link to the result lead there."""
        self.made = replace(self.made, link=url)

    def hurry(self, seconds: float = HURRIED_SECONDS) -> None:
        """Give replies so many seconds, not ten."""
        self.caller.seconds = seconds

    def start(self) -> Outcome:
        """Place the order."""
        return self._sound(self.caller.start(self.order))

    def poll(self, job_id: str) -> Outcome:
        """Ask after a job."""
        return self._sound(self.caller.poll(job_id))

    def check_key(self) -> Outcome:
        """Call the driver's check."""
        check = self.subject.driver.check
        if check is None:
            raise Failed("the driver has no check")
        return self._sound(self.caller.check(check))

    def accepted(self) -> str:
        """The backend's name of an order that was taken as a job."""
        outcome = self.start()
        if not isinstance(outcome.answer, Accepted):
            raise Failed(f"the provider takes a job, so start() answers Accepted; {outcome}")
        self.job_id = outcome.answer.job_id
        return self.job_id

    def run(self) -> Outcome:
        """Place the order, and ask for it until it is done or an error."""
        return self._sound(self.attempt())

    def attempt(self) -> Outcome:
        """The same, whatever is raised."""
        outcome = self.caller.start(self.order)
        if not isinstance(outcome.answer, Accepted):
            return outcome
        self.job_id = outcome.answer.job_id
        pause = WORK_SECONDS if isinstance(self.subject.dialect, Offline) else POLL_SECONDS
        ends = time.monotonic() + MOST_SECONDS
        while time.monotonic() < ends:
            outcome = self.caller.poll(self.job_id)
            if not isinstance(outcome.answer, Pending):
                break
            time.sleep(pause)
        return outcome

    def result(self, outcome: Outcome) -> Any:
        """The result of an order that went well, checked. Raises Failed for anything else."""
        if self.subject.dialect.capability is Capability.SCRIPT:
            return _script(outcome)
        if outcome.error is not None or not isinstance(outcome.answer, Done):
            raise Failed(f"a result is expected; {outcome}")
        result = outcome.answer.result
        expected = RESULTS[self.subject.dialect.capability]
        if not isinstance(result, expected):
            raise Failed(f"a {expected.__name__} is expected, not {result!r}")
        self._check_file(result)
        return result

    def refuses(self, outcome: Outcome, kind: type[ErrorT]) -> ErrorT:
        """The error of an order that ended in one of this type. Raises Failed for anything else."""
        if not isinstance(outcome.error, kind):
            raise Failed(f"{kind.__name__} is expected; {outcome}")
        return outcome.error

    def forget(self) -> None:
        """Begin anew with the same servers."""
        self.planned.clear()
        self.provider.requests.clear()
        self.polled, self.job_id = 0, ""

    def fetched(self) -> bool:
        """Whether anybody has asked for the file of a result."""
        return bool(self.provider.of_kind(Kind.FILE) or self.host.requests)

    def orders(self) -> int:
        """How many orders the provider has got."""
        return len(self.provider.of_kind(Kind.ORDER))

    def check(self) -> None:
        """What holds in every case: no more orders than one call may place, and a dialect that works."""
        if self.faults:
            raise Failed(f"the dialect could not answer:\n{self.faults[0]}")
        most = self.subject.dialect.most_orders
        if self.orders() > most:
            raise Failed(f"the order was placed {self.orders()} times; each may have to be paid for")

    def _sound(self, outcome: Outcome) -> Outcome:
        if outcome.defect is not None and not self.faults:
            raise Failed(f"a backend raises ProviderError, or lets httpx's errors pass; {outcome}")
        self.check()
        return outcome

    def _check_file(self, result: Any) -> None:
        kind = _FILES.get(self.subject.dialect.capability)
        if kind is None:
            return
        path = getattr(result, _MEMBERS[kind]).path
        found = sniff(path)
        if found is None or FACTS[found].kind is not kind:
            with path.open("rb") as file:
                raise Failed(f"the file is no {_MEMBERS[kind]}: it begins with {file.read(40)!r}")


@contextmanager
def staged(subject: Subject) -> Iterator[Stage]:
    """A stage for one case, with servers that are closed and folders that are removed at its end."""
    dialect = subject.dialect
    folder = Path(tempfile.mkdtemp(prefix="conformance-"))
    faults: list[str] = []
    planned: dict[Kind, Planned] = {}
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)

        def answer(request: Request) -> Reply:
            try:
                plan = planned.get(request.kind, stage.usual)
                return plan if isinstance(plan, Reply) else plan(request)
            except Exception as error:  # noqa: BLE001  # it happens in a thread of the server
                faults.append("".join(traceback.format_exception(error)))
                return Reply(500)

        provider = stack.enter_context(serving(answer, dialect.kind))
        host = stack.enter_context(serving(answer, lambda _: Kind.FILE))
        made = replace(sample_result(dialect.capability), link=f"{host.url}/results/1?signature=5f2a")
        stage = Stage(
            subject=subject,
            provider=provider,
            host=host,
            caller=Caller(
                subject.backend,
                subject.model,
                provider.url + dialect.base_path,
                dialect.secret,
                subject.settings(folder / "settings"),
                folder / "orders",
            ),
            made=made,
            order=dialect.order(sample_order(dialect.capability, f"{host.url}/sample/1.png")),
            planned=planned,
            faults=faults,
        )
        yield stage


def _script(outcome: Outcome) -> ScriptResult:
    events = outcome.answer
    if outcome.error is not None or not events or not isinstance(events[-1], ScriptResult):
        raise Failed(f"a stream that ends with a ScriptResult is expected; {outcome}")
    result: ScriptResult = events[-1]
    if not result.segments:
        raise Failed("the ScriptResult has no segments")
    return result
