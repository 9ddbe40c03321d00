"""Traces: spans of workflows, activities and what starts them, sent to an OpenTelemetry receiver. Off by default.

The ids of the spans are in the log, so that a line leads to its trace and a trace to its lines. A workflow that an
activity starts belongs to the trace of that activity: from the poll that confirms a goal to its last clip it is one
trace. Requests to other systems carry no ids. The libraries are loaded only where traces are on.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from found_footy.platform.errors import ConfigError
from found_footy.platform.logs import ActionLogger, set_trace_reader
from found_footy.platform.settings.groups import TracingSettings

if TYPE_CHECKING:
    from temporalio.client import Interceptor

logger = ActionLogger(__name__)


@contextmanager
def trace_process(settings: TracingSettings, process: str) -> Iterator[Sequence["Interceptor"]]:
    """Trace this process during the block, then send its last spans. Yields the interceptors of its Temporal client,
    which the workers that use the client trace with, too; none without a receiver.

    Raises ConfigError if the libraries are not installed.
    """
    if settings.endpoint is None:
        yield ()
        return
    try:
        from found_footy.platform import span_export  # noqa: PLC0415  needs the optional libraries
    except ImportError as error:
        needed = "pip install 'found-footy[trace]'"
        raise ConfigError(f"FOOTY_TRACING__ENDPOINT is set and a library is missing ({error}): {needed}") from error
    with span_export.export_spans(settings.endpoint, settings.share, process) as interceptor:
        set_trace_reader(span_export.read_trace_ids)
        logger.info("traces go to %s", settings.endpoint, action="tracing_ready", endpoint=settings.endpoint)
        yield (interceptor,)
