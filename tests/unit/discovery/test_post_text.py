"""Signs in the text of a post that its video shows something else."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.discovery.candidates.post_text import count_post_doubts

DAY = date(2026, 11, 15)
TEAMS = ("Liverpool", "LFC", "Reds", "Arsenal", "Gunners")


@pytest.mark.parametrize(
    ("text", "doubts"),
    [
        ("WIRTZ!!! Liverpool 1-0 Arsenal", 0),
        ("GOAL Florian Wirtz vs Arsenal", 0),
        ("Wirtz against the Gunners", 0),
        ("", 0),
        ("What a hit by Wirtz, 15/11/2026", 0),
        ("Wirtz 2026-11-15", 0),
        ("Wirtz season 2026", 0),
        ("Salah scores for Liverpool", 1),
        ("Wirtz vs Manchester City", 1),
        ("#Wirtz v Real Madrid what a goal", 1),
        ("Wirtz highlights", 1),
        ("All goals of Wirtz this season", 1),
        ("Wirtz 08/11/2026 again", 1),
        ("Wirtz in 2019 was better", 1),
        ("Throwback: Kane highlights vs Chelsea 2018", 4),
        ("Wirtz did that last week too", 1),
        ("Remember when Wirtz did this", 1),
        ("A goal to remember by Wirtz", 0),
        ("Wirtz watched this, Liverpool Women", 1),
        ("Liverpool U21: the next Wirtz?", 1),
        ("Throwback: Kane highlights vs Chelsea Women 2018", 5),
    ],
)
def test_signs_of_another_goal_are_counted(text: str, doubts: int) -> None:
    assert count_post_doubts(text, ("Wirtz", "Florian Wirtz"), TEAMS, DAY) == doubts


@given(st.text(max_size=300))
def test_any_text_has_between_none_and_five_signs(text: str) -> None:
    assert 0 <= count_post_doubts(text, ("Wirtz",), TEAMS, DAY) <= 5


def test_a_match_of_women_or_youth_is_not_in_doubt_for_naming_them() -> None:
    assert count_post_doubts("Miedema! Arsenal Women lead", ("Miedema",), ("Arsenal W", "Chelsea W"), DAY) == 0
    assert count_post_doubts("U19: Nyoni scores", ("Nyoni",), ("Liverpool U19", "PSG U19"), DAY) == 0
