"""The names of both teams in the message about a goal."""

from dataclasses import replace

from found_footy.discovery.aliases.combine import add_aliases, opponent_names
from tests.support.pipeline.goals import make_goal

HOME = make_goal()
AWAY = replace(HOME, team_name="Arsenal")


def test_the_opponents_aliases_come_from_the_built_in_table() -> None:
    goal = add_aliases(HOME, ("Liverpool", "LFC"))
    assert goal.home_aliases == ("Liverpool", "LFC")
    assert "Gunners" in goal.away_aliases
    turned = add_aliases(AWAY, ("Arsenal", "AFC"))
    assert (turned.away_aliases, "Reds" in turned.home_aliases) == (("Arsenal", "AFC"), True)


def test_a_missing_opponent_has_no_names() -> None:
    goal = add_aliases(replace(HOME, away_name=""), ("LFC",))
    assert (goal.away_aliases, opponent_names(goal)) == ((), ())


def test_the_opponent_is_the_team_that_did_not_score() -> None:
    assert opponent_names(add_aliases(HOME, ("LFC",)))[0] == "Arsenal"
    assert opponent_names(add_aliases(AWAY, ("AFC",)))[0] == "Liverpool"
