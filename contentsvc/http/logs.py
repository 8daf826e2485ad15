"""Structured logs: JSON for machines, lines for people, secrets for nobody."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Mapping
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from contentsvc.settings import LogSettings

REDACTED = "[redacted]"
_SECRET_KEY = re.compile(
    r"authorization|password|passphrase|secret|api[-_]?key|access[-_]?key|token|cookie|credential",
    re.IGNORECASE,
)
# A credential that got into a sentence, an address or a header's value.
_SECRET_TEXT = re.compile(
    r"(?P<label>\b(?:token|bearer|basic)\s+(?=[^\s&@\"',;]{12})"
    r"|(?:^|[?&;\s\"'])(?:token|api_?key|password|secret|signature|x-amz-signature)[\"']?\s*[=:]\s*[\"']?"
    r"|://[^/\s:@]+:)(?P<secret>[^\s&@\"',;]+)",
    re.IGNORECASE,
)
_COUNTS = frozenset({"tokens", "input_tokens", "output_tokens", "total_tokens", "token_count"})
MAX_DEPTH = 6


def redact(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """Processor: blank every value under a secret's name, and credentials inside texts."""
    return {key: _cleaned(key, value, 0) for key, value in event.items()}


def _cleaned(key: str, value: Any, depth: int) -> Any:
    if key.lower() not in _COUNTS and _SECRET_KEY.search(key) and value is not None:
        return REDACTED
    if isinstance(value, str):
        return _SECRET_TEXT.sub(lambda match: match["label"] + REDACTED, value)
    if depth >= MAX_DEPTH:
        return value
    if isinstance(value, Mapping):
        return {name: _cleaned(str(name), item, depth + 1) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned("", item, depth + 1) for item in value]
    return value


def configure_logging(settings: LogSettings) -> None:
    """Send structlog's and the standard library's records to standard error, one format for both.

    For commands; importing or configuring the application changes no logging.
    """
    level = getattr(logging, settings.level.upper())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    # Tracebacks become text first, so that the redaction sees them too.
    last: list[Processor] = [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        structlog.processors.format_exc_info,
        redact,
        _renderer(settings),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=last))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # Their own lines at info say per call what ours say once.
    for name in ("alembic", "httpx", "botocore", "urllib3", "huey", "python_multipart"):
        logging.getLogger(name).setLevel(max(level, logging.WARNING))


def _renderer(settings: LogSettings) -> Processor:
    if settings.format == "json":
        return structlog.processors.JSONRenderer(ensure_ascii=False, default=str)
    # The pretty traceback shows local variables: passwords and tokens among them.
    return structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
    )
