"""Days, matches, reel, search, teams, players and figures as pages."""

import gzip

import httpx
import pytest

from tests.support.web import matchday, showcase
from tests.support.web.page import PageData

_FIRST_PAGE_BYTES = 100 * 1024


async def test_pages_show_what_was_asked_for(client: httpx.AsyncClient, page_data: PageData) -> None:
    await showcase.store_match_day(page_data)
    for path, shown, absent in (
        ("/days/2026-11-15", ("Live now", "Finished", "Upcoming", "Harry Kane", "22:00"), ("No matches",)),
        ("/days/2026-11-01", ("No matches on this day", "/days/2026-11-15"), ("Harry Kane",)),
        (f"/matches/{showcase.MATCH}", ("Florian Wirtz", "Example Park"), ("Harry Kane",)),
        ("/search?q=guirassy&league=&status=&since=&until=", ("Serhou Guirassy", "/players/2"), ("Florian Wirtz",)),
        ("/search?league=78", ("Jamal Musiala",), ("Florian Wirtz",)),
        ("/search?status=searching", ("Alexander Isak",), ("Harry Kane",)),
        ("/search?since=2026-11-16", ("No goal found",), ("Harry Kane",)),
        ("/search?until=2026-11-15&q=gyokeres", ("Viktor Gyökeres",), ("Harry Kane",)),
        ("/teams/157", ("Bayern München", "Harry Kane", "/reel?team=157"), ("Florian Wirtz",)),
        ("/players/234", ("Florian Wirtz", "/teams/40"), ("Harry Kane",)),
        ("/stats", ("Goals with a clip", "Bundesliga", "100 %", "5–10"), ()),
        ("/sources", ("By source", "Refused, by reason", "By form of the query"), ("No goal was searched",)),
        (f"/reel?match={showcase.FINISHED_MATCH}", ("Harry Kane", "Jamal Musiala"), ("Florian Wirtz",)),
        ("/reel?team=42", ("Bukayo Saka", "Goals with Arsenal"), ("Harry Kane",)),
        ("/reel?player=2", ("Goals of Serhou Guirassy",), ("Harry Kane",)),
        ("/reel?day=2026-11-15", ("Goals of 2026-11-15", "Harry Kane", "Florian Wirtz"), ("Viktor",)),
        ("/reel?day=2026-11-14", ("Nothing to play yet",), ("Harry Kane",)),
        ("/reel", ("Newest goals",), ("Alexander Isak",)),
    ):
        answer = await client.get(path)
        assert answer.status_code == 200, path
        assert [word for word in shown if word not in answer.text] == [], path
        assert [word for word in absent if word in answer.text] == [], path


async def test_only_the_search_may_send_a_form(client: httpx.AsyncClient) -> None:
    assert "form-action 'self'" in (await client.get("/search")).headers["content-security-policy"]
    assert "form-action 'none'" in (await client.get("/")).headers["content-security-policy"]


async def test_the_next_page_of_a_search_keeps_its_conditions(client: httpx.AsyncClient, page_data: PageData) -> None:
    goals = [matchday.goal(player=number, minute=number) for number in range(1, 31)]
    await page_data.store_fixture(matchday.fixture(events=goals))
    first = (await client.get("/search?team=40")).text
    following = first.partition('rel="next" href="')[2].partition('"')[0].replace("&amp;", "&")
    assert following.startswith("/search?team=40&after=")
    second = (await client.get(following)).text
    assert (first.count('class="goal-card"'), second.count('class="goal-card"')) == (24, 6)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/days/2026-02-30", 404),
        ("/days/1900-01-01", 404),
        ("/days/yesterday", 422),
        ("/search?after=x", 422),
        ("/search?since=2026-02-30", 404),
        ("/search?status=lost", 422),
        ("/search?league=0", 422),
        ("/teams/9", 404),
        ("/teams/9?after=x", 422),
        ("/players/9", 404),
        ("/matches/9", 404),
        ("/reel?match=9", 404),
        ("/reel?day=2026-13-01", 404),
    ],
)
async def test_what_does_not_exist_is_said_on_a_page(client: httpx.AsyncClient, path: str, status: int) -> None:
    answer = await client.get(path, headers={"Accept": "text/html"})
    assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")


async def test_pages_without_data_say_what_comes(client: httpx.AsyncClient) -> None:
    for path, shown in (
        ("/search", "Goals appear here as soon as a match has one."),
        ("/reel", "Clips come a few minutes after a goal."),
        ("/stats", "No match is stored yet."),
        ("/sources", "No goal was searched for in the last days."),
        ("/days/2026-11-15", "appear here by themselves"),
    ):
        assert shown in (await client.get(path)).text, path


async def test_the_first_page_is_small(client: httpx.AsyncClient, page_data: PageData) -> None:
    """With its scripts and styles, as sent over the line, on a day with twenty matches of four goals."""
    for number in range(20):
        goals = [
            matchday.goal(
                6000 + number,
                player,
                minute=player,
                _s3_videos=[matchday.clip(f"{6000 + number}_40_{player}_Goal_1")],
            )
            for player in range(1, 5)
        ]
        await page_data.store_fixture(matchday.fixture(6000 + number, events=goals))
    names = (
        "page.css",
        "choices.js",
        "common.js",
        "storage.js",
        "page.js",
        "morph.js",
        "player.js",
        "live.js",
        "stream.js",
        "visits.js",
        "reel.js",
        "goal.css",
    )
    parts = [(await client.get(path)).content for path in ("/", *(f"/static/{name}" for name in names))]
    assert sum(len(gzip.compress(part, 5)) for part in parts) < _FIRST_PAGE_BYTES


async def test_the_page_can_be_installed(client: httpx.AsyncClient) -> None:
    manifest = (await client.get("/manifest.webmanifest")).json()
    assert manifest["display"] == "standalone"
    icon = await client.get(manifest["icons"][0]["src"])
    assert icon.headers["content-type"] == "image/svg+xml"
    worker = await client.get("/worker.js")
    assert (worker.headers["content-type"], worker.headers["cache-control"]) == (
        "text/javascript; charset=utf-8",
        "no-cache",
    )
