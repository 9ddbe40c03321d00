"""Documents become what people see."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from found_footy.domain.collections import FixtureCollection
from found_footy.domain.outcomes import GoalStatus
from found_footy.views.fixture_views import (
    FixturePhase,
    FixtureView,
    GoalView,
    ScoreView,
    StoredFixture,
    build_fixture_view,
    determine_phase,
    pick_current_copies,
)
from tests.support.web import matchday
from tests.support.web.matchday import Document

WATCHED = "5000_40_234_Goal_1"


def view(document: Document, collection: FixtureCollection = FixtureCollection.ACTIVE) -> FixtureView:
    return build_fixture_view(StoredFixture(collection, document), attempts_wanted=10)


def only_goal(**changes: Any) -> GoalView:
    (goal,) = view(matchday.fixture(events=[matchday.goal(**changes)])).goals
    return goal


def test_a_match_shows_its_teams_score_and_minute() -> None:
    match = view(matchday.fixture(minute=67))
    assert (match.home.name, match.away.name, match.score, match.state) == (
        "Liverpool",
        "Arsenal",
        ScoreView(1, 0),
        "67'",
    )
    assert match.phase is FixturePhase.LIVE
    assert match.kickoff == datetime(2026, 11, 15, 19, 0, tzinfo=UTC)


def test_a_clip_shows_what_its_picture_proves() -> None:
    [clip] = only_goal(_s3_videos=[matchday.clip(WATCHED)]).clips
    assert clip.proof is not None
    assert clip.proof.summary == "clock 23:14, LIV–ARS, 0–0"
    assert (clip.proof.teams_finding, clip.proof.half_finding) == ("confirmed", "unknown")


@pytest.mark.parametrize(
    ("stored", "summary"), [(None, None), ("damaged", None), ({}, ""), ({"teams": "SEV–MCI", "score": 7}, "SEV–MCI")]
)
def test_a_clip_without_a_proof_shows_none(stored: Any, summary: str | None) -> None:
    [clip] = only_goal(_s3_videos=[matchday.clip(WATCHED, proof=stored)]).clips
    assert (clip.proof.summary if clip.proof else None) == summary


@pytest.mark.parametrize(
    ("status", "collection", "phase"),
    [
        ("NS", FixtureCollection.STAGING, FixturePhase.UPCOMING),
        ("TBD", FixtureCollection.STAGING, FixturePhase.UPCOMING),
        ("NS", FixtureCollection.ACTIVE, FixturePhase.UPCOMING),
        ("PST", FixtureCollection.STAGING, FixturePhase.OFF),
        ("1H", FixtureCollection.ACTIVE, FixturePhase.LIVE),
        ("HT", FixtureCollection.ACTIVE, FixturePhase.LIVE),
        ("SUSP", FixtureCollection.ACTIVE, FixturePhase.LIVE),
        ("FT", FixtureCollection.ACTIVE, FixturePhase.FINISHED),
        ("AET", FixtureCollection.COMPLETED, FixturePhase.FINISHED),
        ("ABD", FixtureCollection.COMPLETED, FixturePhase.OFF),
        ("WHAT", FixtureCollection.ACTIVE, FixturePhase.LIVE),
        ("WHAT", FixtureCollection.COMPLETED, FixturePhase.FINISHED),
        ("", FixtureCollection.STAGING, FixturePhase.UPCOMING),
    ],
)
def test_the_phase_of_a_match_follows_its_status(
    status: str, collection: FixtureCollection, phase: FixturePhase
) -> None:
    assert determine_phase(status, collection) is phase


@pytest.mark.parametrize(
    ("changes", "status", "note"),
    [
        (
            {"_monitor_complete": False, "_monitor_workflows": ["m1"], "_download_workflows": []},
            GoalStatus.VALIDATING,
            "seen in 1 poll, waiting for confirmation",
        ),
        ({"_download_workflows": []}, GoalStatus.SEARCHING, "attempt 1 of 10"),
        ({"_download_workflows": ["d1", "d2", "d3"]}, GoalStatus.SEARCHING, "attempt 3 of 10"),
        ({"_download_workflows": [f"d{n}" for n in range(12)]}, GoalStatus.SEARCHING, "attempt 12 of 12"),
        (
            {"_search_state": {"state": "session_expired"}},
            GoalStatus.SEARCHING,
            "attempt 2 of 10, paused: the X session has expired",
        ),
        ({"_search_state": {"state": "searching"}}, GoalStatus.SEARCHING, "attempt 2 of 10"),
        ({"_s3_videos": [matchday.clip(WATCHED)]}, GoalStatus.WATCHABLE, "still searching, attempt 2 of 10"),
        ({"_s3_videos": [matchday.clip(WATCHED)], "_download_complete": True}, GoalStatus.WATCHABLE, ""),
        (
            {"_download_complete": True, "_completion_reason": "delivered"},
            GoalStatus.EMPTY,
            "2 searches, no usable clip found",
        ),
        (
            {"_download_complete": True, "_completion_reason": "delivered", "_download_workflows": ["d1"]},
            GoalStatus.EMPTY,
            "1 search, no usable clip found",
        ),
        (
            {"_download_complete": True, "_completion_reason": "unidentified"},
            GoalStatus.EMPTY,
            "the scorer was never named, so nothing could be searched",
        ),
        (
            {"_download_complete": True, "_completion_reason": "deadline"},
            GoalStatus.EMPTY,
            "ran out of time after 2 searches",
        ),
        ({"_download_complete": True}, GoalStatus.EMPTY, "no usable clip found"),
        ({"_removed": True}, GoalStatus.REMOVED, "no longer a goal, its clips are not shown"),
    ],
)
def test_a_goal_shows_the_state_of_its_search(changes: Document, status: GoalStatus, note: str) -> None:
    goal = only_goal(**changes)
    assert (goal.status, goal.note) == (status, note)


def test_a_removed_goal_has_no_clips_to_show() -> None:
    assert only_goal(_removed=True, _s3_videos=[matchday.clip(WATCHED)]).clips == ()


def test_tombstones_stand_among_the_goals_in_the_order_of_the_match() -> None:
    early, late = matchday.goal(player=1, minute=12), matchday.goal(player=2, minute=45, extra=2)
    removed = matchday.goal(player=3, minute=45)
    match = view(matchday.fixture(events=[late, early], removed_events=[removed]))
    assert [goal.minute for goal in match.goals] == ["12'", "45'", "45+2'"]
    assert [goal.status is GoalStatus.REMOVED for goal in match.goals] == [False, True, False]


def test_a_reattributed_goal_leaves_no_removed_goal_on_the_page() -> None:
    first = matchday.goal(player=3, _moved_to="5000_40_1_Goal_1")
    old, new = matchday.goal(player=1), matchday.goal(player=2, name="Luis Díaz")
    match = view(matchday.fixture(events=[new | {"_matched_from": old["_event_id"]}], removed_events=[first, old]))
    assert [(goal.player, goal.moved_from) for goal in match.goals] == [("Luis Díaz", old["_event_id"])]


def test_a_fixture_without_a_date_is_listed_at_its_first_ingest() -> None:
    heard = matchday.NOW
    assert view(matchday.fixture() | {"kickoff": None, "activated_at": None, "ingested_at": heard}).kickoff == heard


def test_clips_stand_in_the_order_of_their_rank() -> None:
    second = matchday.clip(WATCHED, "b" * 32, rank=2)
    first = matchday.clip(WATCHED, "c" * 32, rank=1)
    unranked = matchday.clip(WATCHED, "a" * 32, rank=None)
    clips = only_goal(_s3_videos=[second, unranked, first]).clips
    assert [clip.media_url[-36:-35] for clip in clips] == ["c", "b", "a"]
    assert [clip.rank for clip in clips] == [1, 2, 3]


def test_a_clip_shows_its_facts() -> None:
    stored = matchday.clip(WATCHED, width=1920, height=1080, duration=62.9, popularity=7)
    (clip,) = only_goal(_s3_videos=[stored]).clips
    assert (clip.verified, clip.found_by, clip.resolution, clip.length) == (True, 7, "1080p", "1:02")
    assert clip.url == f"/clips/{WATCHED}-aaaaaaaa.mp4"
    assert clip.media_url == f"/media/5000/{WATCHED}/{'a' * 32}.mp4"
    assert clip.poster_url == f"/media/5000/{WATCHED}/{'a' * 32}.jpg"
    assert clip.preview_url is None


@pytest.mark.parametrize("address", ["javascript:alert(1)", "http://x.com/a", "data:text/html,x", None, 5, " https"])
def test_a_source_that_is_not_https_is_not_linked(address: object) -> None:
    (clip,) = only_goal(_s3_videos=[matchday.clip(WATCHED, source_url=address)]).clips
    assert clip.source_url is None


def test_own_goals_and_penalties_say_so() -> None:
    assert only_goal(detail="Own Goal").detail == "Own Goal"
    assert only_goal().detail == ""


def test_the_two_sides_never_have_the_same_colour() -> None:
    names = ["Liverpool", "Arsenal", "Roma", "Lyon", "Celtic", "Ajax", "Porto", "Sevilla", "Lazio", "Genk", "Brest"]
    for home in names:
        for away in names:
            match = view(matchday.fixture(teams={"home": {"id": 1, "name": home}, "away": {"id": 2, "name": away}}))
            assert match.home.hue != match.away.hue


@pytest.mark.parametrize(
    ("name", "code"),
    [("Liverpool", "LIV"), ("Real Madrid", "RM"), ("1. FC Köln", "KOL"), ("FC", "FC"), ("東京", "?"), ("PSG", "PSG")],
)
def test_a_team_has_a_short_mark(name: str, code: str) -> None:
    match = view(matchday.fixture(teams={"home": {"id": 1, "name": name}, "away": {}}))
    assert match.home.code == code


def test_the_later_collection_counts_while_a_fixture_is_in_two() -> None:
    old = StoredFixture(FixtureCollection.ACTIVE, matchday.fixture(status="2H"))
    new = StoredFixture(FixtureCollection.COMPLETED, matchday.fixture(status="FT"))
    other = StoredFixture(FixtureCollection.STAGING, matchday.fixture(5001))
    assert pick_current_copies([old, new, other]) == [new, other]
    assert pick_current_copies([new, other, old]) == [new, other]


def test_a_row_that_the_score_never_counted_is_not_shown_as_a_goal() -> None:
    ghost = matchday.goal(player=9, _ghost_at=matchday.NOW)
    document = matchday.fixture(events=[matchday.goal(), ghost])
    assert [goal.event_id for goal in view(document).goals] == [matchday.goal()["_event_id"]]
    removed = matchday.fixture(removed_events=[ghost | {"_removed": True}])
    assert view(removed).goals == ()


def test_a_goal_that_the_feed_no_longer_lists_is_called_doubtful() -> None:
    doubted = matchday.fixture(events=[matchday.goal(_doubtful_since=matchday.NOW)])
    assert view(doubted).goals[0].doubtful
    assert not view(matchday.fixture(events=[matchday.goal()])).goals[0].doubtful


def test_a_goal_that_a_post_calls_disallowed_is_under_suspicion_and_stays_as_it_is() -> None:
    titles = [f"Florian Wirtz disallowed goal against Arsenal {minute}'" for minute in range(20, 25)]
    plain, doubted = only_goal(), only_goal(_suspicions=titles)
    assert doubted == replace(plain, suspicions=tuple(titles[:3]))
    assert only_goal(_suspicions="no list").suspicions == ()


def test_a_clip_says_which_title_confirms_it() -> None:
    (clip,) = only_goal(_s3_videos=[matchday.clip(WATCHED, witness="confirmed: teams, score and scorer agree")]).clips
    assert clip.witness == "the title of a post confirms it: teams, score and scorer agree"
    assert only_goal(_s3_videos=[matchday.clip(WATCHED)]).clips[0].witness == ""


def test_a_fixture_that_was_moved_back_counts_in_the_earlier_collection() -> None:
    archived = StoredFixture(FixtureCollection.COMPLETED, {"_id": 1})
    back = StoredFixture(FixtureCollection.STAGING, {"_id": 1, "_returned_at": datetime(2026, 11, 15, tzinfo=UTC)})
    assert pick_current_copies([archived, back]) == [back]
    assert pick_current_copies([back, archived]) == [back]


@pytest.mark.parametrize(
    "document",
    [
        {"_id": 1},
        {"_id": 1, "fixture": None, "teams": [], "league": "x", "goals": 3, "events": "none", "removed_events": None},
        {
            "_id": 1,
            "fixture": {"status": {"short": 7, "elapsed": "x"}},
            "events": [None, {}, {"_event_id": "1_0_0_G_1"}],
        },
        {"_id": 1, "events": [{"_event_id": "1_0_0_G_1", "_s3_videos": [{}, {"_s3_key": "k"}], "time": None}]},
    ],
)
def test_a_broken_document_is_shown_as_far_as_it_goes(document: Document) -> None:
    match = view(document)
    assert match.home.name == "Unknown team"


def test_long_names_are_cut() -> None:
    assert len(only_goal(name="x" * 5000).player) == 120
