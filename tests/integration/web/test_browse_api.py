"""Days, search, teams, players, figures and sources over HTTP."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx
import pytest

from found_footy.domain.collections import CLIP_REDIRECTS, FixtureCollection
from found_footy.web.deps import DependencyStatus, WebDeps
from tests.support.web import matchday
from tests.support.web.matchday import NOW
from tests.support.web.page import PageData, open_client

EVENT = "5000_40_234_Goal_1"
COMPLETED = FixtureCollection.COMPLETED


@pytest.fixture
async def _match_day(page_data: PageData) -> None:
    """A live match with one clip, one of yesterday with two goals, and one of tomorrow."""
    goal = matchday.goal()
    goal["_s3_videos"] = [matchday.clip(EVENT)]
    await page_data.store_fixture(matchday.fixture(events=[goal]))
    teams = {"home": {"id": 47, "name": "Tottenham"}, "away": {"id": 42, "name": "Arsenal"}}
    goals = [
        matchday.goal(5001, 9, name="Mesut Özil", team_id=42, minute=10),
        matchday.goal(5001, 7, name="Son Heung-Min", team_id=47, minute=50, _download_complete=True),
    ]
    played = matchday.fixture(5001, kickoff=NOW - timedelta(days=1), status="FT", events=goals, teams=teams)
    await page_data.store_fixture(played, COMPLETED)
    ahead = matchday.fixture(5002, kickoff=NOW + timedelta(days=1), status="NS", teams=teams)
    await page_data.store_fixture(ahead, FixtureCollection.STAGING)


async def get(client: httpx.AsyncClient, path: str) -> Any:
    answer = await client.get(f"/api/v1/{path}")
    assert answer.status_code == 200, answer.text
    assert "cache-control" in answer.headers
    return answer.json()


@pytest.mark.usefixtures("_match_day")
async def test_days_are_listed_and_shown_by_the_calendar_of_the_viewer(client: httpx.AsyncClient) -> None:
    listed = await get(client, "days")
    assert [(row["day"], row["matches"]) for row in listed["days"]] == [
        ("2026-11-14", 1),
        ("2026-11-15", 1),
        ("2026-11-16", 1),
    ]
    day = await get(client, "days/2026-11-15?zone=Europe/Berlin")
    assert ([match["fixture_id"] for match in day["matches"]], day["zone"]) == ([5000], "Europe/Berlin")
    assert (day["previous_day"], day["next_day"], day["is_today"]) == ("2026-11-14", "2026-11-16", True)
    late = await get(client, "days/2026-11-16?zone=Pacific/Kiritimati")
    assert [match["fixture_id"] for match in late["matches"]] == [5000]


@pytest.mark.usefixtures("_match_day")
async def test_a_search_takes_aliases_accents_and_filters(client: httpx.AsyncClient) -> None:
    async def scorers(query: str) -> list[str]:
        return [row["goal"]["player"] for row in (await get(client, f"search?{query}"))["goals"]]

    spurs = await get(client, "search?q=Spurs")
    assert [row["team"]["name"] for row in spurs["teams"]] == ["Tottenham"]
    assert await scorers("q=ozil") == ["Mesut Özil"]
    assert await scorers("q=%C3%96ZIL") == ["Mesut Özil"]
    assert await scorers("team=42&status=empty") == ["Son Heung-Min"]
    assert await scorers("player=9") == ["Mesut Özil"]
    assert await scorers("since=2026-11-15") == ["Florian Wirtz"]
    assert await scorers("until=2026-11-14") == ["Son Heung-Min", "Mesut Özil"]
    # By the calendar of Samoa's neighbour the match of the 15th is on the 16th.
    assert await scorers("since=2026-11-16&zone=Pacific/Kiritimati") == ["Florian Wirtz"]
    assert await scorers("league=1") == []
    first = await get(client, "search?limit=2")
    rest = await get(client, f"search?limit=2&cursor={first['next']}")
    listed = [row["goal"]["player"] for row in (*first["goals"], *rest["goals"])]
    assert (listed, rest["next"]) == (["Florian Wirtz", "Son Heung-Min", "Mesut Özil"], None)


@pytest.mark.usefixtures("_match_day")
async def test_teams_and_players_have_their_matches_and_goals(client: httpx.AsyncClient) -> None:
    team = await get(client, "teams/47")
    assert (team["team"]["name"], "Spurs" in team["aliases"]) == ("Tottenham", True)
    assert [match["fixture_id"] for match in (*team["upcoming"], *team["matches"])] == [5002, 5001]
    player = await get(client, "players/9")
    assert (player["player"]["name"], player["player"]["team"]["name"]) == ("Mesut Özil", "Arsenal")
    assert [row["match"]["fixture_id"] for row in player["goals"]] == [5001]


@pytest.mark.usefixtures("_match_day")
async def test_figures_and_sources_are_counted(client: httpx.AsyncClient) -> None:
    stats = await get(client, "stats")
    assert (stats["matches"], stats["clips"], stats["clip_bytes"]) == (3, 1, 1_000_000)
    assert stats["capture"] == {"goals": 3, "watchable": 1, "searching": 1, "empty": 1, "rate": 0.5}
    assert (await get(client, "sources")) == {"sources": []}


async def test_a_clip_is_found_by_its_id_and_by_one_it_absorbed(client: httpx.AsyncClient, page_data: PageData) -> None:
    await page_data.store_playable()
    await page_data.database[CLIP_REDIRECTS].insert_one({"_id": "old", "to": f"{EVENT}-aaaaaaaa"})
    for clip_id in (f"{EVENT}-aaaaaaaa", "old"):
        found = await get(client, f"clips/{clip_id}")
        assert (found["clip"]["clip_id"], found["event_id"]) == (f"{EVENT}-aaaaaaaa", EVENT)
        assert found["match"]["home"]["name"] == "Liverpool"
    gone = matchday.goal(5001, _s3_videos=[matchday.clip("5001_40_234_Goal_1")])
    await page_data.store_fixture(matchday.fixture(5001, removed_events=[gone]))
    assert (await client.get("/api/v1/clips/5001_40_234_Goal_1-aaaaaaaa")).status_code == 410
    assert (await client.get("/api/v1/clips/unknown")).status_code == 404


@pytest.mark.parametrize(
    ("results", "status"),
    [
        ([DependencyStatus("MongoDB", ok=True)], "degraded"),
        ([DependencyStatus("MongoDB", ok=False, detail="at 10.0.0.1")], "broken"),
        ([DependencyStatus("worker", ok=False, required=False, vital=True)], "broken"),
    ],
)
async def test_health_is_one_word_and_names_without_causes(
    deps: WebDeps, results: list[DependencyStatus], status: str
) -> None:
    async def probe() -> list[DependencyStatus]:
        return results

    async with open_client(replace(deps, probes=probe)) as client:
        answer = await client.get("/api/v1/health")
    assert (answer.json()["status"], answer.headers["cache-control"]) == (status, "no-store")
    assert "10.0.0.1" not in answer.text
    # The test's application does not follow the database.
    assert answer.json()["degraded"] == ["live updates"]


@pytest.mark.usefixtures("_match_day")
@pytest.mark.parametrize(
    "path", ["days", "days/2026-11-15", "search?q=spurs", "teams/47", "players/9", "stats", "sources", "matches/5000"]
)
async def test_what_is_known_is_not_sent_again_and_nothing_internal_is_sent(
    client: httpx.AsyncClient, path: str
) -> None:
    first = await client.get(f"/api/v1/{path}")
    again = await client.get(f"/api/v1/{path}", headers={"if-none-match": first.headers["etag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    assert not [name for name in list_names(first.json()) if name.startswith("_")]


def list_names(value: Any) -> list[str]:
    """The names of all fields, at any depth."""
    if isinstance(value, dict):
        return [*value, *(name for one in value.values() for name in list_names(one))]
    return [name for one in value for name in list_names(one)] if isinstance(value, list) else []


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("days/2026-02-30", 422),
        ("days/0001-01-01", 422),
        ("days/9999-12-31", 422),
        ("days/2026-11-15?zone=Mars/Base", 422),
        ("days/2026-11-15?zone=../etc/passwd", 422),
        ("days?zone=%00", 422),
        ("search?cursor=1", 422),
        ("search?cursor=999999999999999-1-1-1-1_2_3_Goal_1", 422),
        ("search?status=lost", 422),
        ("search?since=9999-12-31", 422),
        (f"search?q={'x' * 101}", 422),
        ("search?q=%00%24where", 200),
        ("teams/47", 404),
        ("teams/0", 422),
        ("players/9", 404),
    ],
)
async def test_wrong_requests_are_problems(client: httpx.AsyncClient, path: str, status: int) -> None:
    answer = await client.get(f"/api/v1/{path}")
    assert answer.status_code == status, answer.text
    if status != 200:
        assert answer.headers["content-type"] == "application/problem+json"
