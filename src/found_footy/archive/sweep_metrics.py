"""The nightly sweep's figures."""

from dataclasses import asdict

from prometheus_client import Counter

from found_footy.archive.sweep_messages import Swept

SWEEP = Counter("found_footy_sweep_total", "What the nightly sweep did, by what it was.", ["what"])


def count(swept: Swept) -> Swept:
    for what, number in asdict(swept).items():
        SWEEP.labels(what).inc(number)
    return swept
