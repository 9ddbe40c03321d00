"""The JSON API keeps its contract."""

from datetime import timedelta

import httpx
import pytest

from found_footy.domain.collections import FixtureCollection
from tests.support.web import matchday
from tests.support.web.matchday import NOW
from tests.support.web.page import PageData

EVENT = "5000_40_234_Goal_1"

UPLOAD_ROUTES = ("", "/{name}", "/{name}/original", "/{name}/preview", "/{name}/presigned", "/{name}/retry")


async def test_a_fixture_is_returned_with_its_goals_and_clips(client: httpx.AsyncClient, page_data: PageData) -> None:
    await page_data.store_playable()
    match = (await client.get("/api/v1/matches/5000")).json()
    assert (match["home"]["name"], match["score"], match["phase"]) == ("Liverpool", {"home": 1, "away": 0}, "live")
    (goal,) = match["goals"]
    assert (goal["event_id"], goal["status"], goal["attempts"], goal["attempts_wanted"]) == (EVENT, "watchable", 2, 10)
    (clip,) = goal["clips"]
    assert clip["url"] == f"/clips/{EVENT}-aaaaaaaa.mp4"
    assert match["kickoff"] == "2026-11-15T19:00:00Z"


async def test_a_goal_is_found_by_its_id_and_by_the_id_it_had(client: httpx.AsyncClient, page_data: PageData) -> None:
    goal = matchday.goal(player=7, _matched_from=EVENT)
    await page_data.store_fixture(matchday.fixture(events=[goal]))
    for asked in (goal["_event_id"], EVENT):
        found = (await client.get(f"/api/v1/goals/{asked}")).json()
        assert found["event_id"] == goal["_event_id"]


async def test_pages_of_matches_name_every_match_once(client: httpx.AsyncClient, page_data: PageData) -> None:
    collections = [FixtureCollection.STAGING, FixtureCollection.ACTIVE, FixtureCollection.COMPLETED]
    for number in range(1, 12):
        # Some kick off together, and one is in two collections.
        kickoff = NOW - timedelta(hours=number // 3)
        await page_data.store_fixture(matchday.fixture(number, kickoff=kickoff), collections[number % 3])
    await page_data.store_fixture(
        matchday.fixture(5, kickoff=NOW - timedelta(hours=1), status="FT"), FixtureCollection.COMPLETED
    )
    seen: list[int] = []
    query: dict[str, str | int] | None = {"limit": 2}
    while query:
        answer = (await client.get("/api/v1/matches", params=query)).json()
        seen += [match["fixture_id"] for match in answer["matches"]]
        query = {"limit": 2, "cursor": answer["next"]} if answer["next"] else None
    assert sorted(seen) == list(range(1, 12))


async def test_what_has_not_changed_is_not_sent_again(client: httpx.AsyncClient, page_data: PageData) -> None:
    match = await page_data.store_playable()
    first = await client.get("/api/v1/matches")
    again = await client.get("/api/v1/matches", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    await page_data.store_fixture(match | {"goals": {"home": 2, "away": 0}})
    later = await client.get("/api/v1/matches", headers={"if-none-match": first.headers["etag"]})
    assert later.status_code == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v1/matches/9", 404),
        ("/api/v1/matches/x", 422),
        ("/api/v1/matches/0", 422),
        ("/api/v1/matches/99999999999999999999", 422),
        ("/api/v1/goals/9_1_1_Goal_1", 404),
        ("/api/v1/goals/$where", 422),
        ("/api/v1/goals/5000_40_234_Goal_1%00", 422),
        ("/api/v1/matches?limit=0", 422),
        ("/api/v1/matches?limit=101", 422),
        ("/api/v1/matches?cursor[$gt]=1&limit=x", 422),
        ("/api/v1/matches?cursor=1", 422),
        ("/api/v1/matches?cursor=999999999999-1", 200),
        ("/api/v1/nothing", 404),
    ],
)
async def test_wrong_requests_are_problems(client: httpx.AsyncClient, path: str, status: int) -> None:
    answer = await client.get(path, headers={"accept": "text/html"})
    assert answer.status_code == status
    if status != 200:
        assert answer.headers["content-type"] == "application/problem+json"
        problem = answer.json()
        assert (problem["status"], problem["type"]) == (status, "about:blank")
        assert problem["title"]
        assert problem["detail"]


async def test_nothing_can_be_written(client: httpx.AsyncClient) -> None:
    for path in ("/", "/api/v1/matches", "/media/x", "/healthz"):
        assert (await client.request("DELETE", path)).status_code == 405
        assert (await client.request("POST", path)).status_code == 405


async def test_the_api_describes_itself(client: httpx.AsyncClient) -> None:
    described = (await client.get("/api/openapi.json")).json()
    assert set(described["paths"]) == {
        "/api/v1/matches",
        "/api/v1/matches/{fixture_id}",
        "/api/v1/goals/{event_id}",
        "/api/v1/goals/{event_id}/clips",
        "/api/v1/goals/{event_id}/evidence",
        "/api/v1/status",
        *(f"/api/v1/{name}" for name in ("days", "days/{day}", "search", "stats", "sources", "health")),
        *(f"/api/v1/{name}" for name in ("clips/{clip_id}", "teams/{team_id}", "players/{player_id}")),
        "/api/v1/notifications/objects",
        "/api/v1/dead-letters",
        "/api/v1/dead-letters/replay",
        *(f"/api/v1/organizations/{{organization_id}}/uploads{rest}" for rest in UPLOAD_ROUTES),
    }
    answers = described["paths"]["/api/v1/goals/{event_id}"]["get"]["responses"]
    assert "application/problem+json" in answers["404"]["content"]
    assert (await client.get("/docs")).status_code == 404


async def test_the_status_counts_what_there_is(client: httpx.AsyncClient, page_data: PageData) -> None:
    match = await page_data.store_playable()
    await page_data.store_fixture(match, FixtureCollection.COMPLETED)
    await page_data.store_fixture(matchday.fixture(5001, status="NS"), FixtureCollection.STAGING)
    events = [matchday.goal(5002, 1), matchday.goal(5002, 2, _download_complete=True)]
    await page_data.store_fixture(matchday.fixture(5002, events=events, removed_events=[matchday.goal(5002, 3)]))
    reported = (await client.get("/api/v1/status")).json()
    assert reported["collections"] == {"fixtures_staging": 1, "fixtures_active": 2, "fixtures_completed": 1}
    assert reported["goals"] == {"validating": 0, "searching": 1, "watchable": 1, "empty": 1, "removed": 1}
    assert (reported["clips"], reported["version"], reported["commit"]) == (1, "1.2.3", "0123456789ab")
