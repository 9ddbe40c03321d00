"""What the feed says about a goal, for sources whose posts name the match: teams, score, side, scorer, minute. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class GoalFacts:
    """The score is the one after the goal. `home_scored` is None where the feed does not tell which score it raised.
    The names are the feed's and all aliases.
    """

    home_names: tuple[str, ...]
    away_names: tuple[str, ...]
    home_score: int
    away_score: int
    home_scored: bool | None
    scorer: str
    elapsed: int
    extra: int | None = None


def read_goal_facts(
    fixture: Mapping[str, Any], home_aliases: Sequence[str], away_aliases: Sequence[str]
) -> GoalFacts | None:
    """The facts of the only goal of a stored fixture; None while its score or its minute is unknown."""
    [event] = fixture["events"]
    after, before, time = event.get("_score_after"), event.get("_score_before"), event.get("time") or {}
    if not _is_score(after) or time.get("elapsed") is None:
        return None
    teams = fixture["teams"]
    return GoalFacts(
        _distinct(teams["home"]["name"], home_aliases),
        _distinct(teams["away"]["name"], away_aliases),
        after["home"],
        after["away"],
        _find_scoring_side(before, after) if _is_score(before) else None,
        (event.get("player") or {}).get("name") or "",
        time["elapsed"],
        time.get("extra"),
    )


def _find_scoring_side(before: Mapping[str, int], after: Mapping[str, int]) -> bool | None:
    home, away = after["home"] - before["home"], after["away"] - before["away"]
    return None if (home > 0) == (away > 0) else home > 0


def _is_score(score: Any) -> bool:
    return bool(score) and score.get("home") is not None and score.get("away") is not None


def _distinct(name: str, aliases: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((name, *aliases)))
