"""Feeds and calendars over HTTP: of all, a league, a team and a player."""

import html
import re
from dataclasses import replace

import httpx
import pytest

from found_footy.domain.collections import FixtureCollection
from found_footy.web.deps import WebDeps
from tests.support.web import matchday
from tests.support.web.page import PageData, open_client

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


async def test_a_search_has_a_feed_of_its_own(client: httpx.AsyncClient) -> None:
    found = await client.get("/feeds/search.json", params={"q": "wirtz", "verified": "1"})
    assert [item["url"] for item in found.json()["items"]] == [f"http://footy.test/goals/{EVENT}"]
    assert found.json()["feed_url"] == "http://footy.test/feeds/search.json?q=wirtz&verified=1"
    assert found.json()["home_page_url"] == "http://footy.test/search?q=wirtz&verified=1"
    assert (await client.get("/feeds/search.json", params={"league": "7"})).json()["title"] == "Found Footy: 7"
    assert (await client.get("/feeds/search.json", params={"kind": "own-goal"})).json()["items"] == []
    assert (await client.get("/feeds/search.json", params={"kind": "header"})).status_code == 422


async def test_addresses_in_feeds_are_those_that_the_site_has_for_others(deps: WebDeps) -> None:
    settings = deps.settings.model_copy(update={"public_url": "https://footy.example"})
    async with open_client(replace(deps, settings=settings)) as client:
        feed, calendar = await client.get("/feeds/goals.rss"), await client.get("/feeds/matches.ics")
    assert f"https://footy.example/goals/{EVENT}" in feed.text
    assert "http://footy.test" not in feed.text + calendar.text
    assert "<itunes:duration>12</itunes:duration>" in feed.text


@pytest.mark.parametrize("path", ["/", "/search?q=wirtz", "/teams/40", "/players/234", "/reel", "/matches/5000"])
async def test_every_list_names_its_feeds(client: httpx.AsyncClient, path: str) -> None:
    page = (await client.get(path, headers={"accept": "text/html"})).text
    links = re.findall(r'<link rel="alternate" type="([^"]+)" title="[^"]+" href="([^"]+)"', page)
    assert set(TYPES.values()) <= {kind for kind, _ in links}
    for _, link in links:
        assert (await client.get(html.unescape(link))).status_code == 200, link
