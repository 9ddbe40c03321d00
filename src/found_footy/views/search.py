"""Which goals a search means, in which order they are listed, and where the next page begins. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from found_footy.domain.ids import parse_fixture_id
from found_footy.domain.outcomes import GoalStatus
from found_footy.views.catalogue import WordMatch, has_word
from found_footy.views.cursors import from_milliseconds, to_milliseconds
from found_footy.views.fixture_views import FixturePhase, FixtureView, GoalView, LeagueView, ScoreView, TeamView

GOAL_CURSOR_PATTERN = r"^\d{1,15}-\d{1,4}-\d{1,4}-\d{1,4}-\d{1,12}(_[A-Za-z0-9]{1,20}){4}$"
_GOAL_CURSOR = re.compile(GOAL_CURSOR_PATTERN)


class GoalKind(StrEnum):
    """How a goal was scored, as far as the feed tells."""

    OPEN_PLAY = "open-play"
    PENALTY = "penalty"
    OWN_GOAL = "own-goal"


_KINDS = {"": GoalKind.OPEN_PLAY, "penalty": GoalKind.PENALTY, "own goal": GoalKind.OWN_GOAL}


@dataclass(frozen=True)
class FixtureHeadline:
    """A fixture without its goals."""

    fixture_id: int
    phase: FixturePhase
    state: str
    kickoff: datetime
    league: LeagueView
    home: TeamView
    away: TeamView
    score: ScoreView | None


@dataclass(frozen=True)
class FoundGoal:
    match: FixtureHeadline
    goal: GoalView


@dataclass(frozen=True)
class GoalFilter:
    """Every condition that is set must hold. `words` are those of the search text; `team_id` is a side of the match,
    `player_id` the scorer or who assisted; kickoff is from `since` until before `until`. One clip must have both, a
    verified minute if `is_verified`, and `min_resolution` lines on its shorter side.
    """

    words: tuple[WordMatch, ...] = ()
    team_id: int | None = None
    player_id: int | None = None
    league_id: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    status: GoalStatus | None = None
    kind: GoalKind | None = None
    is_verified: bool = False
    min_resolution: int | None = None

    @property
    def is_unmatchable(self) -> bool:
        """Whether a word means no stored team and no stored player."""
        return any(word.is_empty for word in self.words)


@dataclass(frozen=True)
class GoalListCursor:
    """A position in the list of goals, newest first; the next page begins after it."""

    kickoff: datetime
    elapsed: int
    extra: int
    scored: int
    event_id: str

    @property
    def fixture_id(self) -> int:
        return parse_fixture_id(self.event_id)

    @property
    def position(self) -> tuple[datetime, int, int, int, int, str]:
        return (self.kickoff, self.fixture_id, self.elapsed, self.extra, self.scored, self.event_id)


@dataclass(frozen=True)
class GoalPage:
    """`next` is the cursor of the following page; None on the last."""

    goals: tuple[FoundGoal, ...]
    next: str | None = None


def build_headline(fixture: FixtureView) -> FixtureHeadline:
    return FixtureHeadline(
        fixture_id=fixture.fixture_id,
        phase=fixture.phase,
        state=fixture.state,
        kickoff=fixture.kickoff,
        league=fixture.league,
        home=fixture.home,
        away=fixture.away,
        score=fixture.score,
    )


def select_goals(fixture: FixtureView, wanted: GoalFilter) -> list[FoundGoal]:
    """The goals of a fixture that the filter means, the latest first."""
    headline = build_headline(fixture)
    found = [FoundGoal(headline, goal) for goal in fixture.goals if is_wanted(fixture, goal, wanted)]
    return sorted(found, key=lambda one: locate_goal(one).position, reverse=True)


def is_wanted(fixture: FixtureView, goal: GoalView, wanted: GoalFilter) -> bool:
    teams = {fixture.home.id, fixture.away.id}
    return (
        (wanted.team_id is None or wanted.team_id in teams)
        and (wanted.player_id is None or wanted.player_id in (goal.player_id, goal.assist_id))
        and (wanted.league_id is None or wanted.league_id == fixture.league.id)
        and (wanted.since is None or fixture.kickoff >= wanted.since)
        and (wanted.until is None or fixture.kickoff < wanted.until)
        and (wanted.status is None or goal.status is wanted.status)
        and (wanted.kind is None or _KINDS.get(goal.detail.lower()) is wanted.kind)
        and _has_wanted_clip(goal, wanted)
        and all(teams & word.team_ids or has_word(goal.player, word.word) for word in wanted.words)
    )


def _has_wanted_clip(goal: GoalView, wanted: GoalFilter) -> bool:
    if not wanted.is_verified and wanted.min_resolution is None:
        return True
    return any(
        (clip.verified or not wanted.is_verified)
        and min(clip.width or 0, clip.height or 0) >= (wanted.min_resolution or 0)
        for clip in goal.clips
    )


def locate_goal(found: FoundGoal) -> GoalListCursor:
    goal = found.goal
    scored = goal.score_after.home + goal.score_after.away if goal.score_after else 0
    return GoalListCursor(found.match.kickoff, goal.elapsed or 0, goal.extra or 0, scored, goal.event_id)


def cut_page(found: Iterable[FoundGoal], after: GoalListCursor | None, limit: int) -> list[FoundGoal]:
    """At most `limit` goals after the cursor, newest first."""
    ordered = sorted(found, key=lambda one: locate_goal(one).position, reverse=True)
    rest = [one for one in ordered if after is None or locate_goal(one).position < after.position]
    return rest[:limit]


def format_goal_cursor(cursor: GoalListCursor) -> str:
    return f"{to_milliseconds(cursor.kickoff)}-{cursor.elapsed}-{cursor.extra}-{cursor.scored}-{cursor.event_id}"


def parse_goal_cursor(text: str) -> GoalListCursor | None:
    """None for a text that `format_goal_cursor` does not write."""
    if not _GOAL_CURSOR.fullmatch(text):
        return None
    milliseconds, elapsed, extra, scored, event_id = text.split("-")
    kickoff = from_milliseconds(int(milliseconds))
    return GoalListCursor(kickoff, int(elapsed), int(extra), int(scored), event_id) if kickoff else None
