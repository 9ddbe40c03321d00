"""The simulated site on the wire, as a page and its script would use it."""

import base64
import json
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from found_footy_sim.x import (
    InMemoryPosts,
    PostVisibility,
    VideoRendition,
    XPost,
    XSite,
    XSiteMode,
    XVideo,
    make_snowflake,
)

NOW = datetime.now(UTC)
PASSWORD, TOKEN = "secret", "4t9f2xmir32"


def post(number: int, **more: Any) -> XPost:
    at = NOW - timedelta(seconds=number)
    video = XVideo(str(7000 + number), (VideoRendition(f"https://v/{number}/1280x720/c.mp4", 900, 1280, 720),))
    return XPost(make_snowflake(at, number), f"fan{number}", "GOAL Saka", at, **{"videos": (video,), **more})


@pytest.fixture
def post_list() -> InMemoryPosts:
    return InMemoryPosts([post(number) for number in range(45)])


@pytest.fixture
def site(post_list: InMemoryPosts) -> XSite:
    return XSite(post_list, passwords={"me": "secret"}, limit=6)


@pytest.fixture
async def client(site: XSite) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(site.app), base_url="http://site") as client:
        yield client


async def log_in(client: httpx.AsyncClient, password: str = PASSWORD) -> httpx.Response:
    return await client.post("/i/flow/login", data={"username": "me", "password": password})


class Script:
    """What the page's own script does: takes its keys from the page, signs its calls, follows the cursor."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self.meta: dict[str, str] = {}
        self.csrf = client.cookies.get("ct0") or ""

    async def open(self, product: str = "live") -> httpx.Response:
        page = await self.client.get("/search", params={"q": "Saka", "f": product})
        self.meta = dict(re.findall(r'<meta name="([a-z-]+)" content="([^"]+)"', page.text))
        return page

    async def call(self, cursor: str | None = None, method: str = "GET", product: str = "Latest") -> httpx.Response:
        path = f"/i/api/graphql/{self.meta['query-id']}/SearchTimeline"
        variables = {"rawQuery": "Saka", "product": product, **({"cursor": cursor} if cursor else {})}
        headers = {
            "x-csrf-token": self.csrf,
            "x-client-transaction-id": base64.b64encode(f"{self.meta['page-key']} {path}".encode()).decode(),
        }
        if method == "POST":
            return await self.client.post(path, headers=headers, json={"variables": variables})
        return await self.client.get(path, headers=headers, params={"variables": json.dumps(variables)})


@pytest.fixture
async def script(client: httpx.AsyncClient) -> Script:
    await log_in(client)
    script = Script(client)
    await script.open()
    return script


def instructions(response: httpx.Response) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = response.json()["data"]["search_by_raw_query"]["search_timeline"]["timeline"][
        "instructions"
    ]
    return found


def entries(response: httpx.Response) -> list[dict[str, Any]]:
    return [e for i in instructions(response) for e in i.get("entries", [i["entry"]] if "entry" in i else [])]


def bottom(response: httpx.Response) -> str:
    return str(next(e["content"]["value"] for e in entries(response) if e["entryId"].startswith("cursor-bottom")))


def tweets(response: httpx.Response) -> list[str]:
    return [e["entryId"] for e in entries(response) if e["entryId"].startswith("tweet-")]


async def test_a_visitor_without_session_is_redirected_to_the_login(client: httpx.AsyncClient) -> None:
    for path in ("/search?q=Saka&f=live", "/home"):
        answer = await client.get(path)
        assert (answer.status_code, answer.headers["location"][:13]) == (302, "/i/flow/login")


async def test_the_right_password_logs_in_and_redirects_back(client: httpx.AsyncClient) -> None:
    assert (await log_in(client, "wrong")).headers["location"] == "/i/flow/login?wrong=1"
    back = await client.post(
        "/i/flow/login?redirect_after_login=//evil.example", data={"username": "me", "password": "secret"}
    )
    assert back.headers["location"] == "/home"
    assert {"auth_token", "ct0", "twid"} <= set(client.cookies)
    assert "SideNav_AccountSwitcher_Button" in (await client.get("/home")).text


async def test_pages_follow_each_other_and_replace_their_cursors(script: Script) -> None:
    first = await script.call()
    second = await script.call(bottom(first))
    third = await script.call(bottom(second))
    fourth = await script.call(bottom(third))
    assert [len(tweets(page)) for page in (first, second, third, fourth)] == [20, 20, 5, 0]
    assert len({*tweets(first), *tweets(second), *tweets(third)}) == 45
    assert [i["type"] for i in instructions(first)] == ["TimelineAddEntries"]
    assert "TimelineReplaceEntry" in [i["type"] for i in instructions(second)]
    assert bottom(fourth) == bottom(third)


async def test_a_post_that_arrives_meanwhile_does_not_shift_the_pages(script: Script, post_list: InMemoryPosts) -> None:
    first = await script.call()
    post_list.add(XPost(make_snowflake(datetime.now(UTC)), "late", "Saka again", NOW))
    second = await script.call(bottom(first))
    assert not set(tweets(first)) & set(tweets(second))
    assert len(tweets(second)) == 20


async def test_the_media_tab_is_a_grid(script: Script) -> None:
    first = await script.call(product="Media")
    second = await script.call(bottom(first), product="Media")
    assert len(entries(first)[0]["content"]["items"]) == 20
    assert [i["type"] for i in instructions(second)] == ["TimelineAddToModule", "TimelineReplaceEntry"]


async def test_a_call_that_the_page_did_not_sign_finds_nothing_there(script: Script) -> None:
    script.meta["page-key"] = "forged"
    answer = await script.call()
    assert (answer.status_code, answer.content) == (404, b"")


async def test_the_wrong_method_finds_nothing_there(script: Script, site: XSite) -> None:
    site.method = "POST"
    assert (await script.call()).status_code == 404
    assert (await script.call(method="POST")).status_code == 200


async def test_a_csrf_cookie_that_does_not_fit_is_refused(script: Script) -> None:
    script.csrf = "other"
    assert (await script.call()).json()["errors"][0]["code"] == 353


async def test_the_rate_limit_is_in_the_headers_and_enforced(script: Script) -> None:
    answers = [await script.call() for _ in range(7)]
    assert [a.headers["x-rate-limit-remaining"] for a in answers] == ["5", "4", "3", "2", "1", "0", "0"]
    assert [a.status_code for a in answers] == [200] * 6 + [429]


async def test_the_query_id_rotates(script: Script) -> None:
    before = script.meta["query-id"]
    await script.open()
    assert script.meta["query-id"] != before


async def test_two_browsers_can_read_at_the_same_time(script: Script, site: XSite) -> None:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(site.app), base_url="http://site") as second:
        await log_in(second)
        other = Script(second)
        await other.open()
        assert [(await one.call()).status_code for one in (script, other, script)] == [200, 200, 200]


async def test_a_key_does_not_fit_the_query_id_of_another_page(script: Script) -> None:
    first = script.meta
    await script.open()
    script.meta = {**script.meta, "page-key": first["page-key"]}
    assert (await script.call()).status_code == 404


async def test_a_deleted_post_is_still_listed_but_its_embed_is_a_tombstone(
    script: Script, post_list: InMemoryPosts, client: httpx.AsyncClient
) -> None:
    gone = post(0, visibility=PostVisibility.DELETED)
    post_list.add(gone)
    assert gone.id in (await script.call()).text
    embed = (await client.get("/tweet-result", params={"id": gone.id, "token": TOKEN})).json()
    assert embed["__typename"] == "TweetTombstone"


async def test_a_script_of_modes_advances_with_every_page(script: Script, site: XSite) -> None:
    site.set_modes(XSiteMode.CLOUDFLARE_PAGE, XSiteMode.EMPTY_SHELL, XSiteMode.NORMAL)
    pages = [await script.open() for _ in range(4)]
    assert [page.status_code for page in pages] == [403, 200, 200, 200]
    assert ["SideNav" in page.text for page in pages] == [False, False, True, True]


async def test_another_process_can_switch_the_mode(client: httpx.AsyncClient) -> None:
    await client.post("/_sim/mode", json={"mode": "onboarding"})
    answer = await client.get("/search?q=Saka")
    assert answer.headers["location"].startswith("/i/jf/onboarding/web?mode=login")
    assert (await client.get("/_sim/mode")).json()["mode"] == "onboarding"


@pytest.mark.parametrize("mode", [mode for mode in XSiteMode if mode is not XSiteMode.HELD])
async def test_every_mode_answers_something(script: Script, site: XSite, mode: XSiteMode) -> None:
    site.set_modes(mode)
    await script.open()
    if script.meta.get("page-key"):
        assert (await script.call()).status_code < 600


async def syndicated(client: httpx.AsyncClient, post_id: str, token: str = TOKEN) -> httpx.Response:
    return await client.get("/tweet-result", params={"id": post_id, "token": token, "lang": "en"})


async def test_an_embed_lists_the_renditions_without_a_login(
    client: httpx.AsyncClient, post_list: InMemoryPosts
) -> None:
    it = post_list.posts(NOW)[3]
    body = (await syndicated(client, it.id)).json()
    assert (body["__typename"], body["id_str"], body["user"]["screen_name"]) == ("Tweet", it.id, it.author)
    (detail,) = body["mediaDetails"]
    assert detail["video_info"]["variants"][0]["url"] == it.videos[0].renditions[0].url
    assert "id_str" not in detail


async def test_an_embed_fails_in_its_known_ways(client: httpx.AsyncClient, post_list: InMemoryPosts) -> None:
    it = post_list.posts(NOW)[3]
    assert (await syndicated(client, it.id, token="")).json() == {}
    assert (await syndicated(client, "2000000000000000000")).status_code == 404
    gone = {number: post(number, visibility=visibility) for number, visibility in enumerate(PostVisibility, start=100)}
    post_list.add(*gone.values())
    answers = {p.visibility: (await syndicated(client, p.id)).json() for p in gone.values()}
    assert "deleted" in answers[PostVisibility.TOMBSTONE]["tombstone"]["text"]["text"]
    assert answers[PostVisibility.UNAVAILABLE] == {"__typename": "TweetTombstone", "tombstone": {}}
    assert "user" not in answers[PostVisibility.SUSPENDED]
