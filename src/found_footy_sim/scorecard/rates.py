"""Shares of a sample, with the interval that the true share lies in with 95 % confidence."""

import math
from collections.abc import Callable
from dataclasses import dataclass

_CONFIDENCE = 0.95
# Halvings of the interval from 0 to 1: far more exact than any figure that is printed.
_BISECTIONS = 60


@dataclass(frozen=True)
class Rate:
    """`part` of `whole`; `low` and `high` are the exact interval of Clopper and Pearson."""

    part: int
    whole: int
    low: float
    high: float

    @property
    def share(self) -> float | None:
        """None for a share of nothing."""
        return self.part / self.whole if self.whole else None

    def __str__(self) -> str:
        if self.share is None:
            return "0 of 0"
        return f"{self.part} of {self.whole} ({self.share:.1%}; 95 % between {self.low:.1%} and {self.high:.1%})"


def compute_rate(part: int, whole: int, confidence: float = _CONFIDENCE) -> Rate:
    low, high = compute_interval(part, whole, confidence)
    return Rate(part, whole, low, high)


def compute_interval(part: int, whole: int, confidence: float = _CONFIDENCE) -> tuple[float, float]:
    """The smallest and the largest true share under which a sample at least, or at most, this extreme is not less
    likely than half of what the confidence leaves. Of an empty sample nothing is known.
    """
    if not 0 <= part <= whole:
        raise ValueError(f"{part} of {whole} is no share")
    tail = (1 - confidence) / 2
    low = 0.0 if part == 0 else _bisect(lambda share: 1 - _at_most(part - 1, whole, share) < tail)
    high = 1.0 if part == whole else _bisect(lambda share: _at_most(part, whole, share) >= tail)
    return low, high


def _bisect(is_below: Callable[[float], bool]) -> float:
    """The share up to which the condition holds."""
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return low


def _at_most(part: int, whole: int, share: float) -> float:
    """The probability of at most `part` hits in `whole` independent tries."""
    return math.fsum(_probability(count, whole, share) for count in range(part + 1))


def _probability(count: int, whole: int, share: float) -> float:
    """By logarithms, because the binomial coefficients of a long day exceed the floating-point numbers."""
    if share in (0.0, 1.0):
        return float(count == whole * share)
    ways = math.lgamma(whole + 1) - math.lgamma(count + 1) - math.lgamma(whole - count + 1)
    return math.exp(ways + count * math.log(share) + (whole - count) * math.log1p(-share))
