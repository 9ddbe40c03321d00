"""Logging: one JSON object per line for machines, or formatted lines for people. Fields have bounded lengths.

Every module of the product logs through `logger = ActionLogger(__name__)`. `bind_scope` binds the goal, the workflow
and the attempt once per run; every line of that run carries them, whichever module writes it.
"""

import json
import logging
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, TextIO

from found_footy.platform.settings.addresses import redact_credentials
from found_footy.platform.version import build_info

_MAX_FIELD_LENGTH = 2_000
_MAX_TRACE_LENGTH = 8_000
_STANDARD_ATTRIBUTES = frozenset(vars(logging.LogRecord("", 0, "", 0, "", (), None))) | {
    "message",
    "asctime",
    "taskName",
}
_RESERVED_FIELDS = frozenset({"level", "module", "action", "msg", "ts", "process", "version", "commit", "error_trace"})
_SECRET_NAME_PATTERN = re.compile(
    r"password|passwd|secret|token|authorization|cookie|api_?key|access_?key", re.IGNORECASE
)
# C0 and C1 control characters and the Unicode line breaks: they could forge a line or control a terminal.
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_QUIETED_LOGGERS = (
    "botocore",
    "boto3",
    "s3transfer",
    "urllib3",
    "httpx",
    "httpcore",
    "pymongo",
    "nats",
    "asyncio",
    "uvicorn",
    "temporalio",
)
# The `action` of lines that a library logs.
_LIBRARY_ACTION = "library"
# On every line of a run in JSON; the pretty format shows them on warnings and errors only.
_MACHINE_ONLY_FIELDS = frozenset(
    {"workflow", "workflow_id", "activity", "attempt", "fixture_id", "trace_id", "span_id"}
)
_COLOURS = {"DEBUG": "2", "INFO": "32", "WARNING": "33", "ERROR": "31", "CRITICAL": "1;31"}


@dataclass(frozen=True)
class LogScope:
    """Fields of every line written in this context, and whether lines are dropped, as during a workflow's replay."""

    fields: Mapping[str, object] = field(default_factory=dict)
    is_muted: Callable[[], bool] = lambda: False


_EMPTY_SCOPE = LogScope()
_CURRENT_SCOPE: ContextVar[LogScope] = ContextVar("found_footy_log_scope", default=_EMPTY_SCOPE)


def bind_scope(scope: LogScope) -> None:
    """Bind `scope` for the rest of this task and the tasks it starts. A run has its own task, which ends with it."""
    _CURRENT_SCOPE.set(scope)


class ActionLogger:
    """A module's logger that requires an `action` for every line. `fields` become fields of the line."""

    def __init__(self, module: str) -> None:
        self._logger = logging.getLogger(module)

    def debug(self, message: str, *args: object, action: str, **fields: object) -> None:
        self._emit(logging.DEBUG, action, message, args, fields)

    def info(self, message: str, *args: object, action: str, **fields: object) -> None:
        self._emit(logging.INFO, action, message, args, fields)

    def warning(self, message: str, *args: object, action: str, **fields: object) -> None:
        self._emit(logging.WARNING, action, message, args, fields)

    def error(self, message: str, *args: object, action: str, **fields: object) -> None:
        self._emit(logging.ERROR, action, message, args, fields)

    def exception(self, message: str, *args: object, action: str, **fields: object) -> None:
        """Log an error with the traceback of the exception being handled."""
        self._emit(logging.ERROR, action, message, args, fields, traced=True)

    def _emit(
        self,
        level: int,
        action: str,
        message: str,
        args: tuple[object, ...],
        fields: Mapping[str, object],
        *,
        traced: bool = False,
    ) -> None:
        if _CURRENT_SCOPE.get().is_muted():
            return
        named = {f"{name}_" if name in _STANDARD_ATTRIBUTES else name: value for name, value in fields.items()}
        self._logger.log(level, message, *args, extra={**named, "action": action}, exc_info=traced, stacklevel=3)


class _ScopeFilter(logging.Filter):
    """Adds the bound fields to a record unless it has them already; drops records while the scope is muted."""

    read_trace: Callable[[], Mapping[str, str]] = staticmethod(dict)

    def filter(self, record: logging.LogRecord) -> bool:
        scope = _CURRENT_SCOPE.get()
        if scope.is_muted():
            return False
        for name, value in (*scope.fields.items(), *self.read_trace().items()):
            vars(record).setdefault(name, value)
        return True


def set_trace_reader(read_trace: Callable[[], Mapping[str, str]]) -> None:
    """Add what `read_trace` returns, the ids of the current trace, to every line of this process."""
    _ScopeFilter.read_trace = staticmethod(read_trace)


def configure_logging(
    level: str, log_format: Literal["json", "pretty"], process: str, stream: TextIO | None = None
) -> None:
    """Send every log of this process to `stream` (default: standard error). The last call wins."""
    target = stream or sys.stderr
    handler = logging.StreamHandler(target)
    handler.setFormatter(JsonFormatter(process) if log_format == "json" else PrettyFormatter(_can_colour(target)))
    handler.addFilter(_ScopeFilter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in _QUIETED_LOGGERS:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    logging.captureWarnings(True)


def silence_library(name: str) -> None:
    """Drop the lines of a library whose failures our own code reports."""
    logging.getLogger(name).setLevel(logging.CRITICAL)


class JsonFormatter(logging.Formatter):
    """{ts, level, module, action, msg, process, version, commit, and the record's own fields}, on one line."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "ts": _record_time(record).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "module": record.name,
            "action": _truncate_text(_record_action(record), _MAX_FIELD_LENGTH),
            "msg": _truncate_text(redact_credentials(record.getMessage()), _MAX_FIELD_LENGTH),
            "process": self._process,
            "version": build_info().version,
            "commit": build_info().commit,
        }
        line |= dict(_record_fields(record))
        if record.exc_info and record.exc_info[1]:
            line["error_trace"] = _format_trace(record.exc_info[1])
        text = json.dumps(line, ensure_ascii=False, default=str).translate(_LINE_BREAK_ESCAPES)
        return text.encode("utf-8", "backslashreplace").decode()  # an unpaired surrogate must not break the stream


class PrettyFormatter(logging.Formatter):
    """12:34:56 INFO module action: message field=value, followed by the traceback; colours only on request.

    Workflow and activity are shown on warnings and errors only.
    """

    def __init__(self, coloured: bool) -> None:
        super().__init__()
        self._coloured = coloured

    def format(self, record: logging.LogRecord) -> str:
        time = _record_time(record).astimezone().strftime("%H:%M:%S")
        level = self._colour_text(f"{record.levelname:<7}", _COLOURS.get(record.levelname, "0"))
        module = self._colour_text(
            f"{record.name.removeprefix('found_footy.')} {_escape_control(_record_action(record))}:", "2"
        )
        message = _escape_control(_truncate_text(redact_credentials(record.getMessage()), _MAX_FIELD_LENGTH))
        hidden = _MACHINE_ONLY_FIELDS if record.levelno < logging.WARNING else frozenset()
        shown = ((name, value) for name, value in _record_fields(record) if name not in hidden)
        fields = "".join(f" {name}={_escape_control(str(value))}" for name, value in shown)
        line = f"{time} {level} {module} {message}{self._colour_text(fields, '2') if fields else ''}"
        if record.exc_info and record.exc_info[1]:
            line += "\n" + "\n".join(_escape_control(part) for part in _format_trace(record.exc_info[1]).splitlines())
        return line

    def _colour_text(self, text: str, colour: str) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self._coloured else text


_LINE_BREAK_ESCAPES = {0x2028: "\\u2028", 0x2029: "\\u2029", 0x85: "\\u0085"}


def _record_action(record: logging.LogRecord) -> str:
    return str(getattr(record, "action", "") or _LIBRARY_ACTION)


def _can_colour(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR")


def _record_time(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)


def _record_fields(record: logging.LogRecord) -> Iterator[tuple[str, Any]]:
    for name, value in vars(record).items():
        if name in _STANDARD_ATTRIBUTES or name == "action" or name.startswith("_"):
            continue
        shown = f"{name}_" if name in _RESERVED_FIELDS else name
        yield shown, "********" if _SECRET_NAME_PATTERN.search(name) else _to_json_value(value)


def _to_json_value(value: Any) -> Any:
    """Convert to a JSON value of bounded length; other values become their text, truncated."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, BaseException):
        value = f"{type(value).__name__}: {value}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str, skipkeys=True)
    text = redact_credentials(text)
    if isinstance(value, str) or len(text) > _MAX_FIELD_LENGTH:
        return _truncate_text(text, _MAX_FIELD_LENGTH)
    try:
        return json.loads(text, parse_constant=str)  # NaN and Infinity are not JSON
    except ValueError:  # redacting a secret may have removed the closing quotation mark
        return _truncate_text(text, _MAX_FIELD_LENGTH)


def _format_trace(error: BaseException) -> str:
    """The traceback with its causes; when truncated, the end is kept, because the error is there."""
    text = redact_credentials("".join(traceback.format_exception(error)))
    return text if len(text) <= _MAX_TRACE_LENGTH else "…" + text[-(_MAX_TRACE_LENGTH - 1) :]


def _truncate_text(text: str, max_length: int) -> str:
    return text if len(text) <= max_length else text[: max_length - 1] + "…"


def _escape_control(text: str) -> str:
    return _CONTROL_CHARACTERS.sub(lambda match: f"\\x{ord(match.group()):02x}", text)
