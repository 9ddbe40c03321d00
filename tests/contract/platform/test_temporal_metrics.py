"""The Temporal SDK's figures, told together with ours."""

import socket

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from temporalio.client import Client

from found_footy.platform import temporal_metrics
from found_footy.platform.temporal import backlog, connected


async def test_the_sdks_figures_are_told_with_ours(temporal: Client) -> None:
    registry = CollectorRegistry()
    runtime = temporal_metrics.measured_runtime(registry)
    async with connected(temporal.service_client.config.target_host, temporal.namespace, runtime) as client:
        await backlog(client, "nobodys-queue")
        text = generate_latest(registry).decode()
    assert "found_footy_temporal_sdk_figures_up 1.0" in text
    asked = [line for line in text.splitlines() if line.startswith("temporal_request_latency_count{")]
    assert any('operation="DescribeTaskQueue"' in line for line in asked)


def test_a_port_taken_in_the_last_moment_costs_the_figures_and_not_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setattr(temporal_metrics, "_free_port", lambda: taken.getsockname()[1])
        assert temporal_metrics.measured_runtime(CollectorRegistry()) is None


def test_an_sdk_that_does_not_answer_is_told_and_hides_nothing_else() -> None:
    registry = CollectorRegistry()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        registry.register(temporal_metrics.SdkFigures(probe.getsockname()[1]))
    assert "found_footy_temporal_sdk_figures_up 0.0" in generate_latest(registry).decode()
