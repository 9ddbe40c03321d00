"""A link is tried again only after a verdict that may change, and not for ever."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from found_footy.discovery.retries import (
    DIED_AFTER,
    MOST_AGAIN,
    MOST_TRIES,
    OPEN,
    PASSES,
    Links,
    is_retried,
    link_of,
    links_of,
    video_of,
)
from found_footy.model.handoff import FoundVideo, VideoVariant
from found_footy.model.ids import source_key
from found_footy.model.outcome import ClipOutcome

NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)
UNSEEN = "vision_unavailable"


def test_every_outcome_is_in_the_table() -> None:
    assert set(PASSES) == set(ClipOutcome)
    assert {outcome.value for outcome, passes in PASSES.items() if passes} == {
        "vision_unavailable", "download_rate_limited", "download_timeout",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("verdicts", "again"),
    [
        ([], False),
        ([None], False),
        ([UNSEEN], True),
        (["download_rate_limited"], True),
        (["download_timeout", UNSEEN], True),
        ([UNSEEN, None], False),
        ([OPEN], True),
        ([OPEN, "uploaded"], False),
        ([OPEN] * MOST_TRIES, False),
        ([UNSEEN, "uploaded"], False),
        (["uploaded", UNSEEN], True),
        (["download_deleted"], False),
        (["download_failed"], False),
        (["a word that nobody knows"], False),
        ([UNSEEN] * (MOST_TRIES - 1), True),
        ([UNSEEN] * MOST_TRIES, False),
        ([UNSEEN] * (MOST_TRIES + 1), False),
    ],
)
def test_the_newest_verdict_decides_and_three_tries_are_enough(verdicts: list[str | None], again: bool) -> None:
    assert is_retried(verdicts) is again


def a_link(url: str, **changes: Any) -> dict[str, Any]:
    return {"url": url, "tweet_id": "1", "author": "fan", "posted_at": NOW, "duration": 9.0, "attempt": 1, **changes}


def an_attempt(minute: int, verdicts: dict[str, str | None]) -> dict[str, Any]:
    """An attempt that took these links; None is a link that it has not told about."""
    told = {source_key(url): {"url": url, "outcome": outcome} for url, outcome in verdicts.items() if outcome}
    return {"searched_at": NOW + timedelta(minutes=minute), "links": list(verdicts), "clips": told}


def an_event(links: list[dict[str, Any]], **attempts: dict[str, Any]) -> dict[str, Any]:
    return {"_discovered_videos": links, "_telemetry": {"attempts": attempts}}


def test_links_are_known_from_the_moment_they_are_taken_until_their_verdict_may_change() -> None:
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
    links = links_of(event, NOW + timedelta(minutes=11))
    assert links.known == ("seen", "on its way", "seen later", "tried again", "given up", "never taken")
    assert [video.url for video in links.again] == ["unseen"]


def test_those_tried_least_come_first_then_the_longest_and_not_too_many() -> None:
    urls = [f"u{number}" for number in range(MOST_AGAIN + 5)]
    event = an_event(
        [a_link(url, duration=float(number)) for number, url in enumerate(urls)],
        download1=an_attempt(1, dict.fromkeys(urls, UNSEEN)),
        download2=an_attempt(2, dict.fromkeys(urls[-2:], UNSEEN)),
    )
    again = [video.url for video in links_of(event, NOW).again]
    assert again == urls[-3 : -3 - MOST_AGAIN : -1]


def test_attempts_recorded_before_links_were_are_understood() -> None:
    attempt = an_attempt(1, {"unseen": UNSEEN})
    del attempt["links"]
    event = an_event([a_link("unseen")], download1=attempt)
    assert [video.url for video in links_of(event, NOW).again] == ["unseen"]


def test_a_goal_without_links_has_none() -> None:
    assert links_of({}, NOW) == Links()


@pytest.mark.parametrize(
    ("after", "delivered", "again"),
    [
        (DIED_AFTER + timedelta(seconds=1), [], ["silent"]),
        (DIED_AFTER, [], []),
        (DIED_AFTER + timedelta(hours=1), ["download1"], []),
    ],
)
def test_a_download_that_is_silent_for_long_has_died_and_its_links_are_tried_again(
    after: timedelta, delivered: list[str], again: list[str]
) -> None:
    event = an_event([a_link("silent"), a_link("told")], download1=an_attempt(0, {"silent": None, "told": "uploaded"}))
    links = links_of({**event, "_delivered_workflows": delivered}, NOW + after)
    assert [video.url for video in links.again] == again


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
    assert [video.url for video in links_of({**event, "time": now}, NOW).again] == again


def test_what_is_kept_of_a_video_is_all_that_another_try_needs() -> None:
    video = FoundVideo(
        "https://x.com/fan/status/2089000000000000001/video/2", "2089000000000000001", "fan", NOW, 12.5,
        variants=(VideoVariant("https://video.twimg.com/a.mp4", 832_000, 640, 360),), source="manual",
    )  # fmt: skip
    assert video_of(link_of(video, 3)) == video
