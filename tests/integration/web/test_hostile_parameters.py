"""Strangers send anything in any place of a request: no page, fragment, feed or API route fails with an error of its
own, and nothing they send comes back as a header or as markup.
"""

from collections.abc import AsyncIterator, Iterator
from itertools import product
from urllib.parse import quote

import httpx
import pytest

from found_footy.web.accounts.route_rules import ROUTE_RULES
from found_footy.web.deps import WebDeps
from found_footy.web.session_cookies import USER_COOKIE
from tests.support.access.accounts import open_admin_session
from tests.support.sampling import Sample
from tests.support.web import matchday, showcase
from tests.support.web.page import PageData, open_client

NASTY = (
    "",
    "\x00",
    "..",
    "../../etc/passwd",
    "..%2f..%2fetc",
    "\u202eabc",
    "a\r\nSet-Cookie: evil=1",
    "x" * 900,
    "9" * 400,
    "-1",
    "1e309",
    "NaN",
    "٢٠٢٦-١١-١٥",
    "2026-02-30",
    "0000-00-00",
    "9999-12-31",
    "http://[",
    "<script>alert(1)</script>",
    "$where",
    "{{7*7}}",
    "999999999999999-999999999999",
)
QUERIES = (
    *("q", "zone", "cursor", "after", "limit", "day", "since", "until", "team", "player", "league", "match", "at"),
    *("clip", "url", "format", "status", "page", "one", "other", "v", "organization"),
)
HEADERS = (
    "last-event-id",
    "if-none-match",
    "range",
    "if-range",
    "accept",
    "accept-encoding",
    "cookie",
    "authorization",
)
FILTERED = ("/search", "/reel", "/api/v1/search", "/api/v1/matches", "/oembed", "/teams/40", "/players/234")
CLIP = f"{showcase.GOAL}-aaaaaaaa"
EXAMPLES = {
    "event_id": showcase.GOAL,
    "fixture_id": "5000",
    "clip_id": CLIP,
    "day": "2026-11-15",
    "part": "match",
    "team_id": "40",
    "player_id": "234",
}


def list_reading_routes() -> list[str]:
    """The paths of routes that answer GET, with their parameters in braces; live streams do not end."""
    return [path for method, path in ROUTE_RULES if method == "GET" and not path.endswith("/events")]


def parameters_of(path: str) -> list[str]:
    return [part.partition("}")[0].partition(":")[0] for part in path.split("{")[1:]]


def fill(path: str, values: dict[str, str]) -> str:
    for name in parameters_of(path):
        value = quote(values.get(name) or EXAMPLES.get(name, "1"), safe="")
        path = path.replace("{" + name + "}", value).replace("{" + name + ":path}", value)
    return path


def iter_hostile_paths() -> Iterator[str]:
    for path in list_reading_routes():
        for name, value in product(parameters_of(path), NASTY):
            yield fill(path, {name: value})


async def check(client: httpx.AsyncClient, path: str, **options: object) -> None:
    answer = await client.get(path, **options)  # type: ignore[arg-type]
    # Exceptions surface here. A dependency may be missing, and a format not served.
    assert answer.status_code != 500, (path, options, answer.text[:200])
    assert "evil" not in answer.headers.get("set-cookie", "")
    if "html" in answer.headers.get("content-type", ""):
        assert "<script>alert(1)</script>" not in answer.text, (path, options)


@pytest.fixture
async def client(deps: WebDeps, page_data: PageData) -> AsyncIterator[httpx.AsyncClient]:
    """Signed in as admin, so that every page is reached."""
    await page_data.store_playable()
    async with open_client(deps) as client:
        client.cookies.set(USER_COOKIE, await open_admin_session(deps))
        yield client


async def test_no_text_in_an_address_makes_a_route_fail(client: httpx.AsyncClient) -> None:
    assert len(list_reading_routes()) > 30
    for path in iter_hostile_paths():
        await check(client, path)


async def test_no_query_makes_a_route_fail(client: httpx.AsyncClient, draw: Sample[tuple[str, str, str]]) -> None:
    """Each value in all queries at once is refused by the first; so each query is tried in turn over the values."""
    for number, path in enumerate(list_reading_routes()):
        for place, name in enumerate(QUERIES):
            value = NASTY[(number + place) % len(NASTY)]
            await check(client, fill(path, {}), params={name: value})
    for path, name, value in draw(product(FILTERED, QUERIES, NASTY), 500):
        await check(client, path, params={name: value})


async def test_no_header_makes_a_route_fail(client: httpx.AsyncClient, draw: Sample[tuple[str, str, str]]) -> None:
    sendable = [value for value in NASTY if value.isascii() and value.isprintable()]
    paths = ("/", f"/goals/{showcase.GOAL}", f"/clips/{CLIP}/download", "/api/v1/matches")
    for path, name, value in draw(product(paths, HEADERS, sendable), 200):
        await check(client, path, headers={name: f"zone={value}" if name == "cookie" else value})


async def test_what_is_stored_from_outside_makes_no_page_fail(client: httpx.AsyncClient, page_data: PageData) -> None:
    """Links of candidates and names come from strangers too."""
    notes = [showcase.rejected_note(number, "bad_url", nasty) | {"url": nasty} for number, nasty in enumerate(NASTY)]
    record = showcase.attempt(1, matchday.NOW, *notes)
    goals = []
    for player, nasty in enumerate(NASTY, start=1):
        goal = matchday.goal(player=player, name=nasty, assist={"id": player, "name": nasty}, detail=nasty)
        clip = matchday.clip(goal["_event_id"], source_url=nasty, sources=[nasty])
        goals.append(goal | {"_s3_videos": [clip], "_telemetry": {"attempts": {"download1": record}}})
    await page_data.store_fixture(matchday.fixture(events=goals))
    for path in ("/", "/reel", "/search?q=script", "/stats", "/api/v1/matches", "/feeds/goals.rss"):
        await check(client, path)
    for goal in goals:
        for path in (f"/goals/{goal['_event_id']}", f"/api/v1/goals/{goal['_event_id']}"):
            await check(client, path)
