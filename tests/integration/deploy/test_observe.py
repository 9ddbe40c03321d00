"""Dashboard and alert rules: every metric in them is exported by the code, with the labels that they use, and every
alert has its entry in the runbook.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from uuid import uuid4

import promql_parser
import pytest
from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.metrics import MetricWrapperBase
from temporalio import workflow
from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from found_footy.platform.temporal.client import connect
from found_footy.platform.temporal.metrics import build_sdk_runtime
from tests.support.deploy_files import DEPLOY, ROOT, read_yaml

SOURCE = ROOT / "src" / "found_footy"
DASHBOARD: dict[str, Any] = json.loads((DEPLOY / "observe" / "dashboard.json").read_text())
[ALERTS] = read_yaml(DEPLOY / "observe" / "alerts.yaml")
RULES: list[dict[str, Any]] = [rule for group in ALERTS["groups"] for rule in group["rules"]]
EXPRESSIONS = {
    **{f"alert {rule['alert']}": rule["expr"] for rule in RULES},
    **{
        f"panel {panel['title']} {target['refId']}": target["expr"]
        for panel in DASHBOARD["panels"]
        for target in panel["targets"]
    },
}
# Modules that declare metrics, besides those called so.
METRIC_MODULES = (
    "platform/disk.py",
    "platform/temporal/schedules.py",
    "platform/temporal/metrics.py",
    "platform/span_export.py",
)
_SERIES_SUFFIXES = ("_bucket", "_count", "_sum", "_total")


def exported() -> dict[str, set[str]]:
    """The labels of every metric of the product, by the metric's name."""
    for path in [*SOURCE.rglob("metrics.py"), *(SOURCE / name for name in METRIC_MODULES)]:
        import_module(".".join(path.relative_to(ROOT / "src").with_suffix("").parts))
    collectors = list(REGISTRY._collector_to_names)
    return {
        one._name: set(one._labelnames) | ({"le"} if one._type == "histogram" else set())
        for one in collectors
        if isinstance(one, MetricWrapperBase)
    }


def base_name(series: str, known: dict[str, set[str]]) -> str:
    if series in known:
        return series
    return next((series.removesuffix(end) for end in _SERIES_SUFFIXES if series.endswith(end)), series)


def list_parts(expression: Any) -> Iterator[Any]:
    """The parsed expression and everything in it."""
    yield expression
    for name in ("expr", "lhs", "rhs", "vector_selector", "param"):
        if (inner := getattr(expression, name, None)) is not None:
            yield from list_parts(inner)
    for inner in getattr(expression, "args", ()):
        yield from list_parts(inner)


def selectors(expression: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    for part in list_parts(promql_parser.parse(expression)):
        if isinstance(part, promql_parser.VectorSelector):
            yield str(part.name), [(one.name, one.value) for one in part.matchers.matchers]


def grouped_labels(expression: str) -> set[str]:
    modifiers = [getattr(part, "modifier", None) for part in list_parts(promql_parser.parse(expression))]
    return {label for one in modifiers if isinstance(one, promql_parser.AggModifier) for label in one.labels}


@dataclass(frozen=True)
class ExportedMetrics:
    """`own`: labels of the product's metrics. `sdk`: labels of the series that the SDK of a worker really serves.
    `source`: the product's code, for the values of labels.
    """

    own: dict[str, set[str]]
    sdk: dict[str, set[str]]
    source: str


def find_faults(expression: str, known: ExportedMetrics) -> list[str]:
    try:
        promql_parser.parse(expression)
    except ValueError as error:
        return [f"is no expression: {error}"]
    faults, labels = [], {"le", "job", "instance"}
    for series, matchers in selectors(expression):
        name = base_name(series, known.own)
        own = known.sdk.get(series) if series.startswith("temporal_") else known.own.get(name)
        if own is None:
            faults.append(f"{series} is not exported")
            continue
        labels |= own
        faults += [f"{series} has no label {label}" for label, _ in matchers if label not in own]
        faults += [
            f"{series} never has {label}={value}"
            for label, value in matchers
            if not re.search(rf"\b{value}\b", known.source)
        ]
    faults += [f"no metric has the label {label}" for label in sorted(grouped_labels(expression) - labels)]
    return faults


@workflow.defn
class MeasuredWorkflow:
    @workflow.run
    async def run(self) -> None:
        return


@pytest.fixture
async def known(temporal: Client) -> ExportedMetrics:
    """With the metrics of an SDK that has run a workflow. Its library holds their names without units."""
    registry = CollectorRegistry()
    runtime = build_sdk_runtime(with_metrics=True, registry=registry)
    queue = f"measured-{uuid4().hex}"
    async with connect(temporal.service_client.config.target_host, temporal.namespace, runtime) as client:
        worker = Worker(
            client, task_queue=queue, workflows=[MeasuredWorkflow], workflow_runner=UnsandboxedWorkflowRunner()
        )
        async with worker:
            await client.execute_workflow(MeasuredWorkflow.run, id=queue, task_queue=queue)
        samples = [sample for metric in registry.collect() for sample in metric.samples]
    sdk: dict[str, set[str]] = {}
    for sample in samples:
        sdk.setdefault(sample.name, set()).update(sample.labels)
    source = "\n".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    return ExportedMetrics(exported(), sdk, source)


def test_every_metric_and_label_exists(known: ExportedMetrics) -> None:
    faults = {name: found for name, text in EXPRESSIONS.items() if (found := find_faults(text, known))}
    assert faults == {}
    assert all(list(selectors(text)) for text in EXPRESSIONS.values())
    assert any(name.startswith("temporal_") for text in EXPRESSIONS.values() for name, _ in selectors(text))
    cases = {
        "rate(found_footy_no_such_total[5m])": "is not exported",
        'found_footy_feed_calls_total{result="ok"}': "has no label result",
        'found_footy_fixtures_watched{answer="perhaps_so"}': "never has answer=perhaps_so",
        "sum by (color) (found_footy_web_connections)": "no metric has the label color",
        "temporal_workflow_endtoend_latency_bucket": "is not exported",
        'temporal_workflow_endtoend_latency_seconds_bucket{color="red"}': "has no label color",
        "sum(found_footy_web_connections": "is no expression",
        "rate(found_footy_web_connections)": "is no expression",
    }
    for expression, fault in cases.items():
        assert any(fault in found for found in find_faults(expression, known)), expression


# What an operator must be able to see, and the metric that shows it.
WATCHED = {
    "goal to first clip": "found_footy_goal_first_clip_seconds_bucket",
    "capture rate per league": "found_footy_goals_completed_total",
    "outcomes of fetches": "found_footy_clip_fetches_total",
    "outcomes of checks": "found_footy_clip_looks_total",
    "outcomes of the archive": "found_footy_clips_total",
    "vision latency": "found_footy_clip_look_seconds_bucket",
    "vision leases in use": "found_footy_vision_leases_held",
    "vision leases allowed": "found_footy_vision_leases_limit",
    "feed budget": "found_footy_feed_calls_remaining",
    "search budget": "found_footy_search_budget_left",
    "backlog": "found_footy_task_queue_backlog",
    "cycle time": "temporal_workflow_endtoend_latency_seconds_bucket",
    "missed schedule actions": "found_footy_schedule_missed_actions",
}


@pytest.mark.parametrize("what", WATCHED)
def test_the_dashboard_shows(what: str) -> None:
    shown = {series for name, text in EXPRESSIONS.items() if name.startswith("panel ") for series, _ in selectors(text)}
    assert WATCHED[what] in shown


def test_every_alert_says_how_bad_it_is_and_what_to_do() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "docs" / "runbook.md").read_text(encoding="utf-8"), re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
    text = (ROOT / "docs" / "runbook.md").read_text(encoding="utf-8")
    for rule in RULES:
        assert rule["labels"]["severity"] in {"warning", "critical"}
        assert re.fullmatch(r"\d+[mh]", rule["for"])
        page, _, anchor = rule["annotations"]["runbook"].partition("#")
        assert (page, anchor in anchors) == ("docs/runbook.md", True), rule["alert"]
        assert f"`{rule['alert']}`" in text, rule["alert"]
    assert len({rule["alert"] for rule in RULES}) == len(RULES)


def test_panels_do_not_overlap() -> None:
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in DASHBOARD["panels"])
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
