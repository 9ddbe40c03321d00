"""Traces of a real worker process, as a receiver on this machine gets them."""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from temporalio.client import Client

from found_footy.platform import span_export, tracing
from found_footy.platform.settings.groups import TracingSettings
from tests.support.patience import PATIENCE_SECONDS
from tests.support.platform.traced_run import SECRET

_MAX_BODY_BYTES = 10 * 2**20


@dataclass
class TraceReceiver:
    """Answers with `status`; keeps what it was sent."""

    status: int = 200
    bodies: list[bytes] = field(default_factory=list)

    @property
    def requests(self) -> list[ExportTraceServiceRequest]:
        return [ExportTraceServiceRequest.FromString(body) for body in self.bodies]

    @property
    def spans(self) -> list[Span]:
        return [
            span
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


@contextmanager
def receive(receiver: TraceReceiver) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(min(int(self.headers["content-length"]), _MAX_BODY_BYTES))
            if (self.path, self.headers["content-type"]) == ("/v1/traces", "application/x-protobuf"):
                receiver.bodies.append(body)
            self.send_response(receiver.status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the library names it so
            """Nothing: the test reads what arrived."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def find_ancestors(span: Span, spans: list[Span]) -> list[str]:
    by_id = {one.span_id: one for one in spans}
    names = []
    while span.parent_span_id:
        span = by_id[span.parent_span_id]
        names.append(span.name)
    return names


async def test_a_goals_workflows_are_one_trace_and_the_log_names_it(temporal: Client) -> None:
    receiver = TraceReceiver()
    target = temporal.service_client.config.target_host
    with receive(receiver) as url:
        argv = [sys.executable, "-m", "tests.support.platform.traced_run", target, temporal.namespace, url]
        ran = await asyncio.to_thread(
            subprocess.run, argv, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
        )
    assert ran.returncode == 0, ran.stderr
    spans = receiver.spans
    [trace_id] = {span.trace_id.hex() for span in spans}
    by_name: dict[str, list[Span]] = {}
    for span in spans:
        by_name.setdefault(span.name, []).append(span)

    # Once each, although every task replayed its run; the activity that failed was run twice.
    counts = {name: len(found) for name, found in by_name.items()}
    assert {name: counts[name] for name in counts if name.startswith("Run")} == {
        "RunWorkflow:FirstWorkflow": 1,
        "RunWorkflow:SecondWorkflow": 1,
        "RunActivity:start_second": 1,
        "RunActivity:fail_once": 2,
    }
    assert find_ancestors(by_name["RunWorkflow:FirstWorkflow"][0], spans) == []
    way = find_ancestors(by_name["RunActivity:fail_once"][0], spans)
    passed = [name for name in way if name.startswith("Run")]
    assert passed == ["RunWorkflow:SecondWorkflow", "RunActivity:start_second", "RunWorkflow:FirstWorkflow"]

    lines = [json.loads(line) for line in ran.stderr.splitlines()]
    said = {line["action"]: line for line in lines if "trace_id" in line}
    assert said.keys() >= {"first_began", "first_ended", "second_started", "second_began", "activity_failed"}
    assert {line["trace_id"] for line in said.values()} == {trace_id}
    assert said["activity_failed"]["span_id"] in {span.span_id.hex() for span in by_name["RunActivity:fail_once"]}

    assert SECRET.encode() not in b"".join(receiver.bodies)
    assert b"no answer of http://***@127.0.0.1/clips" in b"".join(receiver.bodies)
    [name] = {
        attribute.value.string_value
        for request in receiver.requests
        for resource in request.resource_spans
        for attribute in resource.resource.attributes
        if attribute.key == "service.name"
    }
    assert name == "found-footy-worker"


def test_a_receiver_that_refuses_is_reported_once_and_its_return_too(caplog: pytest.LogCaptureFixture) -> None:
    receiver, provider = TraceReceiver(status=400), TracerProvider(shutdown_on_exit=False)
    before = {outcome: span_export.SPANS.labels(outcome)._value.get() for outcome in ("lost", "sent")}
    with receive(receiver) as url, caplog.at_level("INFO", logger=span_export.__name__):
        exporter = span_export.RedactingExporter(OTLPSpanExporter(f"{url}/v1/traces", timeout=PATIENCE_SECONDS))
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        tracer = provider.get_tracer("test")
        for status in (400, 400, 200, 200, 200):
            receiver.status = status
            tracer.start_span("work").end()
        provider.shutdown()
    said = [vars(record)["action"] for record in caplog.records if record.name == span_export.__name__]
    assert said == ["traces_lost", "traces_sent_again"]
    after = {outcome: span_export.SPANS.labels(outcome)._value.get() for outcome in ("lost", "sent")}
    assert {outcome: after[outcome] - before[outcome] for outcome in after} == {"lost": 2, "sent": 3}


def test_without_a_receiver_nothing_is_traced() -> None:
    with tracing.trace_process(TracingSettings(), "worker") as interceptors:
        assert interceptors == ()
