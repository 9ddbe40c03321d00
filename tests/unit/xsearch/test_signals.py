"""Every sign the site is known to give, and what it means."""

import json
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.xsearch.errors import (
    AccountLocked,
    Blocked,
    ProtocolDrift,
    RateLimited,
    SearchFailed,
    SessionExpired,
    Transient,
)
from found_footy.xsearch.signals import (
    Answer,
    EmptyShell,
    NotFoundEmpty,
    View,
    is_timeline,
    judge_document,
    judge_location,
    judge_silence,
    read_answer,
)

SITE = "https://x.com"
JSON = {"content-type": "application/json; charset=utf-8", "cf-ray": "8f-AMS"}
HTML = {"content-type": "text/html", "cf-ray": "8f-AMS"}
EMPTY: dict[str, Any] = {"data": {"search_by_raw_query": {"search_timeline": {"timeline": {"instructions": []}}}}}


def answer(body: object = None, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    return Answer(status, JSON if headers is None else headers, raw)


def error(code: int, message: str = "words", **more: Any) -> dict[str, Any]:
    return {"errors": [{"code": code, "message": message}], **more}


LEFT = {**JSON, "x-rate-limit-remaining": "31", "x-rate-limit-reset": "1800000000", "x-rate-limit-limit": "50"}
NONE_LEFT = {**LEFT, "x-rate-limit-remaining": "0"}

FAILURES: list[tuple[str, Answer, type[SearchFailed]]] = [
    ("401", answer(error(32), 401), SessionExpired),
    ("401 without words", answer(None, 401), SessionExpired),
    ("code 32 in a good answer", answer(error(32)), SessionExpired),
    ("403 without a body", answer(None, 403), SessionExpired),
    ("403 without errors", answer({}, 403), SessionExpired),
    ("the csrf cookie does not fit", answer(error(353), 403), SessionExpired),
    ("code 326", answer(error(326), 403), AccountLocked),
    ("suspended", answer(error(64), 403), AccountLocked),
    ("locked in words", answer(error(0, "this account is temporarily locked."), 403), AccountLocked),
    ("locked although data came along", answer(error(326, **EMPTY)), AccountLocked),
    ("429", answer(b"Rate limit exceeded", 429, NONE_LEFT), RateLimited),
    ("429 as a page of the gatekeeper", answer(b"<html>", 429, HTML), RateLimited),
    ("code 88", answer(error(88), headers=NONE_LEFT), RateLimited),
    ("code 88 without figures", answer(error(88)), RateLimited),
    ("code 88 with requests left", answer(error(88), headers=LEFT), Blocked),
    ("404 without a body", answer(None, 404, {}), NotFoundEmpty),
    ("code 336", answer(error(336), 400), ProtocolDrift),
    ("400", answer({}, 400), ProtocolDrift),
    ("no timeline", answer({"data": {}}), ProtocolDrift),
    ("null", answer(b"null"), ProtocolDrift),
    ("an empty good answer", answer(None), ProtocolDrift),
    ("a page instead of data", answer(b"<html>", 200, HTML), ProtocolDrift),
    ("code -1", answer(error(-1, "LoadShed: busy")), Transient),
    ("a timeout in words", answer(error(29, "Timeout: Unspecified")), Transient),
    ("an unknown code without data", answer(error(4711)), Transient),
    ("an error that is no object", answer({"errors": ["?"]}), Transient),
    ("500", answer(None, 500), Transient),
    ("503 in words", answer(b"upstream connect error", 503, {"content-type": "text/plain"}), Transient),
    ("cut short", answer(b'{"data":{"sea'), Transient),
    ("lost on the way", Answer(200, JSON, None), Transient),
    ("the gatekeeper's page", answer(b"<html>", 403, HTML), Blocked),
]


@pytest.mark.parametrize(("given_answer", "meaning"), [f[1:] for f in FAILURES], ids=[f[0] for f in FAILURES])
def test_every_failing_answer_has_one_meaning(given_answer: Answer, meaning: type[SearchFailed]) -> None:
    with pytest.raises(SearchFailed) as caught:
        read_answer(given_answer, SITE)
    assert type(caught.value) is meaning


def test_a_rate_limit_says_until_when() -> None:
    with pytest.raises(RateLimited) as caught:
        read_answer(answer(None, 429, NONE_LEFT), SITE)
    assert caught.value.until == datetime.fromtimestamp(1_800_000_000, UTC)


def test_a_sound_answer_without_posts_is_a_result() -> None:
    read = read_answer(answer(EMPTY), SITE)
    assert (read.page.posts, read.degraded) == (0, False)


def test_the_last_allowed_answer_is_still_an_answer() -> None:
    assert read_answer(answer(EMPTY, headers=NONE_LEFT), SITE).page.posts == 0


def test_an_answer_in_part_is_kept_and_marked() -> None:
    assert read_answer(answer(error(0, "Dependency: Unspecified", **EMPTY)), SITE).degraded


def entries(*rows: dict[str, Any]) -> dict[str, Any]:
    timeline = {"instructions": [{"type": "TimelineAddEntries", "entries": list(rows)}]}
    return {"data": {"search_by_raw_query": {"search_timeline": {"timeline": timeline}}}}


def test_posts_of_which_none_can_be_read_are_drift_and_not_an_empty_result() -> None:
    unreadable = {"entryId": "tweet-1", "content": {"itemContent": {"post_results": {}}}}
    with pytest.raises(ProtocolDrift):
        read_answer(answer(entries(unreadable)), SITE)


def test_entries_of_no_known_kind_are_drift_and_not_an_empty_result() -> None:
    with pytest.raises(ProtocolDrift):
        read_answer(answer(entries({"entryId": "card-1", "content": {}})), SITE)


@given(st.integers(100, 599), st.binary(max_size=200), st.sampled_from([JSON, HTML, {}, LEFT, NONE_LEFT]))
def test_whatever_arrives_is_a_result_or_a_named_failure(status: int, body: bytes, headers: dict[str, str]) -> None:
    with suppress(SearchFailed):
        assert read_answer(Answer(status, headers, body), SITE).page.posts >= 0


@pytest.mark.parametrize(
    ("url", "meaning"),
    [
        ("https://x.com/i/flow/login?redirect_after_login=%2Fsearch", SessionExpired),
        ("https://x.com/i/jf/onboarding/web?mode=login&redirect_after_login=%2Fsearch", SessionExpired),
        ("https://x.com/login", SessionExpired),
        ("https://x.com/account/access", AccountLocked),
        ("https://x.com/account/suspended", AccountLocked),
    ],
)
def test_being_led_away_has_a_meaning(url: str, meaning: type[SearchFailed]) -> None:
    assert type(judge_location(url)) is meaning


@pytest.mark.parametrize(
    "url", ["about:blank", "https://x.com/search?q=%2Flogin%20/i/flow/login&f=live", "https://x.com/home"]
)
def test_a_query_may_contain_any_word(url: str) -> None:
    assert judge_location(url) is None


@pytest.mark.parametrize(
    ("status", "headers", "meaning"),
    [
        (200, {}, type(None)),
        (304, {}, type(None)),
        (403, {"cf-ray": "1"}, Blocked),
        (403, {}, SessionExpired),
        (401, {}, SessionExpired),
        (404, {}, ProtocolDrift),
        (429, {"cf-ray": "1"}, RateLimited),
        (500, {}, Transient),
        (503, {"cf-ray": "1"}, Transient),
    ],
)
def test_the_pages_own_status_has_a_meaning(status: int, headers: dict[str, str], meaning: type) -> None:
    assert type(judge_document(status, headers)) is meaning


@pytest.mark.parametrize(
    ("view", "meaning"),
    [
        (View("https://x.com/i/flow/login"), SessionExpired),
        (View(SITE, text="Your account has been Temporarily Locked."), AccountLocked),
        (View(SITE, challenge=True), AccountLocked),
        (View(SITE, articles=3), ProtocolDrift),
        (View(SITE, empty_state=True), ProtocolDrift),
        (View(SITE, error_detail=True), Transient),
        (View(SITE), EmptyShell),
    ],
)
def test_silence_is_explained_by_what_the_page_shows(view: View, meaning: type) -> None:
    assert type(judge_silence(view, shells_before=0)) is meaning


@pytest.mark.parametrize(("before", "meaning"), [(0, EmptyShell), (1, EmptyShell), (2, Blocked), (9, Blocked)])
def test_an_empty_shell_is_bad_luck_twice_and_a_closed_door_after_that(before: int, meaning: type) -> None:
    assert type(judge_silence(View(SITE), before)) is meaning


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
    assert is_timeline(url, method) is expected
