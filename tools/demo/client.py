"""The few API calls the demo makes, and a progress bar while it waits."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx

FINAL = ("succeeded", "failed")
BAR = 24


class RefusedError(RuntimeError):
    """The service has refused a call; the message is its own."""


class Client:
    """An API client with a token."""

    def __init__(self, base_url: str, token: str | None = None) -> None:
        self.authorization = f"Token {token}" if token else ""
        headers = {"Authorization": self.authorization} if token else {}
        self._http = httpx.Client(base_url=base_url, headers=headers, timeout=60, trust_env=False)

    def get(self, path: str, **parameters: Any) -> Any:
        """A GET's JSON."""
        return self._answer(self._http.get(path, params=parameters))

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """A POST's JSON."""
        return self._answer(self._http.post(path, json=body or {}))

    def upload(self, path: str, file: Path, **fields: str) -> Any:
        """A multipart POST's JSON."""
        with file.open("rb") as stream:
            return self._answer(self._http.post(path, files={"file": (file.name, stream)}, data=fields))

    def download(self, url: str, target: Path) -> None:
        """Save a link's bytes."""
        with self._http.stream("GET", url, follow_redirects=True) as reply, target.open("wb") as stream:
            reply.raise_for_status()
            for chunk in reply.iter_bytes():
                stream.write(chunk)

    def pictures(self, label: str, order: dict[str, Any]) -> list[dict[str, Any]]:
        """Order pictures, show progress until all are there, and answer their assets."""
        ids = [task["id"] for task in self.post("/api/ai/generate-image/", order)["tasks"]]
        return [asset for task in self.finish(label, ids) for asset in task["assets"]]

    def finish(self, label: str, ids: list[str]) -> list[dict[str, Any]]:
        """Show progress until all these tasks are final, and answer them. Raises RefusedError."""
        bar = ProgressBar(label, len(ids))
        while True:
            tasks: list[dict[str, Any]] = self.get("/api/ai/generate-image/", ids=",".join(ids))["tasks"]
            bar.show(sum(task["status"] in FINAL for task in tasks))
            if all(task["status"] in FINAL for task in tasks):
                break
            time.sleep(0.25)
        bar.close()
        if failed := [task["error_message"] for task in tasks if task["status"] == "failed"]:
            raise RefusedError(f"{label}: {failed[0]}")
        return tasks

    def events(self, path: str, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """A POST's server-sent events, as they come."""
        with self._http.stream("POST", path, json=body) as reply:
            if reply.is_error:
                reply.read()
                self._answer(reply)
            for line in reply.iter_lines():
                if line.startswith("data:"):
                    yield json.loads(line.removeprefix("data:"))

    @staticmethod
    def _answer(reply: httpx.Response) -> Any:
        if reply.is_error:
            call = f"{reply.request.method} {reply.request.url.path}"
            raise RefusedError(f"{call}: {reply.status_code} {reply.text}")
        return reply.json() if reply.content else None


class ProgressBar:
    """One line that fills up; on a terminal it is redrawn, in a log it is written once."""

    def __init__(self, label: str, total: int) -> None:
        self._label = label
        self._total = total
        self._started = time.monotonic()
        self._line = ""

    def show(self, done: int) -> None:
        """``done`` of the total are finished."""
        filled = BAR * done // self._total
        seconds = time.monotonic() - self._started
        bar = "█" * filled + "·" * (BAR - filled)
        self._line = f"  {self._label:<22} [{bar}] {done}/{self._total}  {seconds:4.1f} s"
        if sys.stdout.isatty():
            print(f"\r{self._line}", end="", flush=True)

    def close(self) -> None:
        """Leave the finished line behind."""
        print(f"\r{self._line}" if sys.stdout.isatty() else self._line, flush=True)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Plain text columns; the last two are numbers."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    numeric = len(header) - 2

    def line(row: Sequence[str]) -> str:
        cells = (
            cell.rjust(width) if i >= numeric else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        return "  " + "  ".join(cells)

    return "\n".join([line(header), "  " + "  ".join("─" * w for w in widths), *(line(row) for row in rows)])
