"""What the picture of a goal should show, from the goal's message. Pure."""

from found_footy.domain.messages import Goal
from found_footy.domain.minutes import add_extra_time
from found_footy.domain.national_teams import strip_squad_suffix
from found_footy.vision.expectation import ExpectedGoal, MatchTeams, ProofRules, ScoreChange


def to_expected_goal(goal: Goal, rules: ProofRules) -> ExpectedGoal:
    """What a clip of the goal should show. What the rules leave out, or the feed does not say, is not checked."""
    teams = MatchTeams(_team_names(goal.home_name, goal.home_aliases), _team_names(goal.away_name, goal.away_aliases))
    before, after, minute = goal.score_before, goal.score_after, add_extra_time(goal.elapsed, goal.extra)
    knows_scores = before is not None and after is not None
    others = [
        ScoreChange(add_extra_time(other.elapsed, other.extra), other.score_before, other.score_after)
        for other in goal.other_goals
    ]
    return ExpectedGoal(
        goal.elapsed,
        goal.extra,
        rules.tolerance,
        teams=teams if rules.teams and teams.home and teams.away else None,
        change=ScoreChange(minute, before, after) if rules.score and before and after else None,
        others=tuple(others) if rules.other_goals and knows_scores else (),
        checks_half=rules.half,
        uses_witnesses=rules.witnesses,
    )


def _team_names(name: str, aliases: tuple[str, ...]) -> tuple[str, ...]:
    """Score bugs print no suffix for women's and youth teams."""
    return tuple(dict.fromkeys(text for text in (name, strip_squad_suffix(name), *aliases) if text))
