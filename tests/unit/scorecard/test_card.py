"""A day's figures: who is counted as what."""

import json
from typing import Any

import pytest

from found_footy.domain.collections import FixtureCollection
from found_footy_sim.scorecard.card import DayChecks
from found_footy_sim.scorecard.copy_counts import CopyCounts
from found_footy_sim.scorecard.html_report import render_html
from found_footy_sim.scorecard.json_report import render_json
from found_footy_sim.scorecard.targets import evaluate_targets
from found_footy_sim.scorecard.text_report import render_text
from found_footy_sim.scorecard.watched_clips import WatchedClip
from tests.support.scorecard.match_days import at, card, clip, event, fixture, link, make_truth, post, true_goal

Json = dict[str, Any]


def test_a_day_on_which_all_went_well() -> None:
    day = card(make_truth([true_goal()], [post(1)]), fixture(event([clip(1)], {1: "uploaded"})))
    assert (day.goals.watchable, day.goals.had_clip, day.goals.endless, day.goals.missed) == (1, 1, 0, 0)
    assert (day.clips.published, day.clips.right, day.clips.not_showing) == (1, 1, 0)
    assert (day.confirmed.p50, day.first.p50, day.best.p50) == (90, 120, 120)
    assert day.attempts == 2


def test_times_are_match_seconds_to_the_first_and_to_the_best_right_clip() -> None:
    later = clip(2, rank=1, added_at=at(30))
    wrong = clip(3, rank=0, added_at=at(1))
    posts = [post(1), post(2), post(3, goal=None, kind="studio", expected="reject:not_soccer")]
    day = card(make_truth([true_goal()], posts), fixture(event([clip(1, rank=2), later, wrong])))
    assert (day.first.p50, day.best.p50) == (120, 300)


def test_times_of_people_and_of_the_machine_are_separate() -> None:
    posts = [
        post(1, posted_at=at(5).isoformat(), expected="duplicate_of:r2"),
        post(2, posted_at=at(4).isoformat()),
        post(3, posted_at=at(1).isoformat(), expected="unreachable"),
        post(4, posted_at=at(1).isoformat(), expected="reject:phone_screen"),
        post(5, posted_at=at(1).isoformat(), in_window=False),
        post(6, posted_at=at(1).isoformat(), goal=None, kind="studio"),
        post(7, posted_at=at(1).isoformat(), expected="publish", expected_for={"g1": "reject:wrong_minute"}),
    ]
    day = card(make_truth([true_goal()], posts), fixture(event([clip(1)])))
    assert (day.posted.p50, day.waited.p50, day.first.p50) == (40, 80, 120)
    assert "to the first right post 40 (p95 40), from there to the first clip 80 (p95 80)" in render_text(day)
    assert json.loads(render_json(day))["waited"]["p50"] == 80
    assert "first clip, from the first right post</td><td>1</td><td></td><td>80</td>" in render_html(day)


def test_what_was_there_before_the_goal_did_not_come_of_it() -> None:
    old = event([clip(1, added_at=at(-3600))], _due_at=at(-3600))
    day = card(make_truth([true_goal()], [post(1)]), fixture(old))
    assert (day.confirmed.count, day.first.count, day.best.count, day.waited.count) == (0, 0, 0, 0)


def test_a_clip_at_the_very_moment_took_no_time() -> None:
    day = card(make_truth([true_goal()], [post(1, posted_at=at(12).isoformat())]), fixture(event([clip(1)])))
    assert day.waited.p50 == 0


def test_a_goal_of_which_nobody_posted_a_right_clip_has_no_such_times() -> None:
    day = card(make_truth([true_goal()], []), fixture(event()))
    assert (day.posted.count, day.waited.count) == (0, 0)


@pytest.mark.parametrize(
    ("shown", "figure"),
    [
        ({"goal": "g1"}, "right"),
        ({"goal": "g2"}, "wrong_minute"),
        ({"goal": "g3"}, "other_goal"),
        ({"goal": "g4"}, "wrong_match"),
        ({"goal": "a-goal-of-last-week"}, "wrong_match"),
        ({"goal": None, "kind": "last_week"}, "wrong_match"),
        ({"goal": None, "kind": "other_side"}, "wrong_match"),
        ({"goal": "g1", "kind": "filmed"}, "filmed"),
        ({"goal": None, "kind": "compilation", "shows": ["g2", "g1"]}, "right"),
        ({"goal": None, "kind": "compilation", "shows": ["g2", "g3"]}, "wrong_minute"),
        ({"goal": None, "kind": "studio"}, "no_goal"),
    ],
)
def test_a_clip_is_graded_by_what_it_shows(shown: Json, figure: str) -> None:
    goals = [
        true_goal(),
        true_goal("g2", minute="45+1", team=41),
        true_goal("g3", minute="9", team=41),
        true_goal("g4", fixture=5001),
    ]
    day = card(make_truth(goals, [post(1, **shown)]), fixture(event([clip(1)])))
    assert {grade: verified for grade, verified, _ in day.clips.grades if verified} == {figure: 1}
    assert day.clips.not_showing == (figure != "right")
    assert day.clips.wrong_verified.part == (figure != "right")


@pytest.mark.parametrize(("tolerance", "grade"), [(1, "wrong_minute"), (2, "other_goal")])
def test_how_far_a_clock_may_be_off_is_what_the_product_allows(tolerance: int, grade: str) -> None:
    goals = [true_goal(), true_goal("g3", minute="9", team=41)]
    day = card(make_truth(goals, [post(1, goal="g3")]), fixture(event([clip(1)])), tolerance=tolerance)
    assert [name for name, verified, _ in day.clips.grades if verified] == [grade]
    assert day.clips.wrong_verified.part == 1


def test_a_wrong_clip_whose_minute_nobody_verified_is_not_published_as_verified() -> None:
    day = card(
        make_truth([true_goal(), true_goal("g2", minute="80", team=41)], [post(1, goal="g2")]),
        fixture(event([clip(1, timestamp_verified=False)])),
    )
    assert (day.clips.wrong_verified.part, day.clips.wrong_verified.whole, day.clips.not_showing) == (0, 0, 1)


def test_the_bytes_of_a_clip_take_precedence_over_its_post() -> None:
    file = {"md5": "m1", "recording": "r9", "kind": "studio", "goal": None}
    day = card(make_truth([true_goal()], [post(1)], [file]), fixture(event([clip(1)])))
    assert (day.clips.right, day.clips.not_showing) == (0, 1)


def test_a_clip_that_the_world_does_not_know_does_not_show_the_goal_and_is_listed() -> None:
    day = card(make_truth([true_goal()], [post(2)]), fixture(event([clip(1), clip(2)])))
    assert (day.clips.unknown, day.clips.right, day.clips.not_showing) == (1, 1, 1)
    assert "1 of unknown origin" in render_text(day)
    (target,) = (target for target in evaluate_targets(day) if target.name.endswith("do not show the goal"))
    assert target.got.startswith("1 of 2 (50.0%; ")
    assert not target.met


@pytest.mark.parametrize(
    ("verified", "copies"),
    [
        ((True, True), CopyCounts(published=1, across_pools=0, true=2, recordings=1)),
        ((True, False), CopyCounts(published=1, across_pools=1, true=2, recordings=1)),
    ],
)
def test_a_second_clip_of_one_recording_is_a_copy(verified: tuple[bool, bool], copies: CopyCounts) -> None:
    posts = [post(1, recording="r"), post(2, recording="r", expected="duplicate_of:r"), post(3, recording="r")]
    clips = [clip(n, timestamp_verified=word) for n, word in enumerate(verified, start=1)]
    outcomes = {1: "uploaded", 2: "uploaded", 3: "duplicate"}
    day = card(make_truth([true_goal()], posts), fixture(event(clips, outcomes)))
    assert day.clips.copies == copies


def test_a_recording_that_was_stored_as_a_copy_of_another_counts_as_swallowed() -> None:
    day = card(
        make_truth([true_goal()], [post(1), post(2)]), fixture(event([clip(1)], {1: "uploaded", 2: "duplicate"}))
    )
    assert day.clips.copies == CopyCounts(swallowed=1, recordings=2)


def test_a_recording_that_was_merged_with_a_compilation_of_it_is_not_swallowed() -> None:
    posts = [post(1, goal=None, shows=["g0", "g1"], kind="compilation", expected="either"), post(2)]
    day = card(make_truth([true_goal()], posts), fixture(event([clip(1)], {1: "uploaded", 2: "duplicate"})))
    assert day.clips.copies == CopyCounts(recordings=1)


def test_what_shows_something_else_is_no_recording_to_swallow() -> None:
    posts = [post(1), post(2, goal=None, kind="old_goal", expected="reject:wrong_match")]
    day = card(make_truth([true_goal()], posts), fixture(event([clip(1)], {1: "uploaded", 2: "duplicate"})))
    assert day.clips.copies == CopyCounts(recordings=1)


def test_outcomes_are_compared_with_what_posts_really_are() -> None:
    posts = [
        post(1),
        post(2, goal=None, expected="reject:not_soccer"),
        post(3, expected="duplicate_of:r1"),
        post(4, expected="unreachable"),
        post(5, goal="g2"),
        post(6),
    ]
    outcomes = {1: "uploaded", 2: "not_soccer", 3: "duplicate", 4: "download_deleted", 5: "wrong_minute", 99: "bad_url"}
    table = card(make_truth([true_goal()], posts), fixture(event([clip(1)], outcomes))).outcomes
    for expected, outcome in [
        ("publish", "uploaded"),
        ("not_soccer", "not_soccer"),
        ("duplicate", "duplicate"),
        ("unreachable", "download_deleted"),
        ("wrong_match", "wrong_minute"),
        ("unknown post", "bad_url"),
        ("publish", "not looked at"),
    ]:
        assert table.count_at(expected, outcome) == 1
    assert table.total == 7


def test_a_later_check_of_the_same_post_counts_and_an_archived_one_stays_archived() -> None:
    attempts = {
        "download2-a": {"attempt": 2, "clips": {"x": {"url": link(1), "outcome": "uploaded"}}},
        "download1-a": {"attempt": 1, "clips": {"x": {"url": link(1), "outcome": "vision_unavailable"}}},
        "download3-a": {"attempt": 3, "clips": {"x": {"url": link(1), "outcome": "wrong_minute"}}},
    }
    day = card(make_truth([true_goal()], [post(1)]), fixture(event([clip(1)], _telemetry={"attempts": attempts})))
    assert day.outcomes.cells == (("publish", "uploaded", 1),)


def test_a_reattributed_goal_is_one_goal() -> None:
    moved = event([clip(1)], _matched_from="5000_40_11_Goal_1")
    old = event(_event_id="5000_40_11_Goal_1", _moved_to="5000_40_234_Goal_1", player={"id": 11})
    day = card(make_truth([true_goal(reattributed_from="11")], [post(1)]), fixture(moved, removed=(old,)))
    assert (day.goals.seen, day.goals.phantom, day.goals.reattributed, day.goals.watchable) == (1, 0, 1, 1)


@pytest.mark.parametrize(
    ("stands", "removed", "expected"),
    [(True, False, (0, 0)), (True, True, (1, 0)), (False, False, (0, 1)), (False, True, (0, 0))],
)
def test_var_must_be_followed_and_must_not_be_invented(stands: bool, removed: bool, expected: tuple[int, int]) -> None:
    stored = fixture(removed=(event(),)) if removed else fixture(event())
    day = card(make_truth([true_goal(stands=stands)]), stored)
    assert (day.goals.struck_wrongly, day.goals.kept_wrongly) == expected


def test_missing_and_invented_goals_are_named() -> None:
    invented = event([clip(1)], _event_id="5000_40_99_Goal_1", player={"id": 99}, time={"elapsed": 70})
    day = card(make_truth([true_goal()], [post(1)]), fixture(invented))
    assert (day.goals.missed, day.goals.phantom) == (1, 1)
    assert day.clips.not_showing == 1


def test_a_goal_of_a_match_that_is_still_watched_has_no_end_until_it_is_complete() -> None:
    searched = event(_download_complete=False)
    assert card(make_truth([true_goal()]), fixture(searched, collection=FixtureCollection.ACTIVE)).goals.endless == 1
    assert card(make_truth([true_goal()]), fixture(event(), collection=FixtureCollection.ACTIVE)).goals.endless == 0
    assert card(make_truth([true_goal()]), fixture(searched)).goals.endless == 1


def test_a_goal_that_was_closed_by_its_deadline_is_counted() -> None:
    closed = event(_completion_reason="deadline")
    assert card(make_truth([true_goal()]), fixture(closed)).goals.by_deadline == 1
    assert card(make_truth([true_goal()]), fixture(event(_completion_reason="delivered"))).goals.by_deadline == 0
    assert card(make_truth([true_goal()]), fixture(removed=(closed,))).goals.by_deadline == 0


def test_a_clip_that_cannot_be_watched_shows_no_goal() -> None:
    truth, stored = make_truth([true_goal()], [post(1)]), fixture(event([clip(1)], {1: "uploaded"}))
    for watched, reason in (({}, "not offered"), ({"c1": WatchedClip("c1", fault="the page answered 404")}, "404")):
        day = card(truth, stored, checks=DayChecks(watched, ()))
        assert (day.clips.unreachable, day.clips.right, day.goals.watchable) == (1, 0, 0), reason
        assert day.clips.wrong_verified.part == day.clips.not_showing == 0
        assert day.goals.without_clip == (("one was found and not kept, or cannot be watched", 1),)


def test_what_the_page_gave_takes_precedence_over_the_record() -> None:
    file = {"md5": "other bytes", "recording": "r9", "kind": "studio", "goal": None}
    day = card(
        make_truth([true_goal()], [post(1)], [file]),
        fixture(event([clip(1)])),
        checks=DayChecks({"c1": WatchedClip("c1", "other bytes", 150)}, ()),
    )
    assert (day.clips.right, day.clips.wrong_verified.part) == (0, 1)


def test_goals_that_never_got_a_clip_count_as_the_slowest() -> None:
    goals = [true_goal(f"g{n}", minute=str(10 * n)) for n in (1, 2, 3)]
    events = [
        event([clip(n)] if n < 2 else [], _event_id=f"e{n}", time={"elapsed": 10 * n}, _due_at=at(9) if n < 3 else None)
        for n in (1, 2, 3)
    ]
    day = card(make_truth(goals, [post(n, goal=f"g{n}") for n in (1, 2, 3)]), fixture(*events))
    assert (day.first.count, day.first.never, day.first.p50, day.first.most) == (1, 2, None, None)
    assert (day.confirmed.count, day.confirmed.never, day.confirmed.p50) == (2, 1, 90)
    assert "first never (p95 never)" in render_text(day)
    (target,) = (target for target in evaluate_targets(day) if "median" in target.name)
    assert (target.got, target.met) == ("never", False)


def test_a_goal_without_a_findable_clip_is_not_waited_for() -> None:
    day = card(make_truth([true_goal(right_clip_findable=False)]), fixture(event()))
    assert (day.first.never, day.goals.had_clip) == (0, 0)


@pytest.mark.parametrize(
    ("goal", "posts", "outcomes", "cause"),
    [
        ({"right_clip_posted": False}, [], {}, "no right clip was posted that could be fetched in time"),
        ({"right_clip_findable": False}, [post(1, names="none")], {}, "no right post names the scorer"),
        ({}, [post(1)], {}, "no search found one"),
        ({}, [post(1)], {1: "wrong_minute"}, "one was found and not kept, or cannot be watched"),
    ],
)
def test_a_goal_without_a_clip_says_why(goal: Json, posts: list[Json], outcomes: dict[int, str], cause: str) -> None:
    day = card(make_truth([true_goal(**goal)], posts), fixture(event(outcomes=outcomes)))
    assert day.goals.without_clip == ((cause, 1),)
    assert cause in render_text(day)


def test_recall_counts_right_posts_in_time_by_how_they_name_the_scorer() -> None:
    posts = [
        post(1),
        post(2, names="misspelt"),
        post(3, names="none"),
        post(4, in_window=False),
        post(5, expected="unreachable"),
        post(6, goal="g2", expected_for={"g1": "reject:wrong_goal"}),
    ]
    day = card(make_truth([true_goal()], posts), fixture(event([clip(1)], {1: "uploaded", 6: "wrong_minute"})))
    assert (day.search.recall.part, day.search.recall.whole) == (1, 2)
    assert [(names, rate.part, rate.whole) for names, rate in day.search.by_names] == [
        ("misspelt", 0, 1),
        ("none", 0, 1),
        ("usual", 1, 1),
    ]


def test_right_clips_that_were_refused_are_counted_by_reason() -> None:
    posts = [post(n) for n in (1, 2, 3, 4)] + [post(5, goal=None, expected="reject:not_soccer")]
    outcomes = {1: "uploaded", 2: "wrong_minute", 3: "wrong_minute", 4: "not_soccer", 5: "not_soccer"}
    day = card(make_truth([true_goal()], posts), fixture(event([clip(1)], outcomes)))
    assert (day.search.refused.part, day.search.refused.whole) == (3, 4)
    assert day.search.refused_by == (("wrong_minute", 2), ("not_soccer", 1))
    assert "wrong_minute 2, not_soccer 1" in render_text(day)


def test_a_clip_of_another_goal_of_another_match_is_wrong_for_every_goal_without_a_word() -> None:
    stray = post(1, goal="g9", expected="publish")
    day = card(make_truth([true_goal()], [stray]), fixture(event(outcomes={1: "wrong_minute"})))
    assert day.outcomes.cells == (("wrong_match", "wrong_minute", 1),)


def test_two_goals_of_one_player_in_neighbouring_minutes_are_not_mixed_up() -> None:
    first, second = event([clip(1)]), event([clip(2)], _event_id="5000_40_234_Goal_2", time={"elapsed": 9})
    truth = make_truth([true_goal(), true_goal("g2", minute="9")], [post(1), post(2, goal="g2")])
    assert card(truth, fixture(second, first)).clips.right == 2
