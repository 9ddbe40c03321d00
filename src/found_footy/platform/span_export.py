"""Spans on their way to an OpenTelemetry receiver. Needs the extra `trace`; only `tracing` imports it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ParentBasedTraceIdRatio
from prometheus_client import Counter
from temporalio.contrib.opentelemetry import OpenTelemetryInterceptor, create_tracer_provider

from found_footy.platform.logs import ActionLogger, silence_library
from found_footy.platform.settings.addresses import redact_credentials
from found_footy.platform.version import build_info

SPANS = Counter(
    "found_footy_trace_spans_total", "Spans for the receiver of traces, by what became of them.", ["outcome"]
)
# One export, its repetitions included; also what the end of a process waits for its last spans.
_EXPORT_TIMEOUT_SECONDS = 2
_MAX_TEXT_LENGTH = 2_000

logger = ActionLogger(__name__)


@contextmanager
def export_spans(endpoint: str, share: float, process: str) -> Iterator[OpenTelemetryInterceptor]:
    """Send the spans of this process to `endpoint` during the block; OpenTelemetry allows that once per process."""
    receiver = OTLPSpanExporter(f"{endpoint.rstrip('/')}/v1/traces", timeout=_EXPORT_TIMEOUT_SECONDS)
    about = {"service.name": f"found-footy-{process}", "service.version": build_info().version}
    provider = create_tracer_provider(
        sampler=ParentBasedTraceIdRatio(share), resource=Resource.create(about), shutdown_on_exit=False
    )
    provider.add_span_processor(BatchSpanProcessor(RedactingExporter(receiver)))
    trace.set_tracer_provider(provider)
    # The library reports every failed export; RedactingExporter says once that spans are lost.
    silence_library("opentelemetry")
    try:
        yield OpenTelemetryInterceptor(add_temporal_spans=True)
    finally:
        provider.force_flush(_EXPORT_TIMEOUT_SECONDS * 1000)
        provider.shutdown()


def read_trace_ids() -> Mapping[str, str]:
    """Return the ids of the current span as fields of a log line, none outside of a span."""
    context = trace.get_current_span().get_span_context()
    if not context.is_valid:
        return {}
    return {"trace_id": trace.format_trace_id(context.trace_id), "span_id": trace.format_span_id(context.span_id)}


class RedactingExporter(SpanExporter):
    """Redacts what the log redacts; counts what is lost, and reports when that begins and ends."""

    def __init__(self, receiver: SpanExporter) -> None:
        self._receiver = receiver
        self._is_losing = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self._receiver.export([redact_span(span) for span in spans])
        lost = result is not SpanExportResult.SUCCESS
        SPANS.labels("lost" if lost else "sent").inc(len(spans))
        if lost and not self._is_losing:
            logger.warning("the receiver of traces does not take spans; they are lost", action="traces_lost")
        if self._is_losing and not lost:
            logger.info("the receiver of traces takes spans again", action="traces_sent_again")
        self._is_losing = lost
        return result

    def shutdown(self) -> None:
        self._receiver.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._receiver.force_flush(timeout_millis)


def redact_span(span: ReadableSpan) -> ReadableSpan:
    """Return the span with the texts of errors as the log would have them."""
    described = span.status.description
    return ReadableSpan(
        name=span.name,
        context=span.get_span_context(),
        parent=span.parent,
        resource=span.resource,
        attributes=_redact_attributes(span.attributes),
        events=[Event(event.name, _redact_attributes(event.attributes), event.timestamp) for event in span.events],
        links=span.links,
        kind=span.kind,
        instrumentation_scope=span.instrumentation_scope,
        status=trace.Status(span.status.status_code, _redact_text(described) if described else None),
        start_time=span.start_time,
        end_time=span.end_time,
    )


def _redact_attributes(attributes: Mapping[str, Any] | None) -> dict[str, Any]:
    return {
        name: _redact_text(value) if isinstance(value, str) else value for name, value in (attributes or {}).items()
    }


def _redact_text(text: str) -> str:
    return redact_credentials(text)[:_MAX_TEXT_LENGTH]
