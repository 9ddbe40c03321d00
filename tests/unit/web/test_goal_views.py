"""The view of one goal's page."""

from datetime import timedelta
from typing import Any

import pytest

from found_footy.domain.collections import FixtureCollection
from found_footy.domain.outcomes import ClipOutcome
from found_footy.views import goal_phrases
from found_footy.views.fixture_views import StoredFixture, build_fixture_view
from found_footy.views.goal_views import GoalDetailsView, build_goal_details
from tests.support.web import matchday, showcase
from tests.support.web.matchday import NOW, Document

EVENT = showcase.GOAL


def details(event: Document, **changes: Any) -> GoalDetailsView:
    name = "removed_events" if event.get("_removed") else "events"
    stored = StoredFixture(FixtureCollection.ACTIVE, matchday.fixture(**({name: [event]} | changes)))
    view = build_fixture_view(stored, attempts_wanted=10)
    return build_goal_details(view, view.goals[0], event)


def test_a_goal_that_was_just_seen_has_a_history_of_one_line() -> None:
    view = details(matchday.goal(_monitor_complete=False))
    assert [entry.kind for entry in view.timeline] == ["seen"]
    assert view.angles == ()
    assert view.title == "Florian Wirtz 23', Liverpool 1–0 Arsenal"


def test_the_history_is_told_in_order_with_reasons() -> None:
    clip = matchday.clip(EVENT, replaced_at=NOW - timedelta(minutes=20))
    searches = {
        "download2": showcase.attempt(2, NOW - timedelta(minutes=22), showcase.kept_note(clip, "23:14")),
        "download1": showcase.attempt(
            1,
            NOW - timedelta(minutes=28),
            showcase.rejected_note(1, "wrong_minute", "the clock shows 61:02"),
            {"url": "javascript:alert(1)", "outcome": "not_soccer", "reason": ""},
            {"url": "https://x.com/a/status/5", "md5": "f" * 32},
            found=9,
        ),
    }
    view = details(
        matchday.goal(
            _fell_at=NOW - timedelta(minutes=32),
            _s3_videos=[clip],
            _telemetry={"attempts": searches},
            _download_complete=True,
            _download_completed_at=NOW,
        )
    )
    assert [(entry.kind, entry.title, entry.detail) for entry in view.timeline] == [
        ("scored", "Scored", "counted back from the clock of the match"),
        ("seen", "Seen in the feed", "Florian Wirtz, 23', Liverpool"),
        ("confirmed", "Confirmed", "the feed listed it in 3 polls, so the search began"),
        ("searched", "Search 1", "9 videos found, 2 rejected"),
        ("kept", "Clip kept", "720p, minute verified"),
        ("searched", "Search 2", "1 video found, 1 kept"),
        ("kept", "A better copy took its place", "720p"),
        ("ended", "Search ended", "1 clip is shown"),
    ]
    first, second = view.timeline[3].rejections
    assert (first.label, first.host, first.reason) == ("Another minute", "x.com", "the clock shows 61:02")
    assert (second.label, second.url) == ("Not football", None)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"_matched_from": "5000_40_1_Goal_1"}, "reattributed"),
        ({"_missing_since": NOW}, "doubtful"),
        ({"_doubtful_since": NOW}, "doubtful"),
        ({"_removed": True, "_removed_at": NOW}, "removed"),
    ],
    ids=["re-attributed", "missing", "doubtful", "removed"],
)
def test_what_the_feed_took_back_or_changed_is_told(changes: Document, kind: str) -> None:
    assert kind in [entry.kind for entry in details(matchday.goal(**changes)).timeline]


def test_the_clips_of_a_removed_goal_are_in_no_part_of_its_page() -> None:
    removed = matchday.goal(_removed=True, _removed_at=NOW, _s3_videos=[matchday.clip(EVENT)])
    view = details(removed)
    assert view.angles == ()
    assert "kept" not in [entry.kind for entry in view.timeline]


def test_the_proof_stands_beside_what_was_expected() -> None:
    clip = matchday.clip(EVENT)
    telemetry = {"attempts": {"download1": showcase.attempt(1, NOW, showcase.kept_note(clip, "23:14"))}}
    angle = details(matchday.goal(_s3_videos=[clip], _telemetry=telemetry)).angles[0]
    assert [(check.name, check.shown, check.expected, check.label) for check in angle.checks] == [
        ("Clock", "23:14", "minute 23'", "agrees"),
        ("Teams", "LIV–ARS", "Liverpool – Arsenal", "agrees"),
        ("Score", "0–0", "0–0, then 1–0", "agrees"),
    ]
    assert [(frame.at, frame.clock) for frame in angle.frames] == [("0:01", "23:14"), ("0:04", "23:14")]
    assert angle.frames[0].picture_url == f"/media/5000/{EVENT}/evidence/{'a' * 32}-1.jpg"
    assert angle.reader == "local"


def test_a_clip_from_before_proofs_were_kept_has_no_checks() -> None:
    assert details(matchday.goal(_s3_videos=[matchday.clip(EVENT, proof=None)])).angles[0].checks == ()


def test_the_copies_of_a_recording_begin_with_the_shown_one() -> None:
    clip = matchday.clip(EVENT, sources=["https://x.com/a/status/1", "http://host.example/b", "md5:" + "a" * 32])
    clip["_members"] = [
        {"md5": "e" * 32, "file_size": 9, "sources": ["http://host.example/b"]},
        {"md5": "a" * 32, "file_size": 5, "sources": ["https://x.com/a/status/1", "md5:" + "a" * 32]},
    ]
    angle = details(matchday.goal(_s3_videos=[clip])).angles[0]
    assert [copy.is_shown for copy in angle.copies] == [True, False]
    assert [(link.host, link.url) for copy in angle.copies for link in copy.sources] == [
        ("x.com", "https://x.com/a/status/1"),
        ("host.example", None),
    ]


def test_the_neighbours_are_the_goals_before_and_after() -> None:
    goals = [matchday.goal(player=number, minute=number) for number in (10, 20, 30)]
    view = build_fixture_view(
        StoredFixture(FixtureCollection.ACTIVE, matchday.fixture(events=goals)), attempts_wanted=10
    )
    found = [build_goal_details(view, goal, {}).neighbours for goal in view.goals]
    assert [tuple(one.minute if one else "" for one in pair) for pair in found] == [
        ("", "20'"),
        ("10'", "30'"),
        ("20'", ""),
    ]


def test_the_workflows_of_the_goal_are_named() -> None:
    ids = details(matchday.goal()).workflow_ids
    assert ids == (f"twitter-Liverpool-Wirtz-23min-{EVENT}", "download1", "download2", f"upload-{EVENT}")


def test_damaged_telemetry_costs_only_itself() -> None:
    broken = {"attempts": {"a": None, "b": {"clips": [1], "found": "many"}, "c": {"clips": {"x": 3}}}}
    view = details(matchday.goal(_telemetry=broken, _slug="?", _s3_videos=[matchday.clip(EVENT)]))
    assert [entry.kind for entry in view.timeline].count("searched") == 2
    assert view.workflow_ids == ("download1", "download2", f"upload-{EVENT}")


def test_every_outcome_has_words_of_its_own() -> None:
    labels = [goal_phrases.describe_outcome(outcome) for outcome in ClipOutcome]
    assert len(set(labels)) == len(ClipOutcome)
    assert goal_phrases.describe_outcome("") == "Being checked"
