"""Which bytes a request gets."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.web.ranges import ObjectMetadata, RangeResponse, build_media_headers, decide_range_response

FACTS = ObjectMetadata(size=1000, etag="abc", modified=datetime(2026, 11, 15, 20, 0, tzinfo=UTC))
WHOLE = RangeResponse(200, 0, 999)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (None, WHOLE),
        ("bytes=0-", RangeResponse(206, 0, 999)),
        ("bytes=0-0", RangeResponse(206, 0, 0)),
        ("bytes=0-999", RangeResponse(206, 0, 999)),
        ("bytes=500-", RangeResponse(206, 500, 999)),
        ("bytes=500-599", RangeResponse(206, 500, 599)),
        ("bytes=500-5000", RangeResponse(206, 500, 999)),
        ("bytes=999-", RangeResponse(206, 999, 999)),
        ("bytes=1000-", RangeResponse(416)),
        ("bytes=1000-2000", RangeResponse(416)),
        ("bytes=-1", RangeResponse(206, 999, 999)),
        ("bytes=-200", RangeResponse(206, 800, 999)),
        ("bytes=-5000", RangeResponse(206, 0, 999)),
        ("bytes=-0", RangeResponse(416)),
        ("Bytes=0-9", RangeResponse(206, 0, 9)),
        ("bytes= 0 - 9 ", RangeResponse(206, 0, 9)),
        ("bytes=9-0", WHOLE),
        ("bytes=-", WHOLE),
        ("bytes=", WHOLE),
        ("bytes=a-b", WHOLE),
        ("bytes=0-9,20-29", WHOLE),
        ("bytes=0-9" + "9" * 5000, WHOLE),
        ("items=0-9", WHOLE),
        ("", WHOLE),
    ],
)
def test_a_range_is_answered_with_its_bytes(wanted: str | None, expected: RangeResponse) -> None:
    assert decide_range_response({} if wanted is None else {"range": wanted}, FACTS) == expected


@given(st.text(max_size=40), st.integers(0, 50))
def test_no_range_reaches_outside_the_object(wanted: str, size: int) -> None:
    result = decide_range_response({"range": f"bytes={wanted}"}, ObjectMetadata(size, "x", FACTS.modified))
    assert result.status in {200, 206, 416}
    if result.status == 206:
        assert 0 <= result.start <= result.end < size


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 50))
def test_a_range_is_the_slice_it_says(first: int, last: int, size: int) -> None:
    content = bytes(range(size))
    result = decide_range_response({"range": f"bytes={first}-{last}"}, ObjectMetadata(size, "x", FACTS.modified))
    if result.status == 206:
        assert content[result.start : result.end + 1] == content[first : last + 1]
    else:
        assert first >= size or last < first


@pytest.mark.parametrize(
    ("header", "fresh"),
    [
        ('"abc"', True),
        ('W/"abc"', True),
        ('"x", "abc"', True),
        ("*", True),
        ('"abcd"', False),
        ("abc", False),
        ("", False),
    ],
)
def test_a_copy_that_is_still_good_is_not_sent_again(header: str, fresh: bool) -> None:
    assert (decide_range_response({"if-none-match": header}, FACTS).status == 304) is fresh


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ('"abc"', 206),
        ("Sun, 15 Nov 2026 20:00:00 GMT", 206),
        ('W/"abc"', 200),
        ('"old"', 200),
        ("Sun, 15 Nov 2026 20:00:01 GMT", 200),
    ],
)
def test_a_range_of_another_version_is_answered_with_the_whole(header: str, status: int) -> None:
    assert decide_range_response({"range": "bytes=0-9", "if-range": header}, FACTS).status == status


def test_headers_say_what_is_sent() -> None:
    part = build_media_headers(RangeResponse(206, 10, 19), FACTS, "video/mp4")
    assert part["Content-Range"] == "bytes 10-19/1000"
    assert (part["Content-Length"], part["ETag"], part["Accept-Ranges"]) == ("10", '"abc"', "bytes")
    assert part["Cache-Control"] == "public, max-age=300, must-revalidate"
    assert build_media_headers(RangeResponse(304), FACTS, "video/mp4")["Cache-Control"] == part["Cache-Control"]
    refused = build_media_headers(RangeResponse(416), FACTS, "video/mp4")
    assert refused["Content-Range"] == "bytes */1000"
    assert "Content-Length" not in build_media_headers(RangeResponse(304), FACTS, "video/mp4")


def test_the_date_is_in_gmt_wherever_the_store_is() -> None:
    there = ObjectMetadata(1, '"q"', datetime(2026, 11, 15, 22, 0, tzinfo=timezone(timedelta(hours=2))))
    assert there.last_modified == "Sun, 15 Nov 2026 20:00:00 GMT"
    assert there.quoted_etag == '"q"'
