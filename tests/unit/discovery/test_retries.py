"""A link is tried again only after a verdict that may change, and not for ever."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from found_footy.discovery.candidates.retries import (
    DOWNLOAD_DEAD_AFTER,
    DOWNLOAD_START_GRACE,
    MAX_RETRIED_CANDIDATES,
    MAX_TRIES,
    CandidateVerdict,
    KnownCandidates,
    RetryPlan,
    candidate_document,
    candidate_from_document,
    classify_candidates,
    collect_verdicts,
    find_recorded_candidates,
    find_silent_downloads,
    is_retryable,
    plan_retry,
)
from found_footy.domain.ids import link_field_name
from found_footy.domain.messages import ClipCandidate, PipelinePace, VideoVariant
from found_footy.domain.outcomes import RetryAdvice

NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)
UNSEEN = "vision_unavailable"


def said(*retries: str | None) -> list[CandidateVerdict]:
    return [
        CandidateVerdict(f"download{n}", NOW, RetryAdvice(word) if word else None)
        for n, word in enumerate(retries, start=1)
    ]


@pytest.mark.parametrize(
    ("verdicts", "again"),
    [
        ((), False),
        ((None,), False),
        (("always",), True),
        (("few",), True),
        (("few", "few"), False),
        (("few", "always"), True),
        (("always", None), False),
        (("always", "never"), False),
        (("never", "always"), True),
        (("never",), False),
        (("always",) * (MAX_TRIES - 1), True),
        (("always",) * MAX_TRIES, False),
    ],
)
def test_the_newest_verdict_decides_and_three_tries_within_a_search_are_enough(
    verdicts: tuple[str | None, ...], again: bool
) -> None:
    assert is_retryable(said(*verdicts)) is again


@pytest.mark.parametrize(
    ("reported", "retry"),
    [
        ({"outcome": "vision_unavailable"}, RetryAdvice.ALWAYS),
        ({"outcome": "download_rate_limited"}, RetryAdvice.ALWAYS),
        ({"outcome": "download_timeout"}, RetryAdvice.ALWAYS),
        ({"outcome": "download_failed"}, RetryAdvice.NEVER),
        ({"outcome": "download_failed", "retry": "always"}, RetryAdvice.ALWAYS),
        ({"outcome": "download_failed", "retry": "few"}, RetryAdvice.FEW),
        ({"outcome": "download_geo"}, RetryAdvice.NEVER),
        ({"outcome": "uploaded", "retry": "never"}, RetryAdvice.NEVER),
        # Recorded while the goal was removed; it is restored since.
        ({"outcome": "event_removed", "retry": "never"}, RetryAdvice.ALWAYS),
        ({"outcome": "a word that nobody knows", "retry": "nor this"}, RetryAdvice.NEVER),
        ({"md5": "handed on"}, None),
    ],
)
def test_the_step_that_failed_says_whether_the_failure_is_temporary(
    reported: dict[str, str], retry: RetryAdvice | None
) -> None:
    attempt = {"searched_at": NOW, "links": ["u"], "clips": {link_field_name("u"): reported}}
    [verdict] = collect_verdicts(an_event([a_link("u")], download1=attempt), "u", NOW)
    assert verdict.retry is retry


def a_link(url: str, **changes: Any) -> dict[str, Any]:
    return {"url": url, "tweet_id": "1", "author": "fan", "posted_at": NOW, "duration": 9.0, "attempt": 1, **changes}


def an_attempt(minute: int, verdicts: dict[str, str | None]) -> dict[str, Any]:
    """An attempt that took these links; None is a link that it has not told about."""
    reported = {link_field_name(url): {"url": url, "outcome": outcome} for url, outcome in verdicts.items() if outcome}
    return {"searched_at": NOW + timedelta(minutes=minute), "links": list(verdicts), "clips": reported}


def an_event(links: list[dict[str, Any]], **attempts: dict[str, Any]) -> dict[str, Any]:
    return {"_discovered_videos": links, "_telemetry": {"attempts": attempts}}


def test_candidates_are_known_once_found_and_retried_while_their_verdict_may_change() -> None:
    event = an_event(
        [
            a_link(url)
            for url in ("seen", "unseen", "on its way", "seen later", "tried again", "given up", "never taken")
        ],
        # Ten comes after nine, however their names are sorted.
        download10=an_attempt(10, {"seen later": "not_soccer", "tried again": None, "given up": UNSEEN}),
        download9=an_attempt(9, {"unseen": UNSEEN, "on its way": None, "given up": UNSEEN}),
        download8=an_attempt(8, {"seen": "uploaded", "seen later": UNSEEN, "tried again": UNSEEN, "given up": UNSEEN}),
    )
    links = classify_candidates(event, NOW + timedelta(minutes=11))
    assert set(links.known_urls) == {link["url"] for link in event["_discovered_videos"]}
    assert [video.url for video in links.retried] == ["unseen"]
    assert [video.url for video in links.deferred] == ["never taken"]


def test_those_tried_least_come_first_then_the_longest_and_not_too_many() -> None:
    urls = [f"u{number}" for number in range(MAX_RETRIED_CANDIDATES + 5)]
    event = an_event(
        [a_link(url, duration=float(number)) for number, url in enumerate(urls)],
        download1=an_attempt(1, dict.fromkeys(urls, UNSEEN)),
        download2=an_attempt(2, dict.fromkeys(urls[-2:], UNSEEN)),
    )
    again = [video.url for video in classify_candidates(event, NOW).retried]
    assert again == urls[-3 : -3 - MAX_RETRIED_CANDIDATES : -1]


def test_attempts_recorded_without_candidates_can_be_read() -> None:
    attempt = an_attempt(1, {"unseen": UNSEEN})
    del attempt["links"]
    event = an_event([a_link("unseen")], download1=attempt)
    assert [video.url for video in classify_candidates(event, NOW).retried] == ["unseen"]


def test_a_goal_without_links_has_none() -> None:
    assert classify_candidates({}, NOW) == KnownCandidates()


@pytest.mark.parametrize(
    ("after", "delivered", "again"),
    [
        (DOWNLOAD_DEAD_AFTER + timedelta(seconds=1), [], ["silent"]),
        (DOWNLOAD_DEAD_AFTER, [], []),
        (DOWNLOAD_DEAD_AFTER + timedelta(hours=1), ["download1"], []),
    ],
)
def test_a_download_without_progress_for_long_is_considered_ended_and_its_candidates_are_retried(
    after: timedelta, delivered: list[str], again: list[str]
) -> None:
    event = an_event([a_link("silent"), a_link("told")], download1=an_attempt(0, {"silent": None, "told": "uploaded"}))
    links = classify_candidates({**event, "_delivered_workflows": delivered}, NOW + after)
    assert [video.url for video in links.retried] == again


@pytest.mark.parametrize(
    ("judged", "now", "again"),
    [
        ({"time": {"elapsed": 90, "extra": None}}, {"elapsed": 90, "extra": 6}, ["late"]),
        ({"time": {"elapsed": 90, "extra": 6}}, {"elapsed": 90, "extra": 6}, []),
        ({"time": {"elapsed": 45, "extra": None}}, {"elapsed": 46, "extra": None}, ["late"]),
        ({}, {"elapsed": 90, "extra": 6}, []),
    ],
)
def test_a_verdict_on_the_minute_stands_only_as_long_as_the_minute(
    judged: dict[str, Any], now: dict[str, Any], again: list[str]
) -> None:
    attempt = {**an_attempt(0, {"late": "wrong_minute", "no football": "not_soccer"}), **judged}
    event = an_event([a_link("late"), a_link("no football")], download1=attempt)
    assert [video.url for video in classify_candidates({**event, "time": now}, NOW).retried] == again


def test_a_clip_of_another_goal_is_checked_again_once_the_feed_has_corrected_the_score() -> None:
    judged, corrected = {"home": 1, "away": 0}, {"home": 2, "away": 0}
    attempt = {**an_attempt(0, {"other": "wrong_goal", "no football": "not_soccer"}), "score_after": judged}
    event = an_event([a_link("other"), a_link("no football")], download1=attempt)
    assert classify_candidates({**event, "_score_after": judged}, NOW).retried == ()
    [again] = classify_candidates({**event, "_score_after": corrected}, NOW).retried
    assert again.url == "other"


def test_what_is_kept_of_a_video_is_all_that_another_try_needs() -> None:
    video = ClipCandidate(
        "https://x.com/fan/status/2089000000000000001/video/2",
        "2089000000000000001",
        "fan",
        NOW,
        12.5,
        variants=(VideoVariant("https://video.twimg.com/a.mp4", 832_000, 640, 360),),
        source="manual",
    )
    assert candidate_from_document(candidate_document(video, 3)) == video
    assert candidate_document(video, 3)["taken"]
    assert not candidate_document(video, 3, taken=False)["taken"]


PACE = PipelinePace(retry_first=timedelta(minutes=5), retry_longest=timedelta(hours=4))


def an_open_event(urls: list[str], **attempts: dict[str, Any]) -> dict[str, Any]:
    return {**an_event([a_link(url) for url in urls], **attempts), "_open_links": urls}


def planned(event: dict[str, Any], running: tuple[str, ...] = ()) -> RetryPlan:
    return plan_retry(event, running, NOW, PACE)


def test_a_candidate_that_could_not_be_checked_is_retried_and_a_checked_one_is_not() -> None:
    urls = ["unseen", "seen", "left", "forgotten", "on its way", "died"]
    event = an_open_event(
        urls,
        download1=an_attempt(-20, {"unseen": UNSEEN, "seen": "not_soccer"}),
        download2=an_attempt(-19, {"on its way": None}),
        download3=an_attempt(-18, {"died": None}),
    )
    event["_discovered_videos"] = [link for link in event["_discovered_videos"] if link["url"] != "forgotten"]
    plan = planned(event, running=("download2",))
    assert {video.url for video in plan.videos} == {"unseen", "left", "died"}
    assert set(plan.settled) == {"seen", "forgotten"}
    assert (plan.number, plan.next_at) == (1, NOW + timedelta(minutes=5))


def test_a_link_is_tried_for_as_long_as_it_takes_with_growing_pauses() -> None:
    pauses = []
    for rounds in (*range(9), 90):
        attempts = {f"extraretry{n}": an_attempt(-500 + n, {"unseen": UNSEEN}) for n in range(1, rounds + 1)}
        plan = planned(an_open_event(["unseen"], download1=an_attempt(-999, {"unseen": UNSEEN}), **attempts))
        assert [video.url for video in plan.videos] == ["unseen"]
        assert plan.number == rounds + 1
        assert plan.next_at is not None
        pauses.append((plan.next_at - NOW) / timedelta(minutes=1))
    assert pauses == [5, 10, 20, 40, 80, 160, 240, 240, 240, 240]


def crashed_at(*minutes: int) -> dict[str, Any]:
    """A goal whose only open link has crashed its decoder in downloads that began this many minutes from now."""
    attempts = {f"extraretry{n}": an_attempt(at, {"crash": "download_failed"}) for n, at in enumerate(minutes)}
    for attempt in attempts.values():
        attempt["clips"][link_field_name("crash")]["retry"] = "few"
    return an_open_event(["crash"], **attempts)


def test_a_file_that_may_be_at_fault_itself_has_a_second_try_soon_and_the_others_an_hour_apart() -> None:
    assert planned(crashed_at(-5)).videos
    assert planned(crashed_at(-10, -5)) == RetryPlan(number=3, next_at=NOW + timedelta(minutes=55))
    assert planned(crashed_at(-66, -61)).videos


@pytest.mark.parametrize(
    ("minutes", "given_up"),
    [((-3, -2, -1), False), ((-150, -149, -148, -147), False), ((-190, -185), False), ((-190, -185, -69), True)],
)
def test_a_file_is_given_up_only_when_its_decoder_died_in_three_downloads_over_two_hours(
    minutes: tuple[int, ...], given_up: bool
) -> None:
    """A machine that is short of memory kills many decoders within minutes; that says nothing about the clip."""
    plan = planned(crashed_at(*minutes))
    assert plan.settled == (("crash",) if given_up else ())
    assert (plan.next_at is None) is given_up


def test_a_file_that_waits_for_its_retry_delays_no_other_candidate() -> None:
    event = crashed_at(-10, -5)
    event["_discovered_videos"].append(a_link("unseen"))
    event["_open_links"] = ["crash", "unseen"]
    event["_telemetry"]["attempts"]["download9"] = an_attempt(-9, {"unseen": UNSEEN})
    assert [video.url for video in planned(event).videos] == ["unseen"]


def test_a_file_at_fault_is_not_given_up_while_a_download_has_it() -> None:
    crashed = [an_attempt(minute, {"crash": "download_failed"}) for minute in range(-50, -50 + MAX_TRIES)]
    for attempt in crashed:
        attempt["clips"][link_field_name("crash")]["retry"] = "few"
    attempts = {f"download{n}": attempt for n, attempt in enumerate(crashed)}
    event = an_open_event(["crash"], **attempts, download9=an_attempt(-3, {"crash": None}))
    assert planned(event, running=("download9",)) == RetryPlan(next_at=NOW + timedelta(minutes=5))


def test_nothing_is_retried_while_a_download_may_still_finish() -> None:
    event = an_open_event(["on its way"], download1=an_attempt(-90, {"on its way": None}))
    assert planned(event, running=("download1",)) == RetryPlan(next_at=NOW + timedelta(minutes=5))
    assert planned(an_open_event([])) == RetryPlan()


def test_those_tried_least_come_first_so_that_no_link_waits_for_the_pauses_of_others() -> None:
    old, new = [f"old{n}" for n in range(8)], [f"new{n:02}" for n in range(12)]
    event = an_open_event([*old, *new], extraretry1=an_attempt(-9, dict.fromkeys(old, UNSEEN)))
    plan = planned(event)
    assert [video.url for video in plan.videos] == new[:MAX_RETRIED_CANDIDATES]
    assert plan.next_at == NOW + timedelta(minutes=5)


def test_only_downloads_without_progress_are_queried_and_new_ones_count_as_running() -> None:
    event = an_open_event(
        ["a", "b", "c"],
        old=an_attempt(-60, {"a": None, "b": UNSEEN}),
        new=an_attempt(0, {"c": None}),
    )
    assert find_silent_downloads(event, NOW) == ({"new"}, {"old"})
    assert find_silent_downloads(event, NOW + DOWNLOAD_START_GRACE) == (set(), {"old", "new"})


def test_a_download_that_was_recorded_keeps_its_videos() -> None:
    event = an_event([a_link("a"), a_link("b")], download1=an_attempt(0, {"b": None, "forgotten": None}))
    assert [video.url for video in find_recorded_candidates(event, "download1") or ()] == ["b"]
    assert find_recorded_candidates(event, "download2") is None
