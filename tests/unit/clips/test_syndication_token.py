"""The token is the one that the site's own script computes."""

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.clips.fetch.syndication.request_token import compute_token, to_base36

# What ids of 15 to 20 digits become.
SCALED = st.floats(min_value=0.3, max_value=400_000, allow_nan=False)


@pytest.mark.parametrize(
    ("tweet_id", "expected"),
    [
        ("20", "6dq1a2xwd93"),
        ("1629307668568633344", "3y6mctgwzxo"),
        ("1700000000000000000", "44cpgxmyurn"),
        ("1985432109876543210", "4t9f2xmir32"),
        ("2074974895750951259", "512q4r2kfrn"),
    ],
)
def test_known_posts_have_their_known_tokens(tweet_id: str, expected: str) -> None:
    assert compute_token(tweet_id) == expected


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.0, "0"),
        (35.0, "z"),
        (36.0, "10"),
        (0.5, "0.i"),
        (1 / 3, "0.c"),
        (2 / 3, "0.o"),
        (35.99999999999999, "z.zzzzzzzzz"),
        (20 / 1e15 * 3.141592653589793, "0.000000006dq1a2xwd93"),
    ],
)
def test_numbers_are_written_with_base_36(value: float, written: str) -> None:
    assert to_base36(value).startswith(written)


def read(text: str) -> Fraction:
    whole, _, rest = text.partition(".")
    return Fraction(int(whole + rest, 36), 36 ** len(rest))


@given(SCALED)
def test_what_is_written_is_that_number_up_to_its_last_bits(value: float) -> None:
    assert abs(read(to_base36(value)) - Fraction(value)) <= 4 * Fraction(math.ulp(max(value, 1.0)))


@given(st.from_regex(r"[0-9]{1,40}", fullmatch=True))
def test_any_post_has_a_token_without_zeros_and_dots(tweet_id: str) -> None:
    assert re.fullmatch(r"[1-9a-z]+", compute_token(tweet_id))


@given(st.integers(min_value=10**18, max_value=10**19 - 1))
def test_ids_that_are_one_number_to_the_script_have_one_token(number: int) -> None:
    assert compute_token(str(number)) == compute_token(str(int(float(number))))
