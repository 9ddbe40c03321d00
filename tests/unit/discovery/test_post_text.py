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
    ],
)
def test_signs_of_another_goal_are_counted(text: str, doubts: int) -> None:
    assert count_post_doubts(text, ("Wirtz", "Florian Wirtz"), TEAMS, DAY) == doubts


@given(st.text(max_size=300))
def test_any_text_has_between_none_and_four_signs(text: str) -> None:
    assert 0 <= count_post_doubts(text, ("Wirtz",), TEAMS, DAY) <= 4
