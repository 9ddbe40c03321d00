"""Dashboard and alert rules: every metric in them is exported by the code, with the labels that they use, and every
alert has its entry in the runbook.
"""

import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import temporalio.bridge
from prometheus_client import REGISTRY
from prometheus_client.metrics import MetricWrapperBase

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
METRIC_MODULES = ("platform/disk.py", "platform/temporal/schedules.py", "platform/temporal/metrics.py")
_SELECTOR = re.compile(r"\b((?:found_footy|temporal)_\w+)(?:\{([^}]*)\})?")
_MATCHER = re.compile(r'(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"')
_GROUPING = re.compile(r"\bby \(([^)]*)\)")
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


def selectors(expression: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    for series, matchers in _SELECTOR.findall(expression):
        yield series, _MATCHER.findall(matchers)


def find_faults(expression: str, known: dict[str, set[str]], sdk: bytes, source: str) -> list[str]:
    faults, labels = [], {"le", "job", "instance"}
    for series, matchers in selectors(expression):
        name = base_name(series, known)
        if series.startswith("temporal_"):
            # Built by the SDK: its name stands in its library without prefix and unit.
            inner = name.removeprefix("temporal_").removesuffix("_seconds")
            faults += [] if inner.encode() in sdk else [f"{series} is not exported by the SDK"]
            own = {label for label, _ in matchers}
        elif name not in known:
            faults.append(f"{series} is not exported")
            continue
        else:
            own = known[name]
        labels |= own
        faults += [f"{series} has no label {label}" for label, _ in matchers if label not in own]
        faults += [
            f"{series} never has {label}={value}" for label, value in matchers if not re.search(rf"\b{value}\b", source)
        ]
    grouped = {label.strip() for group in _GROUPING.findall(expression) for label in group.split(",")}
    faults += [f"no metric has the label {label}" for label in sorted(grouped - labels)]
    faults += ["parentheses do not match"] if expression.count("(") != expression.count(")") else []
    return faults


@pytest.fixture(scope="module")
def facts() -> tuple[dict[str, set[str]], bytes, str]:
    [library] = Path(str(temporalio.bridge.__file__)).parent.glob("temporal_sdk_bridge*.so")
    source = "\n".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    return exported(), library.read_bytes(), source


def test_every_metric_and_label_exists(facts: tuple[dict[str, set[str]], bytes, str]) -> None:
    faults = {name: found for name, text in EXPRESSIONS.items() if (found := find_faults(text, *facts))}
    assert faults == {}
    assert all(list(selectors(text)) for text in EXPRESSIONS.values())


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ("rate(found_footy_no_such_total[5m])", "is not exported"),
        ('found_footy_feed_calls_total{result="ok"}', "has no label result"),
        ('found_footy_fixtures_watched{answer="perhaps_so"}', "never has answer=perhaps_so"),
        ("sum by (color) (found_footy_web_connections)", "no metric has the label color"),
        ("temporal_no_such_latency_seconds_bucket", "is not exported by the SDK"),
        ("sum(found_footy_web_connections", "parentheses"),
    ],
)
def test_faults_are_found(expression: str, fault: str, facts: tuple[dict[str, set[str]], bytes, str]) -> None:
    assert any(fault in found for found in find_faults(expression, *facts))


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
