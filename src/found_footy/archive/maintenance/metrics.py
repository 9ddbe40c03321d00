"""Metrics of the nightly sweep."""

from dataclasses import asdict

from prometheus_client import Counter

from found_footy.archive.maintenance.messages import SweepResult

SWEEP_TOTAL = Counter(
    "found_footy_sweep_total", "Objects and records processed by the nightly sweep, by kind and action.", ["what"]
)


def record_sweep(swept: SweepResult) -> SweepResult:
    for what, number in asdict(swept).items():
        SWEEP_TOTAL.labels(what).inc(number)
    return swept
