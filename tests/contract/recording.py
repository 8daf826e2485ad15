"""Which operations the functional tests have seen succeed, and which error codes they have met.

A plugin of pytest. Each test process notes what its clients are answered; once the whole folder
has been run, the controller adds it up and fails the run if something is missing.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from webtest import TestApp, TestResponse

from contentsvc.http.errors import ErrorCode
from tests.contract.operations import OPERATIONS

FOLDER = "tests/functional"
# These call everything there is with anything; that is no test of what an operation does.
_WALKS = (f"{FOLDER}/test_tenants_walk.py", f"{FOLDER}/test_bad_input.py")
_NARROWED = ("keyword", "lf", "failedfirst", "deselect", "ignore", "maxfail", "collectonly")
_OUTPUT = "contract_seen"


class Recording:
    """Notes every reply, in its own process; the controller of several adds up theirs."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._seen: set[str] = set()
        self._missing: list[str] = []
        self._original = TestApp.do_request

    def pytest_sessionstart(self) -> None:
        """Listen to all clients of WebTest."""
        original, seen = self._original, self._seen

        def do_request(app: TestApp, request: Any, *args: Any, **kwargs: Any) -> TestResponse:
            reply = original(app, request, *args, **kwargs)
            seen.update(_noted(os.environ.get("PYTEST_CURRENT_TEST", ""), request, reply))
            return reply

        TestApp.do_request = do_request

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Of xdist: a process has ended and left its notes."""
        self._seen.update(getattr(node, "workeroutput", {}).get(_OUTPUT, ()))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Hand the notes on, or judge them."""
        TestApp.do_request = self._original
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_OUTPUT] = sorted(self._seen)
        elif exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) and self._whole():
            expected = [operation.label for operation in OPERATIONS] + [code.value for code in ErrorCode]
            self._missing = [one for one in expected if one not in self._seen]
            if self._missing:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Name what is missing."""
        for one in self._missing:
            terminalreporter.write_line(f"No functional test has met {one}", red=True)

    def _whole(self) -> bool:
        """Whether all of the functional tests were asked for."""
        options = self._config.option
        if any(getattr(options, name, None) for name in _NARROWED):
            return False
        root = self._config.rootpath
        asked = [(Path(self._config.invocation_params.dir) / one).resolve() for one in self._config.args]
        return any((root / FOLDER).is_relative_to(one) for one in asked)


def _noted(test: str, request: Any, reply: TestResponse) -> Iterable[str]:
    if not test.startswith(FOLDER) or test.startswith(_WALKS):
        return
    if reply.status_int < 300:
        yield from _labels(request.method, request.path)
    elif reply.content_type == "application/json":
        code = json.loads(reply.body or b"{}").get("code")
        if isinstance(code, str):
            yield code


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)))


# What is written out comes before what has a place for an id: /api/products/trash/.
_PATTERNS = [
    (_pattern(operation.path), operation)
    for operation in sorted(OPERATIONS, key=lambda operation: operation.path.count("{"))
]


def _labels(method: str, path: str) -> Iterable[str]:
    for pattern, operation in _PATTERNS:
        if operation.method == method and pattern.fullmatch(path):
            yield operation.label
            return
