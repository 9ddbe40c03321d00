"""Several scorecards in one table."""

import json
from dataclasses import replace

from bench.compare_days import render_table
from found_footy_sim.scorecard.json_report import render_json
from tests.support.scorecard.match_days import card, clip, event, fixture, make_truth, post, true_goal


def rows(table: str) -> dict[str, list[str]]:
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return {line[0]: line[1:] for line in cells}


def test_days_that_were_played_alike_are_added_up() -> None:
    day = card(make_truth([true_goal()], [post(1)]), fixture(event([clip(1)], {1: "verified"})))
    assert day.goals.had_clip == day.goals.watchable == 1
    other = replace(day, conditions=replace(day.conditions, seed=8))
    weak = replace(day, conditions=replace(day.conditions, without=("teams", "score")))
    table = rows(render_table([json.loads(render_json(one)) for one in (day, weak, other)]))
    assert table[""] == [
        "small, seed 7",
        "small, seed 8",
        "small, without teams, score, seed 7",
        "small, 2 days",
    ]
    watchable = [cell.partition(" (")[0] for cell in table["goals watchable, of those with a findable clip"]]
    assert watchable == ["1 of 1", "1 of 1", "1 of 1", "2 of 2"]
    assert table["processor seconds per goal"] == ["-"] * 4
    assert all("%" in cell for cell in table["wrong of the verified"])
