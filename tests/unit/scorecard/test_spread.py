"""Durations and how they are spread."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy_sim.scorecard.distribution import compute_distribution

VALUES = st.lists(st.floats(0, 1e6), min_size=1, max_size=80)


@pytest.mark.parametrize(
    ("values", "p50", "p95", "most"),
    [([], None, None, None), ([4], 4, 4, 4), ([1, 2, 3, 4], 2, 4, 4), (list(range(1, 101)), 50, 95, 100)],
)
def test_middle_and_tail(values: list[float], p50: float | None, p95: float | None, most: float | None) -> None:
    found = compute_distribution(values)
    assert (found.p50, found.p95, found.most) == (p50, p95, most)


@given(VALUES)
def test_every_value_is_in_one_bin_and_bins_lie_side_by_side(values: list[float]) -> None:
    bins = compute_distribution(values).bins
    assert sum(b.count for b in bins) == len(values)
    assert all(a.high == pytest.approx(b.low) for a, b in pairwise(bins))
    assert len(bins) <= 12
