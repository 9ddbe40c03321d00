"""Computes the token that the embed endpoint expects with a post's id. Pure.

It is what the site's own script computes: the id as a number, scaled, written in base 36, without zeros and dot.
JavaScript writes the fewest digits that distinguish the number from its neighbours, and so does this module.
"""

import math

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_BASE = len(_DIGITS)
_SCALE = 1e15
# The endpoint requires a token. Only an id of all zeros computes to an empty one.
_ANY_TOKEN = "a"  # noqa: S105


def compute_token(tweet_id: str) -> str:
    """`tweet_id` consists of digits."""
    return to_base36(float(int(tweet_id)) / _SCALE * math.pi).replace("0", "").replace(".", "") or _ANY_TOKEN


def to_base36(value: float) -> str:
    """Format a finite, non-negative number with the fewest digits that distinguish it from the next larger one."""
    whole = math.floor(value)
    digits, carried = _fraction_digits(value - whole, max(math.ulp(value) / 2, math.ulp(0.0)))
    number = _integer_digits(whole + carried)
    return f"{number}.{''.join(_DIGITS[digit] for digit in digits)}" if digits else number


def _fraction_digits(rest: float, margin: float) -> tuple[list[int], int]:
    """The digits after the dot, and 1 if rounding carried into the integer part."""
    digits: list[int] = []
    while rest >= margin:
        rest, margin = rest * _BASE, margin * _BASE
        digit = int(rest)
        digits.append(digit)
        rest -= digit
        if _rounds_up(rest, digit) and rest + margin > 1:
            return _round_up(digits)
    return digits, 0


def _rounds_up(rest: float, digit: int) -> bool:
    return rest > 0.5 or (rest == 0.5 and digit % 2 == 1)


def _round_up(digits: list[int]) -> tuple[list[int], int]:
    while digits:
        last = digits.pop()
        if last + 1 < _BASE:
            return [*digits, last + 1], 0
    return [], 1


def _integer_digits(value: int) -> str:
    digits = ""
    while value:
        value, digit = divmod(value, _BASE)
        digits = _DIGITS[digit] + digits
    return digits or "0"
