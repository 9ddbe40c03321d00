"""Targets, and how a scorecard reads."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from found_footy.platform.errors import Malformed
from found_footy_sim.scorecard.card import DayChecks, Scorecard
from found_footy_sim.scorecard.costs import InjectedFault, ProgramCost, RunCosts
from found_footy_sim.scorecard.ground_truth import parse_ground_truth
from found_footy_sim.scorecard.html_report import render_html
from found_footy_sim.scorecard.json_report import render_json
from found_footy_sim.scorecard.targets import evaluate_targets
from found_footy_sim.scorecard.text_report import render_text
from tests.support.scorecard.match_days import at, card, clip, event, fixture, make_truth, post, true_goal

COSTS = RunCosts(
    (ProgramCost("worker", 30.0, 12.0, 300 * 2**20), ProgramCost("mongodb", 8.0, 0.0, 150 * 2**20)),
    peak_memory=450 * 2**20,
    database={"query": 400, "update": 100},
    history={"MonitorWorkflow": 900},
    wall_seconds=61,
)
BACK = InjectedFault("kill worker", 12.0, "kill -9", 10, 11, 2.5)
GONE = InjectedFault("kill temporal", 20.0, "kill -9", 12, None, None)


def a_good_day(**changes: object) -> Scorecard:
    return card(
        make_truth([true_goal()], [post(1)]), fixture(event([clip(1, **changes)], {1: "uploaded"})), costs=COSTS
    )


def missed(day: Scorecard) -> list[str]:
    return [target.name for target in evaluate_targets(day) if not target.met]


def test_a_good_day_misses_nothing() -> None:
    assert missed(a_good_day()) == []


def a_day_of_clips(wrong: int, right: int, **changes: object) -> Scorecard:
    """A day with that many wrong and right clips of one goal."""
    posts = [post(n, goal="g1" if n > wrong else "old") for n in range(1, wrong + right + 1)]
    clips = [clip(n, **changes) for n in range(1, wrong + right + 1)]
    return card(make_truth([true_goal()], posts), fixture(event(clips, {1: "uploaded"})), costs=COSTS)


@pytest.mark.parametrize(
    ("day", "word"),
    [
        (card(make_truth([true_goal()], [post(1)]), fixture(event())), "watched"),
        (card(make_truth([true_goal()]), fixture()), "missed"),
        (card(make_truth([true_goal()]), fixture(event(_download_complete=False))), "not complete"),
        (card(make_truth([true_goal()]), fixture(event(_completion_reason="deadline"))), "deadline"),
        (a_good_day(added_at=at(16)), "median"),
        (card(make_truth([true_goal()], [post(1, goal="old")]), fixture(event([clip(1)]))), "verified"),
        (card(make_truth([true_goal()], [post(1, kind="filmed")]), fixture(event([clip(1)]))), "film a screen"),
        (card(make_truth([true_goal()], [post(1, goal=None)]), fixture(event([clip(1)]))), "do not show"),
        (card(make_truth([true_goal()], [post(1)]), fixture(event(outcomes={1: "wrong_minute"}))), "refused"),
        (
            card(make_truth([true_goal()], [post(1)]), fixture(event([clip(1)])), checks=DayChecks({}, ())),
            "fetched and played",
        ),
        (
            card(make_truth([true_goal()], [post(1)]), fixture(event([clip(1)])), checks=DayChecks({}, ("gaps",))),
            "archive",
        ),
        (
            card(make_truth([true_goal()], [post(1), post(2, recording="r1")]), fixture(event([clip(1), clip(2)]))),
            "copies",
        ),
        (
            card(
                make_truth([true_goal()], [post(1), post(2)]),
                fixture(event([clip(1)], {1: "uploaded", 2: "duplicate"})),
            ),
            "swallowed",
        ),
    ],
)
def test_every_target_can_be_missed(day: Scorecard, word: str) -> None:
    assert any(word in name for name in missed(day))


@pytest.mark.parametrize(
    ("wrong", "right", "met", "hard"),
    [
        (0, 20, True, False),
        (1, 4, False, True),
        (1, 5, False, False),
        (1, 19, False, False),
        (1, 300, True, False),
        (2, 18, False, True),
        (20, 0, False, True),
    ],
)
def test_a_wrong_clip_fails_a_run_only_if_it_cannot_be_chance(wrong: int, right: int, met: bool, hard: bool) -> None:
    day = a_day_of_clips(wrong, right)
    (target,) = (target for target in evaluate_targets(day) if "as verified" in target.name)
    assert (target.met, target.hard) == (met, hard)


def test_one_goal_of_twelve_that_cannot_be_watched_may_be_chance_and_six_cannot() -> None:
    for unwatched, hard in ((1, False), (6, True)):
        goals = [true_goal(f"g{n}", minute=str(6 * n)) for n in range(1, 13)]
        events = [
            event([clip(n)] if n > unwatched else [], _event_id=f"e{n}", time={"elapsed": 6 * n}) for n in range(1, 13)
        ]
        day = card(make_truth(goals, [post(n, goal=f"g{n}") for n in range(1, 13)]), fixture(*events))
        (target,) = (target for target in evaluate_targets(day) if "can be watched" in target.name)
        assert (target.met, target.hard) == (False, hard)


def test_a_deadline_does_not_fail_a_day_with_outages() -> None:
    closed = fixture(event([clip(1)], _completion_reason="deadline"))
    for faults, hard in (((), True), ((BACK,), False)):
        day = card(make_truth([true_goal()], [post(1)]), closed, faults=faults)
        (target,) = (target for target in evaluate_targets(day) if "deadline" in target.name)
        assert (target.met, target.hard) == (False, hard)


def test_what_nobody_tried_is_not_met() -> None:
    day = card(make_truth([true_goal()], [post(1)]), fixture(event([clip(1)])), checks=DayChecks())
    untried = [target for target in evaluate_targets(day) if target.got == "not measured"]
    assert [target.name for target in untried if target.hard and not target.met] == [
        "published clips that cannot be fetched and played",
        "faults found in the archive",
    ]


def test_faults_of_the_archive_are_named() -> None:
    day = card(make_truth([true_goal()]), fixture(event()), checks=DayChecks({}, ("<ranks> have gaps",)))
    assert "<ranks> have gaps" in render_text(day)
    assert "&lt;ranks&gt; have gaps" in render_html(day)


def test_a_fault_that_is_not_recovered_from_is_a_miss_and_so_is_chaos_without_faults() -> None:
    truth, stored = make_truth([true_goal()], [post(1)]), fixture(event([clip(1)], {1: "uploaded"}))
    assert missed(card(truth, stored, faults=(BACK,))) == []
    assert missed(card(truth, stored, faults=(BACK, GONE))) == ["faults that fired and were recovered from"]
    assert not InjectedFault("kill", 1.0, "", 10, 10, 1.0).has_recovered


def test_the_terminal_names_what_was_missed_and_every_fault() -> None:
    day = card(make_truth([true_goal()], [post(1)]), fixture(event()), costs=COSTS, faults=(BACK, GONE))
    words = render_text(day)
    assert "MISS goals that had a findable right clip and can be watched" in words
    assert "CPU seconds per goal 50.0: worker 42 s (84%), mongodb 8 s (16%); peak 450 MB" in words
    assert "kill worker (kill -9), pid 10 → 11, recovered after 2.5 s" in words
    assert "did NOT recover" in words


def test_what_was_played_otherwise_than_by_default_is_named() -> None:
    day = a_good_day()
    day = replace(day, conditions=replace(day.conditions, shares=("doubles=0.5",), without=("teams", "half")))
    assert "doubles=0.5, without teams, without half" in render_text(day).splitlines()[0]
    assert "doubles=0.5, without teams, without half" in render_html(day)


def test_what_could_not_be_measured_is_said_to_be_so_and_is_not_met() -> None:
    day = card(make_truth([true_goal(right_clip_posted=False)]), fixture(event()), costs=COSTS)
    unmeasured = {target.name: target for target in evaluate_targets(day) if "not measured" in target.got}
    assert len(unmeasured) == 7
    assert not any(target.met for target in unmeasured.values())
    assert unmeasured["goals that had a findable right clip and can be watched"].hard
    assert "100" not in "".join(target.got for target in unmeasured.values())


def test_a_machine_that_does_not_count_gives_no_figures() -> None:
    day = card(make_truth([true_goal()], [post(1)]), fixture(event([clip(1)])), costs=replace(COSTS, programs=()))
    body = json.loads(render_json(day))
    assert body["per_goal"]["cpu_seconds"] is None
    assert body["costs"]["peak_memory"] is None
    assert "CPU and memory: not measured" in render_text(day)
    for words in (render_text(day), render_html(day)):
        assert "MB" not in words
        assert "CPU seconds" not in words


def test_programs_get_every_figure() -> None:
    body = json.loads(render_json(a_good_day()))
    assert body["schema"] == 3
    assert body["costs"]["peak_memory"] == 450 * 2**20
    assert body["per_goal"] == {
        "attempts": 2,
        "database_operations": 500,
        "history_events": 900,
        "cpu_seconds": 50,
    }
    assert body["conditions"]["seed"] == 7
    assert all(target["met"] for target in body["targets"])


class Page(HTMLParser):
    """Opens and closes what it reads; keeps what could load something from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loads += [tag] if tag in {"script", "link", "img", "iframe"} else []
        self.loads += [name for name, _ in attrs if name in {"src", "href", "onload", "onclick"}]
        self.open += [tag] if tag != "meta" else []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Closed where it is opened."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_stands_alone_and_is_well_formed() -> None:
    page = Page()
    text = render_html(
        card(make_truth([true_goal()], [post(1)]), fixture(event([clip(1)])), costs=COSTS, faults=(BACK,))
    )
    page.feed(text)
    assert page.open == []
    assert page.loads == []
    assert not re.search(r"url\(|@import|https?://", text)
    assert text.count("<svg") >= 5


def test_names_from_outside_are_only_text_on_the_page() -> None:
    goal = true_goal(player="<script>alert(1)</script>")
    assert "<script" not in render_html(card(make_truth([goal]), fixture(event())))


@pytest.mark.parametrize("answer", [None, [], {}, {"goals": "none"}, {"goals": [{"goal": "g"}]}])
def test_an_account_that_is_none_is_refused(answer: object) -> None:
    with pytest.raises(Malformed):
        parse_ground_truth(answer)
