"""Days, searches, teams, players and figures, read from a real database by its indexes."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from found_footy.domain.collections import TEAM_ALIASES, FixtureCollection
from found_footy.domain.outcomes import GoalStatus
from found_footy.platform.mongo import Database, ensure_indexes
from found_footy.views import browse_store, store
from found_footy.views.browse_reader import BrowseReader
from found_footy.views.browse_store import BrowseStore, FixtureCondition
from found_footy.views.catalogue import match_words
from found_footy.views.cursors import parse_fixture_cursor
from found_footy.views.fixture_views import FixtureView, StoredFixture, build_fixture_view
from found_footy.views.search import GoalFilter, parse_goal_cursor
from found_footy.views.source_figures import SearchAttempt
from found_footy.views.source_store import SourceStore
from found_footy.views.stats import SourceYield, build_stats
from found_footy.views.stats_store import StatsStore
from found_footy.views.store import FixtureListCursor
from tests.support.web import matchday
from tests.support.web.matchday import NOW, Document
from tests.support.web.page import PageData

SPURS = {"id": 47, "name": "Tottenham"}
ARSENAL = {"id": 42, "name": "Arsenal"}
STAGING, ACTIVE, COMPLETED = FixtureCollection


def build_view(stored: StoredFixture) -> FixtureView:
    return build_fixture_view(stored, attempts_wanted=10)


@pytest.fixture
async def reader(database: Database) -> BrowseReader:
    await ensure_indexes(database, (*store.INDEXES, *browse_store.INDEXES))
    return BrowseReader(BrowseStore(database), build_view)


def played(fixture_id: int, days: float, *goals: Document, **changes: Any) -> Document:
    kickoff = NOW - timedelta(days=days)
    return matchday.fixture(fixture_id, kickoff=kickoff, status="FT", events=list(goals), **changes)


def fixture_ids(views: tuple[FixtureView, ...]) -> list[int]:
    return [view.fixture_id for view in views]


async def test_a_day_has_its_matches_of_every_collection_and_knows_its_neighbours(
    reader: BrowseReader, page_data: PageData
) -> None:
    berlin, midnight = ZoneInfo("Europe/Berlin"), datetime(2026, 11, 14, 23, 0, tzinfo=UTC)
    rows = {
        1: (midnight - timedelta(seconds=1), COMPLETED),
        2: (midnight, COMPLETED),
        3: (NOW - timedelta(hours=1), ACTIVE),
        4: (midnight + timedelta(hours=23, minutes=59), STAGING),
        5: (midnight + timedelta(hours=24), STAGING),
        6: (midnight - timedelta(days=4), COMPLETED),
        7: (NOW - timedelta(hours=30), ACTIVE),
    }
    for number, (kickoff, collection) in rows.items():
        status = {STAGING: "NS", ACTIVE: "2H", COMPLETED: "FT"}[collection]
        await page_data.store_fixture(matchday.fixture(number, kickoff=kickoff, status=status), collection)
    await page_data.store_fixture(matchday.fixture(8, kickoff=NOW) | {"kickoff": None}, STAGING)
    day = await reader.read_day(date(2026, 11, 15), berlin, NOW)
    assert fixture_ids(day.matches) == [3, 2, 4]
    assert fixture_ids(day.still_live) == [7]
    assert (day.previous_day, day.next_day, day.is_today) == (date(2026, 11, 14), date(2026, 11, 16), True)
    earlier = await reader.read_day(date(2026, 11, 13), berlin, NOW)
    assert (earlier.matches, earlier.still_live, earlier.previous_day) == ((), (), date(2026, 11, 11))
    assert [(one.day.day, one.matches) for one in await reader.list_days(berlin)] == [
        (11, 1),
        (14, 2),
        (15, 3),
        (16, 1),
    ]


async def test_a_fixture_that_is_being_moved_is_on_its_day_once(reader: BrowseReader, page_data: PageData) -> None:
    for collection in (ACTIVE, COMPLETED):
        await page_data.store_fixture(matchday.fixture(1, status="FT"), collection)
    day = await reader.read_day(NOW.date(), UTC, NOW)
    assert fixture_ids(day.matches) == [1]
    assert [one.matches for one in await reader.list_days(UTC)] == [1]


async def test_a_search_finds_teams_by_alias_and_players_without_accents(
    reader: BrowseReader, page_data: PageData
) -> None:
    ozil = matchday.goal(1, 9, name="Mesut Özil", team_id=42, minute=10)
    son = matchday.goal(1, 7, name="Son Heung-Min", minute=50)
    await page_data.store_fixture(played(1, 1, ozil, son, teams={"home": SPURS, "away": ARSENAL}), COMPLETED)
    await page_data.store_fixture(played(2, 2, matchday.goal(2, 8, name="F. Wirtz")), COMPLETED)
    await page_data.database[TEAM_ALIASES].insert_one({"_id": 40, "aliases": ["The Köp"]})
    catalogue = await BrowseStore(page_data.database).read_catalogue()

    async def search(text: str, **wanted: Any) -> tuple[list[str], list[str], list[str]]:
        found = await reader.search(catalogue, text, GoalFilter(**wanted), None, 10)
        return (
            [one.team.name for one in found.teams],
            [one.name for one in found.players],
            [one.goal.player for one in found.goals],
        )

    assert await search("Spurs") == (["Tottenham"], [], ["Son Heung-Min", "Mesut Özil"])
    assert await search("Ozil") == ([], ["Mesut Özil"], ["Mesut Özil"])
    assert await search("spurs özil") == ([], [], ["Mesut Özil"])
    assert await search("kop") == (["Liverpool"], [], ["F. Wirtz"])
    assert await search("nobody") == ([], [], [])
    assert await search("", league_id=39) == ([], [], ["Son Heung-Min", "Mesut Özil", "F. Wirtz"])
    assert await search("ozil", status=GoalStatus.EMPTY) == ([], ["Mesut Özil"], [])
    found = await reader.search(catalogue, "ozil", GoalFilter(), None, 10)
    assert (found.players[0].id, found.players[0].team.name) == (9, "Arsenal")


async def test_pages_of_a_search_have_every_goal_once(reader: BrowseReader, page_data: PageData) -> None:
    """More fixtures than one read takes, most of them without a goal that is wanted."""
    for number in range(1, 101):
        goals = [matchday.goal(number, player, minute=player) for player in (1, 2, 3)] if number % 25 == 0 else []
        await page_data.store_fixture(played(number, number / 10, *goals), COMPLETED)
    listed, cursor = [], None
    while True:
        page = await reader.list_goals(GoalFilter(), cursor, 5)
        listed += [(one.match.fixture_id, one.goal.player_id) for one in page.goals]
        if page.next is None:
            break
        cursor = parse_goal_cursor(page.next)
    assert listed == [(number, player) for number in (25, 50, 75, 100) for player in (3, 2, 1)]


async def test_a_page_that_reads_too_much_ends_early_and_says_where_to_go_on(
    reader: BrowseReader, page_data: PageData, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("found_footy.views.browse_reader._FIXTURES_PER_READ", 2)
    monkeypatch.setattr("found_footy.views.browse_reader._MAX_READS", 2)
    for number in range(1, 7):
        await page_data.store_fixture(played(number, number, *([matchday.goal(6)] if number == 6 else [])), COMPLETED)
    first = await reader.list_goals(GoalFilter(), None, 5)
    assert first.goals == ()
    assert first.next is not None
    second = await reader.list_goals(GoalFilter(), parse_goal_cursor(first.next), 5)
    assert [one.match.fixture_id for one in second.goals] == [6]


async def test_a_team_has_what_comes_and_what_was_played(reader: BrowseReader, page_data: PageData) -> None:
    teams = {"home": ARSENAL, "away": SPURS}
    for number, days in ((1, 1), (2, 2), (3, 3)):
        await page_data.store_fixture(played(number, days, teams=teams), COMPLETED)
    for number, days in ((4, -2), (5, -1)):
        document = matchday.fixture(number, kickoff=NOW - timedelta(days=days), status="NS", teams=teams)
        await page_data.store_fixture(document, STAGING)
    await page_data.store_fixture(played(6, 1), COMPLETED)
    catalogue = await BrowseStore(page_data.database).read_catalogue()
    team = await reader.read_team(catalogue, 47, None, 2)
    assert team is not None
    assert (team.team.name, fixture_ids(team.upcoming), fixture_ids(team.matches)) == ("Tottenham", [5, 4], [1, 2])
    assert "Spurs" in team.aliases
    rest = await reader.read_team(catalogue, 47, parse_fixture_cursor(team.next or ""), 2)
    assert rest is not None
    assert (fixture_ids(rest.upcoming), fixture_ids(rest.matches), rest.next) == ([], [3], None)
    assert await reader.read_team(catalogue, 999, None, 2) is None


async def test_a_player_has_goals_and_assists(reader: BrowseReader, page_data: PageData) -> None:
    own = matchday.goal(1, 9, name="Mesut Özil")
    helped = matchday.goal(2, 8, assist={"id": 9, "name": "M. Özil"})
    await page_data.store_fixture(played(1, 2, own), COMPLETED)
    await page_data.store_fixture(played(2, 1, helped, matchday.goal(2, 7, minute=80)), COMPLETED)
    first = await reader.read_player(9, None, 1)
    assert first is not None
    assert (first.player.name, [one.goal.assist for one in first.goals]) == ("M. Özil", ["M. Özil"])
    assert first.next is not None
    rest = await reader.read_player(9, parse_goal_cursor(first.next), 5)
    assert rest is not None
    assert (rest.player.name, [one.goal.player for one in rest.goals]) == ("Mesut Özil", ["Mesut Özil"])
    assert await reader.read_player(10**6, None, 5) is None


@pytest.mark.parametrize(
    "condition",
    [
        FixtureCondition(team_id=1007),
        FixtureCondition(league_id=507),
        FixtureCondition(player_id=70007),
        FixtureCondition(since=NOW - timedelta(hours=8), until=NOW - timedelta(hours=6)),
        FixtureCondition(team_id=1007, after=FixtureListCursor(NOW, 1)),
    ],
    ids=str,
)
async def test_a_list_reads_only_the_fixtures_it_shows(
    reader: BrowseReader, page_data: PageData, condition: FixtureCondition
) -> None:
    await _store_many(page_data)
    query = page_data.database[COMPLETED].find(condition.to_query()).sort([("kickoff", -1), ("_id", -1)]).limit(50)
    plan = await query.explain()
    assert "COLLSCAN" not in str(plan["queryPlanner"]["winningPlan"])
    assert plan["executionStats"]["nReturned"] > 0
    assert plan["executionStats"]["totalDocsExamined"] <= plan["executionStats"]["nReturned"]


async def test_a_word_reads_only_the_fixtures_it_means(reader: BrowseReader, page_data: PageData) -> None:
    await _store_many(page_data)
    words = match_words(await BrowseStore(page_data.database).read_catalogue(), "playerseven")
    query = page_data.database[COMPLETED].find(FixtureCondition(words=words).to_query())
    plan = await query.sort([("kickoff", -1), ("_id", -1)]).limit(50).explain()
    assert plan["executionStats"]["nReturned"] == 1
    assert plan["executionStats"]["totalDocsExamined"] == 1


async def test_names_and_kickoffs_are_read_from_the_indexes_alone(reader: BrowseReader, page_data: PageData) -> None:
    """Fixtures carry what their searches recorded, far more than names and times."""
    await _store_many(page_data)
    collection = page_data.database[COMPLETED]
    names = collection.find({"teams.home.id": {"$gt": 0}}, {"teams.home.id": 1, "teams.home.name": 1, "_id": 0})
    kickoffs = collection.find({"kickoff": {"$type": "date"}}, {"kickoff": 1}).sort([("kickoff", -1), ("_id", -1)])
    for query in (names, kickoffs):
        plan = await query.explain()
        assert plan["executionStats"]["totalDocsExamined"] == 0
    command = {"distinct": str(COMPLETED), "key": "events.player.name"}
    plan = await page_data.database.command({"explain": command, "verbosity": "executionStats"})
    assert plan["executionStats"]["totalDocsExamined"] == 0


async def _store_many(page_data: PageData) -> None:
    documents = []
    for number in range(1, 61):
        teams = {"home": {"id": 1000 + number, "name": f"Team {number}"}, "away": ARSENAL}
        goal = matchday.goal(number, 70_000 + number, name="Playerseven" if number == 7 else f"Name {number}")
        league = {"id": 500 + number, "name": "League"}
        documents.append(played(number, number / 24, goal, teams=teams, league=league))
    await page_data.database[COMPLETED].insert_many(documents)


async def test_figures_count_what_each_source_gave(page_data: PageData) -> None:
    event = "1_40_234_Goal_1"
    links: list[Document] = [
        {"url": "https://x.com/a", "source": "x", "taken": True},
        {"url": "https://x.com/b", "source": "x", "taken": True},
        {"url": "https://x.com/c", "source": "x", "taken": False},
        {"url": "https://bsky.app/d", "source": "bluesky", "taken": True},
    ]
    clips = [matchday.clip(event, sources=["https://x.com/a", "https://bsky.app/d"])]
    attempts = {"download1-x": {"searched_at": NOW, "sources": {"x": "answered", "bluesky": "Unavailable: no"}}}
    goal = matchday.goal(1, _discovered_videos=links, _s3_videos=clips, _telemetry={"attempts": attempts})
    for collection in (ACTIVE, COMPLETED):
        await page_data.store_fixture(played(1, 0.1, goal), collection)
    await page_data.store_fixture(played(2, 0.1, matchday.goal(2)), COMPLETED)
    other = matchday.goal(3, _discovered_videos=[{"url": "https://x.com/e", "source": "x", "taken": False}])
    await page_data.store_fixture(played(3, 0.1, other), ACTIVE)
    figures = StatsStore(page_data.database)
    yields = await figures.count_candidates()
    assert set(yields) == {SourceYield("x", 4, 2, 1), SourceYield("bluesky", 1, 1, 1)}
    stats = build_stats(await figures.list_for_stats(), yields)
    assert (stats.matches, stats.clips, stats.clip_bytes, stats.capture.goals) == (3, 1, 1_000_000, 3)


async def test_sources_are_counted_over_the_goals_of_recent_fixtures(page_data: PageData) -> None:
    event = "1_40_234_Goal_1"
    links: list[Document] = [
        {"url": "https://x.com/a", "source": "x", "taken": True, "attempt": 1},
        {"url": "https://www.reddit.com/comments/b", "source": "reddit", "taken": True, "attempt": 1},
    ]
    clips = [matchday.clip(event, sources=["https://x.com/a", "https://www.reddit.com/comments/b"])]
    told = {"x": "answered", "reddit": "answered", "bluesky": "Unavailable: no"}
    verdicts = {"abc": {"url": "https://x.com/a", "outcome": "uploaded", "evidence": {"large": "x"}}}
    attempts = {"download1": {"attempt": 1, "form": "wide", "searched_at": NOW, "sources": told, "clips": verdicts}}
    changes: Document = {"_first_seen": NOW - timedelta(minutes=2)}
    goal = matchday.goal(1, _discovered_videos=links, _s3_videos=clips, _telemetry={"attempts": attempts}, **changes)
    for collection in (ACTIVE, COMPLETED):
        await page_data.store_fixture(played(1, 0.1, goal), collection)
    await page_data.store_fixture(played(2, 0.1, matchday.goal(2)), ACTIVE)
    store_of_sources = SourceStore(page_data.database)
    searches = await store_of_sources.list_goal_searches(NOW - timedelta(days=1))
    assert SearchAttempt(NOW, told, "wide") in [one for goal_searches in searches for one in goal_searches.searches]
    assert await store_of_sources.list_goal_searches(NOW) == []
    assert await store_of_sources.read_reddit_poll() == {}
    views = {view.name: view for view in await store_of_sources.read_sources(NOW)}
    assert (views["x"].found, views["x"].kept, views["x"].median_delay_seconds) == (1, 1, 120)
    assert (views["reddit"].found, views["reddit"].kept) == (1, 1)
    assert views["bluesky"].state == "failing"
