"""Shares and their confidence intervals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy_sim.scorecard.rates import compute_interval, compute_rate


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"),
    [
        # Published tables of exact binomial limits, 95 %.
        (0, 1, 0.0, 0.975),
        (1, 1, 0.025, 1.0),
        (0, 10, 0.0, 0.3085),
        (1, 10, 0.0025, 0.4450),
        (5, 10, 0.1871, 0.8129),
        (0, 20, 0.0, 0.1684),
        (1, 20, 0.0013, 0.2487),
        (10, 100, 0.0490, 0.1762),
        (0, 100, 0.0, 0.0362),
        (100, 100, 0.9638, 1.0),
        (0, 600, 0.0, 0.0061),
        (3, 600, 0.0010, 0.0145),
    ],
)
def test_the_interval_is_the_exact_one(part: int, whole: int, low: float, high: float) -> None:
    assert compute_interval(part, whole) == pytest.approx((low, high), abs=6e-5)


def test_of_nothing_nothing_is_known() -> None:
    assert compute_interval(0, 0) == (0.0, 1.0)
    assert compute_rate(0, 0).share is None
    assert str(compute_rate(0, 0)) == "0 of 0"


@pytest.mark.parametrize(("part", "whole"), [(-1, 3), (4, 3), (0, -1)])
def test_what_is_no_share_is_refused(part: int, whole: int) -> None:
    with pytest.raises(ValueError, match="no share"):
        compute_interval(part, whole)


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_share_lies_in_its_interval_and_the_mirrored_one_in_the_mirrored(hits: int, misses: int) -> None:
    rate = compute_rate(hits, hits + misses)
    assert 0 <= rate.low <= (rate.share if rate.share is not None else 0.5) <= rate.high <= 1
    low, high = compute_interval(misses, hits + misses)
    assert (1 - high, 1 - low) == pytest.approx((rate.low, rate.high), abs=1e-9)


def test_a_rate_reads_as_a_share_with_its_interval() -> None:
    assert str(compute_rate(1, 20)) == "1 of 20 (5.0%; 95 % between 0.1% and 24.9%)"
