"""An attempt takes the best new videos, and records what it leaves."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from found_footy.discovery.candidates.retries import KnownCandidates, candidate_document, candidate_from_document
from found_footy.discovery.candidates.selection import (
    MAX_STORED_CANDIDATES,
    drop_posted_before,
    select_candidates,
    trim_candidate,
)
from found_footy.discovery.store import own_attempts
from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.domain.outcomes import ClipOutcome
from found_footy.domain.screening import DEFAULT_SCREENING_RULES

NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)


WIDE = VideoVariant("https://v/1280x720/a.mp4")
TALL = VideoVariant("https://v/720x1280/a.mp4")


def make_video(url: str, seconds: float | None = 10.0, variant: VideoVariant | None = WIDE) -> ClipCandidate:
    variants = (variant,) if variant else ()
    return ClipCandidate(url, "2089000000000000001", "fan", NOW, seconds, variants=variants)


def urls(videos: Iterable[ClipCandidate]) -> list[str]:
    return [video.url for video in videos]


def test_candidates_known_to_satisfy_the_rules_come_first_the_longest_of_them_first_and_no_more_than_asked() -> None:
    videos = [
        make_video("short", 5),
        make_video("long", 50),
        make_video("too long", 130),
        make_video("portrait", 20, TALL),
        make_video("unknown length", None),
        make_video("unknown shape", 55, None),
    ]
    found = select_candidates(videos, KnownCandidates(), 3, DEFAULT_SCREENING_RULES)
    assert urls(found.taken) == ["long", "short", "unknown shape"]
    assert urls(found.deferred) == ["unknown length"]
    assert [(video.url, why.outcome) for video, why in found.rejected] == [
        ("too long", ClipOutcome.FILTERED_DURATION),
        ("portrait", ClipOutcome.FILTERED_ASPECT),
    ]


def test_known_refusals_are_never_taken_even_if_there_is_nothing_else() -> None:
    found = select_candidates([make_video("too long", 130)], KnownCandidates(), 5, DEFAULT_SCREENING_RULES)
    assert (found.videos, found.deferred, len(found.rejected)) == ((), (), 1)


def test_known_and_repeated_links_are_dropped_and_what_an_earlier_search_left_competes() -> None:
    videos = [make_video("a"), make_video("a"), make_video("known", 60), make_video("c", 5)]
    found = select_candidates(
        videos, KnownCandidates(("known", "left"), deferred=(make_video("left", 9),)), 2, DEFAULT_SCREENING_RULES
    )
    assert urls(found.taken) == ["a", "left"]
    assert urls(found.deferred) == ["c"]


def test_candidates_without_a_verdict_are_taken_besides_new_ones() -> None:
    again = tuple(make_video(name) for name in "cde")
    found = select_candidates(
        [make_video("a"), make_video("b")], KnownCandidates(tuple("cde"), again), 2, DEFAULT_SCREENING_RULES
    )
    assert urls(found.videos) == ["a", "b", "c", "d"]
    assert select_candidates([], KnownCandidates(), 2, DEFAULT_SCREENING_RULES).videos == ()


def test_the_links_of_a_goal_are_bounded() -> None:
    known = tuple(f"k{number}" for number in range(MAX_STORED_CANDIDATES - 10))
    videos = [make_video(f"v{number:02}") for number in range(30)] + [make_video("too long", 130)]
    found = select_candidates(videos, KnownCandidates(known), 5, DEFAULT_SCREENING_RULES)
    assert (len(found.taken), len(found.deferred), len(found.rejected)) == (5, 5, 0)


def test_the_data_of_a_candidate_is_bounded() -> None:
    files = tuple(VideoVariant(f"https://v/{number}.mp4") for number in range(20))
    long = VideoVariant("https://v/" + "x" * 2000 + ".mp4")
    video = replace(make_video("a"), text="x" * 500, variants=(long, *files))
    kept = trim_candidate(video)
    assert (kept.text, kept.variants) == ("", files[:8])
    assert replace(kept, text=video.text, variants=video.variants) == video


def test_posts_from_before_are_dropped_and_those_without_a_time_are_not() -> None:
    old, timeless = (
        replace(make_video("a"), posted_at=NOW - timedelta(hours=1)),
        replace(make_video("b"), posted_at=None),
    )
    assert drop_posted_before([old, timeless, make_video("c")], NOW) == (timeless, make_video("c"))


def test_attempts_moved_from_another_scorer_do_not_count() -> None:
    event = {
        "_telemetry": {"attempts": {"download3-A-B-1_2_3_Goal_1": {"attempt": 3}, "download1-A-C-1_2_4_Goal_1": {}}}
    }
    assert own_attempts(event, "1_2_4_Goal_1") == [{}]
    assert own_attempts({}, "1_2_4_Goal_1") == []


def test_a_candidate_whose_title_confirms_the_goal_is_taken_first() -> None:
    confirmed = replace(make_video("confirmed", None, None), source="reddit", witness="confirmed: teams agree")
    weak = replace(make_video("weak", None, None), source="reddit", witness="weak: one team only")
    chosen = select_candidates([make_video("long", 50), weak, confirmed], KnownCandidates(), 2, DEFAULT_SCREENING_RULES)
    assert urls(chosen.taken) == ["confirmed", "long"]
    assert candidate_from_document(candidate_document(confirmed, 1)) == confirmed
