"""An attempt takes the longest new videos, and looks back far enough."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from found_footy.discovery.links import choose, max_age_minutes, posted_since, read_out, with_retries
from found_footy.discovery.store import attempts_of
from found_footy.model.handoff import FoundVideo

NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)


def a_video(url: str, seconds: float | None = 10.0) -> FoundVideo:
    return FoundVideo(url, "2089000000000000001", "fan", NOW, seconds)


def test_the_longest_come_first_and_no_more_than_asked() -> None:
    videos = [a_video("a", 5), a_video("b", 20), a_video("c", None), a_video("d", 10)]
    assert [video.url for video in choose(videos, (), 3)] == ["b", "d", "a"]


def test_known_and_repeated_links_are_dropped() -> None:
    videos = [a_video("a"), a_video("a"), a_video("b"), a_video("c")]
    assert [video.url for video in choose(videos, {"b"}, 5)] == ["a", "c"]


def test_posts_from_before_are_dropped_and_those_without_a_time_are_not() -> None:
    old, timeless = replace(a_video("a"), posted_at=NOW - timedelta(hours=1)), replace(a_video("b"), posted_at=None)
    assert posted_since([old, timeless, a_video("c")], NOW) == (timeless, a_video("c"))


@pytest.mark.parametrize(
    ("seconds_ago", "window", "minutes"),
    [(10, 180, 3), (180, 180, 3), (181, 180, 4), (1200, 180, 20), (0, 1, 1), (-50, 180, 3)],
)
def test_a_search_reaches_back_to_the_last_one_and_at_least_the_window(
    seconds_ago: int, window: int, minutes: int
) -> None:
    since = NOW - timedelta(seconds=seconds_ago)
    assert max_age_minutes(NOW, since, timedelta(seconds=window)) == minutes


def test_what_came_to_no_verdict_is_taken_besides_the_finds_and_not_twice() -> None:
    fresh = (a_video("a"), a_video("b"))
    again = [a_video("b", 1), a_video("c"), a_video("d"), a_video("e")]
    assert [video.url for video in with_retries(fresh, again, 2)] == ["a", "b", "c", "d"]
    assert with_retries(fresh, [], 2) == fresh


def test_a_source_is_read_out_when_all_it_found_is_known_or_taken() -> None:
    videos = [a_video("known"), a_video("taken"), replace(a_video("left"), source="bluesky")]
    assert read_out(("x", "bluesky", "quiet"), videos, {"known"}, [a_video("taken")]) == ("x", "quiet")
    assert read_out(("x",), videos, (), [a_video("taken")]) == ()


def test_attempts_taken_over_from_another_scorer_do_not_count() -> None:
    event = {
        "_telemetry": {"attempts": {"download3-A-B-1_2_3_Goal_1": {"attempt": 3}, "download1-A-C-1_2_4_Goal_1": {}}}
    }
    assert attempts_of(event, "1_2_4_Goal_1") == [{}]
    assert attempts_of({}, "1_2_4_Goal_1") == []
