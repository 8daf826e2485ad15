"""Multipart uploads: one attempt, streamed to a temporary file, limits kept while reading."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from contentsvc.http.body import read_form, read_piece
from contentsvc.http.errors import ApiError, ErrorCode, FieldErrors
from contentsvc.http.operations import ReceivedUpload, UploadSpec
from contentsvc.http.request import ApiRequest, outside_transaction

FILE_FIELDS = ("file", "image")
MAX_FIELDS = 50
MAX_FIELD_BYTES = 64 * 1024
# Text fields, boundaries and part headers on top of the file.
OVERHEAD_BYTES = 2 * MAX_FIELD_BYTES
CHUNK_BYTES = 256 * 1024
MAX_FILENAME = 255

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def receive_upload(request: ApiRequest, spec: UploadSpec) -> ReceivedUpload:
    """Read a multipart body, without holding a database connection while it comes in.

    Raises ApiError 415 (another media type), 413 (too large; before reading where the
    length is told), 400 (broken multipart), FieldErrors (fields, or ``file`` missing).
    """
    if request.received is not None:
        return request.received
    boundary = _boundary(request)
    limit = spec.max_bytes(request.settings)
    if (request.content_length or 0) > limit + OVERHEAD_BYTES:
        raise _too_large(limit)
    with outside_transaction(request):
        request.received = _receive(request, spec, boundary, limit)
    return request.received


def _boundary(request: ApiRequest) -> bytes:
    media_type, options = parse_options_header(request.headers.get("Content-Type", ""))
    if media_type != b"multipart/form-data":
        raise ApiError(
            ErrorCode.UNSUPPORTED_MEDIA_TYPE, "Send the file as multipart/form-data, in the field file."
        )
    boundary = options.get(b"boundary", b"")
    if not boundary:
        raise _broken()
    return boundary


def _receive(request: ApiRequest, spec: UploadSpec, boundary: bytes, limit: int) -> ReceivedUpload:
    folder = request.settings.uploads.temp_dir
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix="upload-", dir=folder)
    path = Path(name)
    request.add_finished_callback(lambda _request: path.unlink(missing_ok=True))
    with ExitStack() as stack:
        target = stack.enter_context(os.fdopen(descriptor, "wb"))
        form = _Form(target, limit)
        _feed(request, form, boundary, limit)
    faults: dict[str, list[str]] = dict(form.faults)
    if not form.size and "file" not in faults:
        faults["file"] = ["The file is empty." if form.filename else "A file is required."]
    fields = None
    try:
        fields = read_form(form.text, spec.fields)
    except FieldErrors as error:
        faults = {**error.errors, **faults}
    if faults:
        raise FieldErrors(faults)
    return ReceivedUpload(
        fields=fields,
        text=form.text,
        path=path,
        filename=clean_filename(form.filename),
        size_bytes=form.size,
        sha256=form.digest.hexdigest(),
    )


def _feed(request: ApiRequest, form: _Form, boundary: bytes, limit: int) -> None:
    """Push the body through the parser in chunks. Raises ApiError 400 or 413."""
    try:
        parser = MultipartParser(boundary, form.callbacks())
        total = 0
        source = request.body_file_raw if request.is_body_readable else None
        remaining = request.content_length
        while source is not None:
            size = CHUNK_BYTES if remaining is None else min(CHUNK_BYTES, remaining - total)
            chunk = read_piece(source, size)
            if not chunk:
                break
            total += len(chunk)
            if total > limit + OVERHEAD_BYTES:
                raise _too_large(limit)
            parser.write(chunk)
        parser.finalize()
    except FormParserError as error:
        raise _broken() from error
    if not form.ended or (remaining is not None and total < remaining):
        raise _broken()


class _Form:
    """Receives the parser's events: the file goes to ``target``, text fields to ``text``."""

    def __init__(self, target: IO[bytes], limit: int) -> None:
        self.text: dict[str, str] = {}
        self.faults: dict[str, list[str]] = {}
        self.filename = ""
        self.size = 0
        self.digest = hashlib.sha256()
        self.ended = False
        self._target = target
        self._limit = limit
        self._text_bytes = 0
        self._text_parts = 0
        self._files = 0
        self._header_name = b""
        self._header_value = b""
        self._disposition = b""
        self._name = ""
        self._value: bytearray | None = None
        self._is_file = False

    def callbacks(self) -> Any:
        """The parser's callbacks, by its names for them."""
        return {
            "on_part_begin": self._begin,
            "on_header_field": self._on_header_name,
            "on_header_value": self._on_header_value,
            "on_header_end": self._on_header_end,
            "on_headers_finished": self._on_headers,
            "on_part_data": self._on_data,
            "on_part_end": self._on_part_end,
            "on_end": self._on_end,
        }

    def _begin(self) -> None:
        self._header_name = self._header_value = self._disposition = b""
        self._value = None
        self._is_file = False

    def _on_header_name(self, data: bytes, start: int, end: int) -> None:
        self._header_name += data[start:end]

    def _on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._header_value += data[start:end]

    def _on_header_end(self) -> None:
        if self._header_name.lower() == b"content-disposition":
            self._disposition = self._header_value
        self._header_name = self._header_value = b""

    def _on_headers(self) -> None:
        # parse_options_header works in latin-1, so the bytes come through unchanged.
        kind, options = parse_options_header(self._disposition.decode("latin-1"))
        if kind != b"form-data" or b"name" not in options:
            raise _broken()
        self._name = options[b"name"].decode("utf-8", "replace")
        filename = options.get(b"filename")
        if filename is None:
            self._begin_text()
        elif self._name in FILE_FIELDS and filename:
            self._begin_file(filename)

    def _begin_text(self) -> None:
        self._text_parts += 1
        if self._text_parts > MAX_FIELDS:
            raise FieldErrors.one("non_field_errors", f"At most {MAX_FIELDS} fields are taken.")
        self._value = bytearray()
        self._count_text(len(self._name))

    def _begin_file(self, filename: bytes) -> None:
        self._files += 1
        if self._files > 1:
            self.faults["file"] = ["Send one file."]
            return
        self.filename = filename.decode("utf-8", "replace")
        self._is_file = True

    def _on_data(self, data: bytes, start: int, end: int) -> None:
        if self._is_file:
            self._write(memoryview(data)[start:end])
        elif self._value is not None:
            self._count_text(end - start)
            self._value += data[start:end]

    def _write(self, data: memoryview) -> None:
        self.size += len(data)
        if self.size > self._limit:
            raise _too_large(self._limit)
        self.digest.update(data)
        self._target.write(data)

    def _count_text(self, size: int) -> None:
        self._text_bytes += size
        if self._text_bytes > MAX_FIELD_BYTES:
            raise ApiError(
                ErrorCode.PAYLOAD_TOO_LARGE, f"The text fields are larger than {MAX_FIELD_BYTES} bytes."
            )

    def _on_part_end(self) -> None:
        if self._value is None:
            return
        try:
            self.text[self._name] = self._value.decode("utf-8")
        except UnicodeDecodeError:
            self.faults[self._name] = ["The text is not valid UTF-8."]
        self._value = None

    def _on_end(self) -> None:
        self.ended = True


def clean_filename(name: str) -> str:
    """A client's file name without folders and control characters, at most 255 characters.

    The extension survives the cut; "file" when nothing is left.
    """
    base = _UNPRINTABLE.sub("", re.split(r"[/\\]", name)[-1]).strip()
    if base in ("", ".", ".."):
        return "file"
    if len(base) <= MAX_FILENAME:
        return base
    stem, dot, extension = base.rpartition(".")
    if not dot or len(extension) > 16:
        return base[:MAX_FILENAME]
    return f"{stem[: MAX_FILENAME - len(extension) - 1]}.{extension}"


def _too_large(limit: int) -> ApiError:
    return ApiError(ErrorCode.PAYLOAD_TOO_LARGE, f"The file is larger than {limit} bytes.")


def _broken() -> ApiError:
    return ApiError(ErrorCode.MALFORMED_JSON, "The body is not valid multipart/form-data.")
