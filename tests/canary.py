"""One mark in every key that tests give to providers, and the search for it in all that is written.

A key is made by :func:`key_of`; one without the mark is noticed when it is encrypted. After
each test the mark is looked for in what was logged and printed, in all replies its clients got
and in every row of its database; where services ran, in their logs and the titles of their
processes. Wherever it is found, the test fails.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Collection, Generator, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import httpx
import psutil
import pytest
from sqlalchemy import Connection, Engine, text
from webtest import TestApp, TestResponse

from contentsvc.security.secrets import SecretBox
from contentsvc.testing.dialects import SECRET as KEY_OF_THE_KIT

MARK: Final = "canary-of-"
AROUND: Final = 60

# Where the service runs with keys. Elsewhere boxes are tested for their own sake, or anything is a key.
_SERVICES = ("tests/functional/", "tests/system/")
_WALK = "tests/functional/test_bad_input.py"


def key_of(name: str, before: str = "") -> str:
    """A key for a provider; ``before`` is how his keys begin."""
    return f"{before}{MARK}{name}"


def _inside_base64(mark: bytes, shift: int) -> bytes:
    """What doesn't depend on the bytes around it, where ``shift`` bytes of a group of three come before."""
    coded = base64.b64encode(bytes(shift) + mark)
    return coded[(8 * shift + 5) // 6 : 8 * (shift + len(mark)) // 6]


_PLAIN = [mark.encode() for mark in (MARK, KEY_OF_THE_KIT)]
_CODED = [_inside_base64(mark, shift) for mark in _PLAIN for shift in range(3)]
# As PostgreSQL shows columns of bytes, and some headers their values.
_HEX = [form.hex().encode() for form in _PLAIN + _CODED]
FORMS: Final = (*_PLAIN, *_CODED, *_HEX)


def traces(written: bytes | str) -> list[str]:
    """What stands around each form of the mark that is in there; empty where there is none."""
    data = written.encode(errors="replace") if isinstance(written, str) else written
    return [_around(data, data.find(form)) for form in FORMS if form in data]


def _around(data: bytes, place: int) -> str:
    return data[max(0, place - AROUND) : place + AROUND].decode(errors="replace")


def _search(connection: Connection) -> str:
    """SQL, as a driver wants it, for the rows of all tables that hold a mark, each with its table's name."""
    words = ", ".join(f"'%%{form.decode()}%%'" for form in FORMS)
    names = connection.scalars(text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"))
    return " UNION ALL ".join(
        f"SELECT '{name}', t::text FROM \"{name}\" AS t WHERE t::text LIKE ANY (ARRAY[{words}])"
        for name in names
    )


def keep_search(engine: Engine) -> None:
    """Have a database remember how it is searched: five times as fast, where that is done often."""
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE OR REPLACE FUNCTION traces() RETURNS TABLE (name text, line text) LANGUAGE plpgsql AS "
            f"$search$ BEGIN RETURN QUERY {_search(connection)}; END $search$"
        )


def traces_in_rows(engine: Engine, *, is_kept: bool = False) -> list[str]:
    """What stands around the marks in all rows of all tables, each with its table's name."""
    with engine.connect() as connection:
        search = "SELECT * FROM traces()" if is_kept else _search(connection)
        rows = connection.exec_driver_sql(search).all()
    return [f"{name}: {trace}" for name, row in rows for trace in traces(row)]


def traces_in_titles(pids: Iterable[int]) -> list[str]:
    """The same for the command lines of these processes and of all below them."""
    found = []
    for pid in pids:
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            process = psutil.Process(pid)
            for one in [process, *process.children(recursive=True)]:
                with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                    found += traces("\0".join(one.cmdline()))
    return found


def assert_no_trace(place: str, found: Collection[str]) -> None:
    """Fail with what was found at a place."""
    assert not found, f"a provider's key is in {place}: {list(found)}"


def assert_no_trace_in_file(path: Path) -> None:
    """Fail where a log has a trace."""
    assert_no_trace(path.name, traces(path.read_bytes()) if path.exists() else [])


class Listening(httpx.Client):
    """A client of a running service that looks at every reply it reads whole."""

    def send(self, request: httpx.Request, *, stream: bool = False, **options: Any) -> httpx.Response:
        reply = super().send(request, stream=stream, **options)
        assert_no_trace(f"the headers of {request.url.path}", traces(str(reply.headers.multi_items())))
        if not stream:
            assert_no_trace(f"the reply of {request.url.path}", traces(reply.content))
        return reply


class Lookout:
    """The plugin of pytest: looks at replies, at what is printed and logged, and at keys themselves."""

    def __init__(self) -> None:
        self._found: list[str] = []

    def pytest_sessionstart(self) -> None:
        """Listen to WebTest's clients and to the box of keys."""
        send: Callable[..., TestResponse] = TestApp.do_request
        encrypt, found = SecretBox.encrypt, self._found

        def do_request(app: TestApp, request: Any, *args: Any, **options: Any) -> TestResponse:
            reply = send(app, request, *args, **options)
            for part in (str(reply.headerlist), reply.body):
                found.extend(f"the reply of {request.path}: {trace}" for trace in traces(part))
            return reply

        def encrypt_marked(box: SecretBox, key: str) -> bytes:
            test = os.environ.get("PYTEST_CURRENT_TEST", "")
            if test.startswith(_SERVICES) and not test.startswith(_WALK) and not traces(key):
                found.append(f"nothing, since {key!r} has no mark: make it with tests.canary.key_of")
            return encrypt(box, key)

        TestApp.do_request = do_request
        SecretBox.encrypt = encrypt_marked

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Fail the end of a test that has written a key: by then all its output is there."""
        report = yield
        if report.when != "teardown":
            return report
        found, self._found[:] = list(self._found), []
        for title, words in report.sections:
            found += [f"{title.removeprefix('Captured ')}: {trace}" for trace in traces(words)]
        if found:
            report.outcome = "failed"
            report.longrepr = "\n".join(
                [str(report.longrepr or ""), *(f"A provider's key is in {one}" for one in found)]
            )
        return report
