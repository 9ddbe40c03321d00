"""What people browse, read and put together: a day, a search, a team, a player."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, tzinfo

from found_footy.views.browse_store import BrowseStore, FixtureCondition
from found_footy.views.catalogue import NameCatalogue, find_players, find_teams, match_words
from found_footy.views.cursors import format_fixture_cursor
from found_footy.views.day import DaySummary, DayView, build_day_view, day_span, local_day, summarize_days
from found_footy.views.fixture_views import FixtureView, StoredFixture
from found_footy.views.people_views import (
    PlayerMatch,
    PlayerPage,
    TeamMatch,
    TeamPage,
    build_player_matches,
    build_team_match,
    identify_player,
)
from found_footy.views.search import (
    FoundGoal,
    GoalFilter,
    GoalListCursor,
    GoalPage,
    cut_page,
    format_goal_cursor,
    locate_goal,
    select_goals,
)
from found_footy.views.store import FixtureListCursor

_FIXTURES_PER_READ = 40
# A filter that few goals pass ends a page early rather than reading for ever; `next` continues.
_MAX_READS = 10
_MAX_UPCOMING = 10
_GOALS_THAT_NAME = 20

BuildView = Callable[[StoredFixture], FixtureView]


@dataclass(frozen=True)
class SearchResult:
    """What a search text means: teams and players by name, and the goals that all conditions select."""

    teams: tuple[TeamMatch, ...]
    players: tuple[PlayerMatch, ...]
    goals: tuple[FoundGoal, ...]
    next: str | None = None


class BrowseReader:
    def __init__(self, store: BrowseStore, build_view: BuildView) -> None:
        self._store = store
        self._build_view = build_view

    async def read_day(self, day: date, zone: tzinfo, now: datetime) -> DayView:
        span = day_span(day, zone)
        is_today = local_day(now, zone) == day
        # The active ones first: a fixture that is completed in between is then found among those of the day.
        active = await self._store.list_active() if is_today else []
        stored = await self._store.list_between(span.start, span.end)
        before, after = await asyncio.gather(
            self._store.find_kickoff_before(span.start), self._store.find_kickoff_from(span.end)
        )
        return build_day_view(
            day,
            zone,
            now,
            map(self._build_view, stored),
            previous_kickoff=before,
            next_kickoff=after,
            active=map(self._build_view, active),
        )

    async def list_days(self, zone: tzinfo) -> tuple[DaySummary, ...]:
        return summarize_days(await self._store.list_kickoffs(), zone)

    async def list_goals(self, wanted: GoalFilter, after: GoalListCursor | None, limit: int) -> GoalPage:
        """The newest goals that a filter means."""
        if wanted.is_unmatchable:
            return GoalPage(())
        found: list[FoundGoal] = []
        position, keep, reads = _fixture_position(after), True, 0
        while True:
            condition = FixtureCondition.from_goal_filter(wanted, position, keep=keep)
            stored = await self._store.list_goal_fixtures(condition, _FIXTURES_PER_READ)
            views = [self._build_view(one) for one in stored]
            found += [goal for view in views for goal in select_goals(view, wanted)]
            page, reads = cut_page(found, after, limit), reads + 1
            if len(stored) < _FIXTURES_PER_READ:
                is_over = len(cut_page(found, after, limit + 1)) <= limit
                return GoalPage(tuple(page), None if is_over else _cursor_after(page))
            if len(page) == limit:
                return GoalPage(tuple(page), _cursor_after(page))
            if reads == _MAX_READS:
                return GoalPage(tuple(page), format_goal_cursor(_locate_end(views[-1])))
            position, keep = FixtureListCursor(views[-1].kickoff, views[-1].fixture_id), False

    async def search(
        self, catalogue: NameCatalogue, text: str, wanted: GoalFilter, after: GoalListCursor | None, limit: int
    ) -> SearchResult:
        """`wanted` without its words: those are the text's."""
        teams = tuple(build_team_match(team) for team in find_teams(catalogue, text, limit)) if text else ()
        names = find_players(catalogue, text, limit) if text else ()
        words = match_words(catalogue, text)
        rows = await self._store.find_newest_of_players(names, _FIXTURES_PER_READ * len(names))
        page = await self.list_goals(replace(wanted, words=words), after, limit)
        return SearchResult(teams, build_player_matches(rows, names), page.goals, page.next)

    async def read_team(
        self, catalogue: NameCatalogue, team_id: int, after: FixtureListCursor | None, limit: int
    ) -> TeamPage | None:
        """None if no stored fixture has the team."""
        team = catalogue.teams.get(team_id)
        if team is None:
            return None
        upcoming = await self._store.list_upcoming(team_id, _MAX_UPCOMING) if after is None else []
        condition = FixtureCondition(team_id=team_id, after=after)
        stored = await self._store.list_goal_fixtures(condition, limit + 1)
        views = [self._build_view(one) for one in stored[:limit]]
        begun = {view.fixture_id for view in views}
        coming = [view for view in map(self._build_view, upcoming) if view.fixture_id not in begun]
        named = build_team_match(team)
        following = format_fixture_cursor(views[-1]) if len(stored) > limit else None
        return TeamPage(named.team, named.aliases, tuple(coming), tuple(views), following)

    async def read_player(self, player_id: int, after: GoalListCursor | None, limit: int) -> PlayerPage | None:
        """None if no stored goal names the player."""
        page = await self.list_goals(GoalFilter(player_id=player_id), after, limit)
        newest = (
            page if after is None else await self.list_goals(GoalFilter(player_id=player_id), None, _GOALS_THAT_NAME)
        )
        player = identify_player(player_id, newest.goals)
        return PlayerPage(player, page.goals, page.next) if player else None


def _fixture_position(after: GoalListCursor | None) -> FixtureListCursor | None:
    return FixtureListCursor(after.kickoff, after.fixture_id) if after else None


def _cursor_after(page: list[FoundGoal]) -> str:
    return format_goal_cursor(locate_goal(page[-1]))


def _locate_end(fixture: FixtureView) -> GoalListCursor:
    """The position after all goals of a fixture."""
    return GoalListCursor(fixture.kickoff, 0, 0, 0, f"{fixture.fixture_id}_0_0_0_0")
