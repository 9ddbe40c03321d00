"""The Temporal SDK's figures, told together with ours."""

import logging
import socket
from dataclasses import dataclass

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from temporalio.client import Client

from found_footy.platform.temporal import metrics as temporal_metrics
from found_footy.platform.temporal.client import connect
from found_footy.platform.temporal.queues import fetch_backlog


async def test_the_metrics_of_the_sdk_are_served_with_ours(temporal: Client) -> None:
    registry = CollectorRegistry()
    runtime = temporal_metrics.build_sdk_runtime(with_metrics=True, registry=registry)
    async with connect(temporal.service_client.config.target_host, temporal.namespace, runtime) as client:
        await fetch_backlog(client, "nobodys-queue")
        text = generate_latest(registry).decode()
    assert "found_footy_temporal_sdk_figures_up 1.0" in text
    asked = [line for line in text.splitlines() if line.startswith("temporal_request_latency_seconds_count{")]
    assert any('operation="DescribeTaskQueue"' in line for line in asked)


async def test_a_port_taken_in_the_last_moment_loses_the_metrics_and_not_the_process(
    temporal: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setattr(temporal_metrics, "_find_free_port", lambda: taken.getsockname()[1])
        registry = CollectorRegistry()
        runtime = temporal_metrics.build_sdk_runtime(with_metrics=True, registry=registry)
    async with connect(temporal.service_client.config.target_host, temporal.namespace, runtime) as client:
        await fetch_backlog(client, "nobodys-queue")
    assert generate_latest(registry) == b""


def test_an_sdk_that_does_not_answer_is_reported_and_hides_nothing_else() -> None:
    registry = CollectorRegistry()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        registry.register(temporal_metrics.SdkMetricsCollector(probe.getsockname()[1]))
    assert "found_footy_temporal_sdk_figures_up 0.0" in generate_latest(registry).decode()


@dataclass(frozen=True)
class CoreLine:
    """What the SDK's core hands over for one line of its log."""

    target: str
    level: int
    message: str
    time: float
    fields: dict[str, object]


def test_lines_of_the_sdks_core_are_in_our_log_with_an_action(caplog: pytest.LogCaptureFixture) -> None:
    line = CoreLine("temporalio_sdk_core::worker", logging.WARNING, "queue is slow", 1.0, {"queue": "found-footy"})
    temporal_metrics.forward_core_log()._on_logs([line])
    [record] = caplog.records
    reported = vars(record)
    assert (record.name, reported["action"], reported["detail"]) == (
        "temporalio.core",
        "temporal_core",
        "{'queue': 'found-footy'}",
    )
    assert record.getMessage() == "[sdk_core::temporalio_sdk_core::worker] queue is slow"
    assert "temporal_log" not in reported
