"""Distributions of durations in match seconds: median, tail and histogram."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

_MAX_BINS = 12


@dataclass(frozen=True)
class HistogramBin:
    """Values from `low` up to, but excluding, `high`; the last bin includes it."""

    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Distribution:
    count: int
    p50: float | None
    p95: float | None
    most: float | None
    bins: tuple[HistogramBin, ...] = ()


def compute_distribution(values: Iterable[float]) -> Distribution:
    ordered = sorted(values)
    if not ordered:
        return Distribution(0, None, None, None)
    return Distribution(
        len(ordered),
        round(compute_quantile(ordered, 0.5), 1),
        round(compute_quantile(ordered, 0.95), 1),
        round(ordered[-1], 1),
        _build_bins(ordered),
    )


def compute_quantile(ordered: list[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed. `ordered` is not empty."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _build_bins(ordered: list[float]) -> tuple[HistogramBin, ...]:
    width = _round_bin_width(max(1.0, ordered[-1] / _MAX_BINS))
    places = [min(_MAX_BINS - 1, max(0, int(value / width))) for value in ordered]
    used = max(places) + 1
    return tuple(HistogramBin(place * width, (place + 1) * width, places.count(place)) for place in range(used))


def _round_bin_width(width: float) -> float:
    """The next round width."""
    magnitude = 10.0 ** math.floor(math.log10(width))
    return next(step * magnitude for step in (1, 2, 5, 10) if step * magnitude >= width * 0.999999)
