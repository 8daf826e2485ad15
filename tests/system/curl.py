"""As much of curl as the README uses, for machines without it."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

import httpx


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("-s", action="store_true")
    parser.add_argument("-X", dest="method")
    parser.add_argument("-H", dest="headers", action="append", default=[])
    parser.add_argument("-d", dest="body")
    parser.add_argument("-F", dest="form", action="append", default=[])
    parser.add_argument("-o", dest="output")
    words = parser.parse_args()
    headers = dict(header.split(": ", 1) for header in words.headers)
    fields = dict(field.split("=", 1) for field in words.form)
    texts = {name: value for name, value in fields.items() if not value.startswith("@")}
    with contextlib.ExitStack() as stack:
        files = {
            name: stack.enter_context(Path(value[1:]).open("rb"))
            for name, value in fields.items()
            if value.startswith("@")
        }
        reply = httpx.request(
            words.method or ("POST" if words.body or files else "GET"),
            words.url,
            headers=headers,
            content=words.body,
            data=texts or None,
            files=files or None,
            timeout=60,
            trust_env=False,
        )
    if words.output:
        Path(words.output).write_bytes(reply.content)
    else:
        sys.stdout.write(reply.text)


if __name__ == "__main__":
    main()
