"""Clips that were judged before another goal of the match was known."""

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.archive.rejudging import RejudgedClips, current_goal, is_judged_by, parse_fixture, rejudge_match
from found_footy.domain.messages import Goal, OtherGoal
from found_footy.domain.scores import Score
from found_footy.vision.expectation import ProofRules
from found_footy.vision.verdict import FrameReading
from tests.support.archive.judged_goals import judged_event, match_of, readings_of, stored_clip
from tests.support.pipeline.goals import make_goal

FIXTURE = 4711
FIRST = replace(make_goal(1, FIXTURE), elapsed=116, score_before=Score(1, 1), score_after=Score(2, 1))
SECOND = replace(make_goal(2, FIXTURE), elapsed=117, score_before=Score(2, 1), score_after=Score(3, 1))
MD5, OTHER = "a" * 32, "b" * 32


def rejudge(*events: dict[str, Any]) -> dict[str, RejudgedClips]:
    found = rejudge_match(parse_fixture(match_of(*events)), ProofRules())
    return {changed.event_id: changed for changed in found}


def judge_first(readings: list[FrameReading], clip: dict[str, Any]) -> RejudgedClips | None:
    return rejudge(judged_event(FIRST, [clip], {MD5: readings}), judged_event(SECOND, [], {})).get(FIRST.event_id)


def test_a_clip_that_fits_the_new_goal_as_well_is_no_longer_verified() -> None:
    changed = judge_first(readings_of("2–1", "2–1"), stored_clip(MD5))
    assert changed is not None
    [clip] = changed.records
    assert (clip["timestamp_verified"], clip["timestamp_status"]) == (False, "unverified")
    assert clip["_members"][0]["verified"] is False
    assert clip["proof"]["score_finding"] == "unknown"
    assert not changed.withdrawn


def test_a_clip_that_shows_its_own_goal_stays_verified() -> None:
    changed = judge_first(readings_of("1–1", "2–1"), stored_clip(MD5))
    assert changed is not None
    [clip] = changed.records
    assert (clip["timestamp_verified"], clip["extracted_minute"]) == (True, 116)
    assert clip["proof"]["score_finding"] == "confirmed"


def test_a_clip_of_the_new_goal_is_withdrawn() -> None:
    changed = judge_first(readings_of("3–1", "3–1"), stored_clip(MD5))
    assert changed is not None
    assert changed.records == []
    assert [clip["clip_id"] for clip in changed.withdrawn] == [f"clip-{MD5}"]
    assert list((changed.notes or {}).values()) == ["score 3–1 is that of the goal of minute 117"]


def test_a_pinned_clip_stays_unverified() -> None:
    changed = judge_first(readings_of("3–1", "3–1"), stored_clip(MD5, pinned=True))
    assert changed is not None
    assert [clip["timestamp_verified"] for clip in changed.records] == [False]


def test_a_clip_with_a_verified_copy_is_not_withdrawn() -> None:
    clip = stored_clip(MD5)
    clip["_members"].append({**clip["_members"][0], "md5": OTHER})
    readings = {MD5: readings_of("3–1", "3–1"), OTHER: readings_of("1–1", "2–1")}
    changed = rejudge(judged_event(FIRST, [clip], readings), judged_event(SECOND, [], {}))[FIRST.event_id]
    assert not changed.withdrawn
    assert [copy["verified"] for copy in changed.records[0]["_members"]] == [False, True]
    assert changed.records[0]["timestamp_verified"] is False


def test_an_unverified_clip_is_verified_once_the_other_goal_is_gone() -> None:
    event = judged_event(FIRST, [stored_clip(MD5, verified=False)], {MD5: readings_of("2–1", "2–1")})
    assert rejudge(event)[FIRST.event_id].records[0]["timestamp_verified"]


@pytest.mark.parametrize("missing", ["readings", "a field of the readings", "whether it is football"])
def test_what_has_no_complete_readings_is_left_alone(missing: str) -> None:
    event = judged_event(FIRST, [stored_clip(MD5)], {MD5: readings_of("3–1", "3–1")})
    [note] = event["_telemetry"]["attempts"]["download1-test"]["clips"].values()
    if missing == "readings":
        del note["evidence"]
    for frame in note.get("evidence", {}).get("frames", ()):
        if missing == "a field of the readings":
            del frame["is_confirmed"]
        else:
            frame["soccer"] = frame["screen"] = None
    assert rejudge(event, judged_event(SECOND, [], {})) == {}


@pytest.mark.parametrize("field", ["clock", "teams"])
def test_only_which_goal_of_the_match_it_is_is_judged_again(field: str) -> None:
    """The rest was decided with all that the check knew: aliases, and the minute of that time."""
    readings = [
        replace(one, clock=f"2{one.clock}"[:2] + ":1" + str(number))
        if field == "clock"
        else replace(one, teams="MCI–BVB")
        for number, one in enumerate(readings_of("2–1", "2–1"))
    ]
    assert judge_first(readings, stored_clip(MD5)) is None


@pytest.mark.parametrize("download_id", ["download0-test", "download2-test"])
def test_the_better_of_two_readings_of_the_same_bytes_counts(download_id: str) -> None:
    event = judged_event(FIRST, [stored_clip(MD5)], {MD5: readings_of("2–1", "2–1")})
    clips = event["_telemetry"]["attempts"]["download1-test"]["clips"]
    better = deepcopy(next(iter(clips.values())))
    better["evidence"]["frames"][0]["score"] = "1–1"
    attempts = {**event["_telemetry"]["attempts"], download_id: {"clips": {"another": better}}}
    event["_telemetry"]["attempts"] = dict(sorted(attempts.items()))
    changed = rejudge(event, judged_event(SECOND, [], {}))[FIRST.event_id]
    assert changed.records[0]["timestamp_verified"]


def test_clips_of_a_removed_goal_are_left_alone() -> None:
    event = judged_event(FIRST, [stored_clip(MD5)], {MD5: readings_of("3–1", "3–1")}, _removed=True)
    assert rejudge(event, judged_event(SECOND, [], {})) == {}


def test_aliases_are_those_stored_with_any_goal_of_the_match() -> None:
    away = replace(SECOND, team_id=42, team_name="Arsenal")
    events = [
        judged_event(FIRST, [], {}, _twitter_aliases=["Reds"]),
        judged_event(away, [], {}, _twitter_aliases=["Gunners"]),
    ]
    fixture = parse_fixture(match_of(*events))
    goal = current_goal(fixture, fixture["events"][0])
    assert (goal.home_aliases, goal.away_aliases) == (("Reds",), ("Gunners",))


def test_a_check_is_outdated_by_another_goal_and_by_another_score() -> None:
    other = OtherGoal(117, None, Score(2, 1), Score(3, 1))
    assert is_judged_by(FIRST, FIRST)
    assert not is_judged_by(FIRST, replace(FIRST, other_goals=(other,)))
    assert not is_judged_by(FIRST, replace(FIRST, score_after=Score(1, 2)))


SCORES = st.sampled_from(["1–1", "2–1", "3–1", "0–1", "3–2", None])


@given(st.lists(SCORES, min_size=1, max_size=3), st.integers(114, 119), st.booleans())
def test_a_clip_is_verified_for_one_goal_at_most_and_judging_twice_changes_nothing(
    scores: list[str | None], minute: int, verified: bool
) -> None:
    readings = {MD5: readings_of(*scores, clock=minute * 60 + 5)}
    events = [judged_event(goal, [stored_clip(MD5, verified=verified)], readings) for goal in (FIRST, SECOND)]
    for event in events:
        if (changed := rejudge(*events).get(event["_event_id"])) is not None:
            event["_s3_videos"] = changed.records
    assert sum(clip["timestamp_verified"] for event in events for clip in event["_s3_videos"]) <= 1
    assert rejudge(*events) == {}


def make_third() -> Goal:
    return replace(make_goal(3, FIXTURE), elapsed=30, score_before=Score(0, 0), score_after=Score(1, 0))


def test_a_goal_far_away_changes_nothing_but_the_proof() -> None:
    third = judged_event(make_third(), [], {})
    event = judged_event(FIRST, [stored_clip(MD5)], {MD5: readings_of("1–1", "2–1")})
    changed = rejudge(event, third)[FIRST.event_id]
    event["_s3_videos"] = changed.records
    assert changed.records[0]["timestamp_verified"]
    assert rejudge(event, third) == {}
