"""Every sign the site is known to give, and what it means."""

import json
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.xsearch.errors import (
    SearchFailed,
    TransientFailure,
    XAccountLocked,
    XBlocked,
    XProtocolDrift,
    XRateLimited,
    XSessionExpired,
)
from found_footy.xsearch.results.responses import (
    EmptyNotFound,
    EmptyShell,
    PageSnapshot,
    TimelineResponse,
    classify_document,
    classify_location,
    classify_silence,
    is_timeline_call,
    parse_response,
)

SITE = "https://x.com"
JSON = {"content-type": "application/json; charset=utf-8", "cf-ray": "8f-AMS"}
HTML = {"content-type": "text/html", "cf-ray": "8f-AMS"}
EMPTY: dict[str, Any] = {"data": {"search_by_raw_query": {"search_timeline": {"timeline": {"instructions": []}}}}}


def answer(body: object = None, status: int = 200, headers: dict[str, str] | None = None) -> TimelineResponse:
    raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    return TimelineResponse(status, JSON if headers is None else headers, raw)


def error(code: int, message: str = "words", **more: Any) -> dict[str, Any]:
    return {"errors": [{"code": code, "message": message}], **more}


LEFT = {**JSON, "x-rate-limit-remaining": "31", "x-rate-limit-reset": "1800000000", "x-rate-limit-limit": "50"}
NONE_LEFT = {**LEFT, "x-rate-limit-remaining": "0"}

FAILURES: list[tuple[str, TimelineResponse, type[SearchFailed]]] = [
    ("401", answer(error(32), 401), XSessionExpired),
    ("401 without words", answer(None, 401), XSessionExpired),
    ("code 32 in a good answer", answer(error(32)), XSessionExpired),
    ("403 without a body", answer(None, 403), XSessionExpired),
    ("403 without errors", answer({}, 403), XSessionExpired),
    ("the csrf cookie does not fit", answer(error(353), 403), XSessionExpired),
    ("code 326", answer(error(326), 403), XAccountLocked),
    ("suspended", answer(error(64), 403), XAccountLocked),
    ("locked in words", answer(error(0, "this account is temporarily locked."), 403), XAccountLocked),
    ("locked although data came along", answer(error(326, **EMPTY)), XAccountLocked),
    ("429", answer(b"Rate limit exceeded", 429, NONE_LEFT), XRateLimited),
    ("429 as a page of the gatekeeper", answer(b"<html>", 429, HTML), XRateLimited),
    ("code 88", answer(error(88), headers=NONE_LEFT), XRateLimited),
    ("code 88 without figures", answer(error(88)), XRateLimited),
    ("code 88 with requests left", answer(error(88), headers=LEFT), XBlocked),
    ("404 without a body", answer(None, 404, {}), EmptyNotFound),
    ("code 336", answer(error(336), 400), XProtocolDrift),
    ("400", answer({}, 400), XProtocolDrift),
    ("no timeline", answer({"data": {}}), XProtocolDrift),
    ("null", answer(b"null"), XProtocolDrift),
    ("an empty good answer", answer(None), XProtocolDrift),
    ("a page instead of data", answer(b"<html>", 200, HTML), XProtocolDrift),
    ("code -1", answer(error(-1, "LoadShed: busy")), TransientFailure),
    ("a timeout in words", answer(error(29, "Timeout: Unspecified")), TransientFailure),
    ("an unknown code without data", answer(error(4711)), TransientFailure),
    ("an error that is no object", answer({"errors": ["?"]}), TransientFailure),
    ("500", answer(None, 500), TransientFailure),
    ("503 in words", answer(b"upstream connect error", 503, {"content-type": "text/plain"}), TransientFailure),
    ("truncated", answer(b'{"data":{"sea'), TransientFailure),
    ("lost on the way", TimelineResponse(200, JSON, None), TransientFailure),
    ("the gatekeeper's page", answer(b"<html>", 403, HTML), XBlocked),
]


@pytest.mark.parametrize(("given_answer", "meaning"), [f[1:] for f in FAILURES], ids=[f[0] for f in FAILURES])
def test_every_failing_answer_has_one_meaning(given_answer: TimelineResponse, meaning: type[SearchFailed]) -> None:
    with pytest.raises(SearchFailed) as caught:
        parse_response(given_answer, SITE)
    assert type(caught.value) is meaning


def test_a_rate_limit_says_until_when() -> None:
    with pytest.raises(XRateLimited) as caught:
        parse_response(answer(None, 429, NONE_LEFT), SITE)
    assert caught.value.until == datetime.fromtimestamp(1_800_000_000, UTC)


def test_a_sound_answer_without_posts_is_a_result() -> None:
    read = parse_response(answer(EMPTY), SITE)
    assert (read.page.posts, read.degraded) == (0, False)


def test_the_last_allowed_answer_is_still_an_answer() -> None:
    assert parse_response(answer(EMPTY, headers=NONE_LEFT), SITE).page.posts == 0


def test_a_partial_answer_is_kept_and_marked() -> None:
    assert parse_response(answer(error(0, "Dependency: Unspecified", **EMPTY)), SITE).degraded


def entries(*rows: dict[str, Any]) -> dict[str, Any]:
    timeline = {"instructions": [{"type": "TimelineAddEntries", "entries": list(rows)}]}
    return {"data": {"search_by_raw_query": {"search_timeline": {"timeline": timeline}}}}


def test_posts_of_which_none_can_be_read_are_protocol_drift_and_not_an_empty_result() -> None:
    unreadable = {"entryId": "tweet-1", "content": {"itemContent": {"post_results": {}}}}
    with pytest.raises(XProtocolDrift):
        parse_response(answer(entries(unreadable)), SITE)


def test_entries_of_no_known_kind_are_protocol_drift_and_not_an_empty_result() -> None:
    with pytest.raises(XProtocolDrift):
        parse_response(answer(entries({"entryId": "card-1", "content": {}})), SITE)


@given(st.integers(100, 599), st.binary(max_size=200), st.sampled_from([JSON, HTML, {}, LEFT, NONE_LEFT]))
def test_whatever_arrives_is_a_result_or_a_named_failure(status: int, body: bytes, headers: dict[str, str]) -> None:
    with suppress(SearchFailed):
        assert parse_response(TimelineResponse(status, headers, body), SITE).page.posts >= 0


@pytest.mark.parametrize(
    ("url", "meaning"),
    [
        ("https://x.com/i/flow/login?redirect_after_login=%2Fsearch", XSessionExpired),
        ("https://x.com/i/jf/onboarding/web?mode=login&redirect_after_login=%2Fsearch", XSessionExpired),
        ("https://x.com/login", XSessionExpired),
        ("https://x.com/account/access", XAccountLocked),
        ("https://x.com/account/suspended", XAccountLocked),
    ],
)
def test_a_redirect_is_a_named_failure(url: str, meaning: type[SearchFailed]) -> None:
    assert type(classify_location(url)) is meaning


@pytest.mark.parametrize(
    "url", ["about:blank", "https://x.com/search?q=%2Flogin%20/i/flow/login&f=live", "https://x.com/home"]
)
def test_a_query_may_contain_any_word(url: str) -> None:
    assert classify_location(url) is None


@pytest.mark.parametrize(
    ("status", "headers", "meaning"),
    [
        (200, {}, type(None)),
        (304, {}, type(None)),
        (403, {"cf-ray": "1"}, XBlocked),
        (403, {}, XSessionExpired),
        (401, {}, XSessionExpired),
        (404, {}, XProtocolDrift),
        (429, {"cf-ray": "1"}, XRateLimited),
        (500, {}, TransientFailure),
        (503, {"cf-ray": "1"}, TransientFailure),
    ],
)
def test_the_pages_own_status_has_a_meaning(status: int, headers: dict[str, str], meaning: type) -> None:
    assert type(classify_document(status, headers)) is meaning


@pytest.mark.parametrize(
    ("view", "meaning"),
    [
        (PageSnapshot("https://x.com/i/flow/login"), XSessionExpired),
        (PageSnapshot(SITE, text="Your account has been Temporarily Locked."), XAccountLocked),
        (PageSnapshot(SITE, challenge=True), XAccountLocked),
        (PageSnapshot(SITE, articles=3), XProtocolDrift),
        (PageSnapshot(SITE, empty_state=True), XProtocolDrift),
        (PageSnapshot(SITE, error_detail=True), TransientFailure),
        (PageSnapshot(SITE), EmptyShell),
    ],
)
def test_a_missing_answer_is_explained_by_what_the_page_shows(view: PageSnapshot, meaning: type) -> None:
    assert type(classify_silence(view, shells_before=0)) is meaning


@pytest.mark.parametrize(("before", "meaning"), [(0, EmptyShell), (1, EmptyShell), (2, XBlocked), (9, XBlocked)])
def test_an_empty_page_is_a_temporary_failure_twice_and_a_blocked_account_after_that(
    before: int, meaning: type
) -> None:
    assert type(classify_silence(PageSnapshot(SITE), before)) is meaning


@pytest.mark.parametrize(
    ("url", "method", "expected"),
    [
        ("https://x.com/i/api/graphql/aB-_9/SearchTimeline?variables=%7B%7D", "GET", True),
        ("https://x.com/i/api/graphql/other/SearchTimeline", "POST", True),
        ("https://x.com/i/api/graphql/aB/SearchTimeline", "OPTIONS", False),
        ("https://x.com/i/api/graphql/aB/HomeTimeline?next=/SearchTimeline", "GET", False),
    ],
)
def test_the_search_call_is_known_by_its_last_word(url: str, method: str, expected: bool) -> None:
    assert is_timeline_call(url, method) is expected
