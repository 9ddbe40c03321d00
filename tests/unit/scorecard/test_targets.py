"""Targets, and how a scorecard reads."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from found_footy.platform.errors import Malformed
from found_footy_sim.scorecard.card import Scorecard
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


@pytest.mark.parametrize(
    ("day", "word"),
    [
        (card(make_truth([true_goal()], [post(1)]), fixture(event())), "watched"),
        (card(make_truth([true_goal()]), fixture()), "missed"),
        (a_good_day(added_at=at(16)), "median"),
        (card(make_truth([true_goal()], [post(1, goal="old")]), fixture(event([clip(1)]))), "wrong match"),
        (card(make_truth([true_goal()], [post(1, goal=None)]), fixture(event([clip(1)]))), "do not show"),
        (
            card(make_truth([true_goal()], [post(1), post(2, recording="r1")]), fixture(event([clip(1), clip(2)]))),
            "copies",
        ),
    ],
)
def test_every_target_can_be_missed(day: Scorecard, word: str) -> None:
    assert any(word in name for name in missed(day))


def test_a_fault_that_is_not_recovered_from_is_a_miss_and_so_is_chaos_without_faults() -> None:
    truth, stored = make_truth([true_goal()], [post(1)]), fixture(event([clip(1)]))
    assert missed(card(truth, stored, faults=(BACK,))) == []
    assert missed(card(truth, stored, faults=(BACK, GONE))) == ["faults that fired and were recovered from"]
    assert not InjectedFault("kill", 1.0, "", 10, 10, 1.0).has_recovered


def test_the_terminal_names_what_was_missed_and_every_fault() -> None:
    day = card(make_truth([true_goal()], [post(1)]), fixture(event()), costs=COSTS, faults=(BACK, GONE))
    words = render_text(day)
    assert "MISS goals that had a right clip posted and can be watched" in words
    assert "CPU seconds per goal 50.0: worker 42 s (84%), mongodb 8 s (16%); peak 450 MB" in words
    assert "kill worker (kill -9), pid 10 → 11, recovered after 2.5 s" in words
    assert "did NOT recover" in words


def test_what_could_not_be_measured_is_said_to_be_so_and_is_not_met() -> None:
    day = card(make_truth([true_goal(right_clip_posted=False)]), fixture(event()), costs=COSTS)
    unmeasured = {target.name: target for target in evaluate_targets(day) if "not measured" in target.got}
    assert len(unmeasured) == 4
    assert not any(target.met for target in unmeasured.values())
    assert unmeasured["goals that had a right clip posted and can be watched"].hard
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
    assert body["schema"] == 2
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
