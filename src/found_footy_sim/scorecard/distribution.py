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
    """`count` values, and `never` more for which there is none because it never happened: they count as longer than
    any other. A quantile that lies among these is None, and so is the largest.
    """

    count: int
    p50: float | None
    p95: float | None
    most: float | None
    bins: tuple[HistogramBin, ...] = ()
    never: int = 0


def compute_distribution(values: Iterable[float], never: int = 0) -> Distribution:
    ordered = sorted(values)
    whole = [*ordered, *[math.inf] * never]
    return Distribution(
        len(ordered),
        _round_finite(compute_quantile(whole, 0.5)),
        _round_finite(compute_quantile(whole, 0.95)),
        _round_finite(compute_quantile(whole, 1.0)),
        _build_bins(ordered) if ordered else (),
        never,
    )


def compute_quantile(ordered: list[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed; infinite without any."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.inf


def _round_finite(value: float) -> float | None:
    return round(value, 1) if math.isfinite(value) else None


def _build_bins(ordered: list[float]) -> tuple[HistogramBin, ...]:
    width = _round_bin_width(max(1.0, ordered[-1] / _MAX_BINS))
    places = [min(_MAX_BINS - 1, max(0, int(value / width))) for value in ordered]
    used = max(places) + 1
    return tuple(HistogramBin(place * width, (place + 1) * width, places.count(place)) for place in range(used))


def _round_bin_width(width: float) -> float:
    """The next round width."""
    magnitude = 10.0 ** math.floor(math.log10(width))
    return next(step * magnitude for step in (1, 2, 5, 10) if step * magnitude >= width * 0.999999)
