"""What goes wrong with files."""

from __future__ import annotations

from contentsvc.http.errors import ApiError, ErrorCode, FieldErrors


class StorageError(ApiError):
    """The storage can't be written or read; the client gets 502 ``storage_error``.

    The cause is chained for the log; ``detail`` names nothing internal.
    """

    def __init__(self, detail: str = "The file storage can't be reached. Try again in a moment.") -> None:
        super().__init__(ErrorCode.STORAGE_ERROR, detail)


class FileMissing(StorageError):
    """The storage answers, and has no such file."""

    def __init__(self) -> None:
        super().__init__("The stored file is missing.")


class MediaRejected(FieldErrors):
    """A file the service doesn't take: its type, its size in pixels, or it doesn't decode.

    Answers 400 on ``file``; ``message`` is the sentence.
    """

    def __init__(self, message: str) -> None:
        super().__init__({"file": [message]})
        self.message = message

    def __str__(self) -> str:
        return self.message
