"""Feeds and calendars over HTTP: of all, a league, a team and a player."""

import httpx
import pytest

from found_footy.domain.collections import FixtureCollection
from tests.support.web import matchday
from tests.support.web.page import PageData

EVENT = "5000_40_234_Goal_1"
TYPES = {"rss": "application/rss+xml", "atom": "application/atom+xml", "json": "application/feed+json"}
SUBJECTS = ["", "leagues/39/", "teams/40/", "players/234/"]


@pytest.fixture(autouse=True)
async def _match_day(page_data: PageData) -> None:
    goal = matchday.goal()
    goal["_s3_videos"] = [matchday.clip(EVENT)]
    await page_data.store_fixture(matchday.fixture(events=[goal, matchday.goal(player=9, name="Nobody Yet")]))
    other = {"home": {"id": 1, "name": "Elsewhere"}, "away": {"id": 2, "name": "Nowhere"}}
    foreign = matchday.goal(5001, 77, name="Someone Else", _s3_videos=[matchday.clip("5001_40_77_Goal_1")])
    document = matchday.fixture(5001, events=[foreign], teams=other, league={"id": 7, "name": "Other"})
    await page_data.store_fixture(document, FixtureCollection.COMPLETED)


@pytest.mark.parametrize("subject", SUBJECTS)
async def test_every_feed_has_the_goals_of_its_subject(client: httpx.AsyncClient, subject: str) -> None:
    for name, media_type in TYPES.items():
        path = f"/feeds/{subject}goals.{name}"
        answer = await client.get(path)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == f"{media_type}; charset=utf-8"
        assert f"http://footy.test/goals/{EVENT}" in answer.text
        assert f"http://footy.test{path}" in answer.text
        assert "Nobody Yet" not in answer.text
        assert ("Someone Else" in answer.text) == (subject == "")
        again = await client.get(path, headers={"if-none-match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("subject", SUBJECTS)
async def test_every_calendar_has_the_matches_of_its_subject(client: httpx.AsyncClient, subject: str) -> None:
    answer = await client.get(f"/feeds/{subject}matches.ics")
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    assert "UID:fixture-5000@found-footy" in answer.text
    assert ("UID:fixture-5001@found-footy" in answer.text) == (subject == "")
    again = await client.get(f"/feeds/{subject}matches.ics", headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("leagues/1/goals.rss", 404),
        ("teams/999/goals.atom", 404),
        ("players/999/goals.json", 404),
        ("teams/999/matches.ics", 404),
        ("cups/1/goals.rss", 422),
        ("goals.xml", 422),
        ("teams/0/goals.rss", 422),
    ],
)
async def test_a_feed_about_nothing_is_a_problem(client: httpx.AsyncClient, path: str, status: int) -> None:
    assert (await client.get(f"/feeds/{path}")).status_code == status
