"""Exports the Temporal SDK's metrics (task latencies, slots, requests) and log together with ours.

The SDK serves metrics only on a port of its own and does not report which one it got, so it is given one on loopback,
and our registry collects from there. Its core would write plain text past our log, so its log is forwarded to ours.
"""

import http.client
import logging
import socket
from collections.abc import Iterator

from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector
from temporalio.runtime import (
    LogForwardingConfig,
    LoggingConfig,
    PrometheusConfig,
    Runtime,
    TelemetryConfig,
    TelemetryFilter,
)

from found_footy.platform.logs import ActionLogger

_HOST = "127.0.0.1"
# A port that was free a moment ago may be taken; three times in a row is no coincidence.
_MAX_PORT_ATTEMPTS = 3
_TIMEOUT_SECONDS = 2.0
_HTTP_OK = 200
_MAX_RESPONSE_BYTES = 4 * 2**20

logger = ActionLogger(__name__)


class SdkMetricsCollector(Collector):
    """Fetches the SDK's metrics on every collection, and reports whether the SDK answered."""

    def __init__(self, port: int) -> None:
        self._port = port

    def describe(self) -> Iterator[Metric]:
        """Empty: otherwise the registry would collect from the SDK on registration."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily(
            "found_footy_temporal_sdk_figures_up", "1 if the metrics of the Temporal SDK could be read."
        )
        try:
            text = self._fetch_metrics()
        except (OSError, http.client.HTTPException) as error:
            logger.warning("the metrics of the Temporal SDK could not be read: %s", error, action="sdk_metrics_failed")
            up.add_metric([], 0)
        else:
            up.add_metric([], 1)
            yield from text_string_to_metric_families(text)
        yield up

    def _fetch_metrics(self) -> str:
        connection = http.client.HTTPConnection(_HOST, self._port, timeout=_TIMEOUT_SECONDS)
        try:
            connection.request("GET", "/metrics")
            answer = connection.getresponse()
            if answer.status != _HTTP_OK:
                raise http.client.HTTPException(f"status {answer.status}")
            return answer.read(_MAX_RESPONSE_BYTES).decode("utf-8", "replace")
        finally:
            connection.close()


def build_sdk_runtime(*, with_metrics: bool, registry: CollectorRegistry = REGISTRY) -> Runtime:
    """Build an SDK runtime that logs to our log and, if wanted and possible, exports its metrics to `registry`."""
    logging_config = LoggingConfig(
        TelemetryFilter(core_level="WARN", other_level="ERROR"), forwarding=forward_core_log()
    )
    for _ in range(_MAX_PORT_ATTEMPTS if with_metrics else 0):
        port = _find_free_port()
        try:
            config = PrometheusConfig(bind_address=f"{_HOST}:{port}", durations_as_seconds=True, unit_suffix=True)
            runtime = Runtime(telemetry=TelemetryConfig(logging=logging_config, metrics=config))
        except (RuntimeError, ValueError) as error:
            logger.warning("no metrics of the Temporal SDK on port %d: %s", port, error, action="sdk_metrics_off")
        else:
            registry.register(SdkMetricsCollector(port))
            return runtime
    return Runtime(telemetry=TelemetryConfig(logging=logging_config))


class _CoreLogFilter(logging.Filter):
    """Adds an action to log records of the SDK's core, and their own fields as one field."""

    def filter(self, record: logging.LogRecord) -> bool:
        entry = vars(record).pop("temporal_log", None)
        record.action, record.detail = "temporal_core", str(getattr(entry, "fields", ""))
        return True


_CORE_LOG_FILTER = _CoreLogFilter()


def forward_core_log() -> LogForwardingConfig:
    core = logging.getLogger("temporalio.core")
    core.addFilter(_CORE_LOG_FILTER)
    return LogForwardingConfig(core, append_target_to_name=False, append_log_fields_to_message=False)


def _find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        port: int = probe.getsockname()[1]
        return port
