"""Bodies are inflated in small pieces, whatever arrives."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.platform.http.content_decoder import ContentDecoder, ContentDecodingError


def inflated(encoding: str, data: bytes, step: int) -> bytes:
    inflater = ContentDecoder(encoding)
    pieces = [piece for start in range(0, len(data), step) for piece in inflater.feed(data[start : start + step])]
    inflater.finish()
    return b"".join(pieces)


@given(st.binary(max_size=300_000), st.integers(min_value=1, max_value=70_000))
def test_what_was_deflated_comes_out_again_however_it_is_cut(data: bytes, step: int) -> None:
    assert inflated("gzip", gzip.compress(data, 1), step) == data
    assert inflated("deflate", zlib.compress(data, 1), step) == data
    assert inflated("identity", data, step) == data


def test_two_members_of_gzip_are_one_body() -> None:
    assert inflated(" GZIP ", gzip.compress(b"one ") + gzip.compress(b"two"), 1000) == b"one two"


def test_chunks_stay_small_even_for_a_decompression_bomb() -> None:
    pieces = ContentDecoder("gzip").feed(gzip.compress(bytes(100_000_000)))
    assert len(next(pieces)) <= 65_536
    assert len(next(pieces)) <= 65_536


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "zstd", "gzip,deflate"])
def test_encodings_on_top_of_each_other_and_unknown_ones_are_refused(encoding: str) -> None:
    with pytest.raises(ContentDecodingError):
        ContentDecoder(encoding)


def test_a_body_that_ends_in_the_middle_is_noticed() -> None:
    with pytest.raises(ContentDecodingError, match="it is truncated"):
        inflated("gzip", gzip.compress(b"something longer")[:-6], 1000)


def test_a_body_that_is_something_else_is_noticed() -> None:
    with pytest.raises(ContentDecodingError):
        inflated("gzip", b"<html>not gzip</html>", 1000)


def test_an_empty_body_is_empty_in_any_encoding() -> None:
    assert inflated("gzip", b"", 1) == b""
