"""What the page shows."""

from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import httpx
import pytest
from pymongo.errors import ServerSelectionTimeoutError

from found_footy.domain.collections import FixtureCollection
from found_footy.platform.mongo import Database
from found_footy.web.deps import WebDeps
from tests.support.web import matchday
from tests.support.web.matchday import NOW
from tests.support.web.page import PageData, failing_database, open_client


async def page(client: httpx.AsyncClient, path: str = "/", **options: Any) -> str:
    answer = await client.get(path, **options)
    assert answer.status_code == 200
    return answer.text


async def test_the_page_shows_a_match_its_goal_and_its_clip(client: httpx.AsyncClient, page_data: PageData) -> None:
    match = await page_data.store_playable()
    text = await page(client)
    for shown in ("Liverpool", "Arsenal", "Premier League", "Live now", "61&#39;", "Florian Wirtz", "23&#39;"):
        assert shown in text
    clip = match["events"][0]["_s3_videos"][0]
    assert f'src="/media/{clip["_s3_key"]}"' in text
    assert f'poster="/media/{clip["thumbnail_key"]}"' in text
    assert 'preload="none" playsinline' in text
    for fact in ("Minute verified", "clock 23:14, LIV–ARS, 0–0", "Found in 2 posts", "720p", "0:12"):
        assert fact in text


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({}, '<strong class="made">1</strong>–0<span class="unseen"> (goal for Liverpool)</span>'),
        (
            {"team_id": matchday.AWAY, "_score_after": {"home": 1, "away": 2}},
            '1–<strong class="made">2</strong><span class="unseen"> (goal for Arsenal)</span>',
        ),
        ({"team_id": 99, "_score_after": {"home": 1, "away": 1}}, "1–1</span>"),
    ],
    ids=["home", "away", "a team that does not play"],
)
async def test_the_number_that_a_goal_changed_is_marked_visually_and_for_screen_readers(
    client: httpx.AsyncClient, page_data: PageData, changes: matchday.Document, shown: str
) -> None:
    await page_data.store_fixture(matchday.fixture(events=[matchday.goal(**changes)]))
    text = await page(client)
    assert shown in text
    assert text.count('unseen"> (goal for') == shown.count("unseen")


@pytest.mark.parametrize(
    ("changes", "status", "shown"),
    [
        ({"_monitor_complete": False}, "validating", "seen in 3 polls"),
        ({}, "searching", "attempt 2 of 10"),
        ({"_download_complete": True, "_completion_reason": "delivered"}, "empty", "no usable clip found"),
        ({"_removed": True}, "removed", "<s class="),
    ],
)
async def test_every_goal_shows_its_state(
    client: httpx.AsyncClient, page_data: PageData, changes: matchday.Document, status: str, shown: str
) -> None:
    await page_data.store_fixture(matchday.fixture(events=[matchday.goal(**changes)]))
    text = await page(client)
    assert f'class="chip" data-status="{status}"' in text
    assert shown in text


async def test_before_the_first_ingest_the_page_says_when_it_comes(client: httpx.AsyncClient) -> None:
    text = await page(client)
    assert "No fixtures yet" in text
    assert "in 4 hours" in text
    assert "00:05 UTC" in text


async def test_an_installation_without_a_schedule_shows_no_next_ingest(deps: WebDeps) -> None:
    async with open_client(replace(deps, next_ingest=lambda _now: None)) as client:
        assert "as soon as they are ingested" in await page(client)


async def test_names_from_outside_cannot_become_markup(client: httpx.AsyncClient, page_data: PageData) -> None:
    nasty = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
    goal = matchday.goal(name=nasty, detail=nasty, assist={"name": nasty})
    clip = matchday.clip(goal["_event_id"], source_url="javascript:alert(1)", clip_id=nasty, timestamp_status=nasty)
    teams = {"home": {"id": 40, "name": nasty}, "away": {"id": 42, "name": nasty}}
    league = {"id": 1, "name": nasty, "country": nasty}
    await page_data.store_fixture(matchday.fixture(events=[goal | {"_s3_videos": [clip]}], teams=teams, league=league))
    for path in ("/", "/fragments/matches", "/fragments/match/5000"):
        text = await page(client, path)
        assert "&lt;script&gt;alert(1)" in text
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "javascript:" not in text


async def test_a_simulated_day_says_so(deps: WebDeps) -> None:
    async with open_client(replace(deps, simulated=True)) as client:
        assert "Simulated match day" in await page(client)
    async with open_client(deps) as client:
        assert "Simulated match day" not in await page(client)


async def test_the_footer_names_the_build(client: httpx.AsyncClient) -> None:
    text = await page(client)
    assert "1.2.3" in text
    assert "0123456789ab" in text


async def test_a_fixture_in_two_collections_is_shown_once_from_the_later(
    client: httpx.AsyncClient, page_data: PageData
) -> None:
    await page_data.store_fixture(matchday.fixture(status="2H"), FixtureCollection.ACTIVE)
    await page_data.store_fixture(matchday.fixture(status="FT"), FixtureCollection.COMPLETED)
    text = await page(client)
    assert text.count('id="match-5000"') == 1
    assert "Full time" in text


async def test_old_and_distant_fixtures_are_left_out_but_never_an_active_one(
    client: httpx.AsyncClient, page_data: PageData
) -> None:
    await page_data.store_fixture(
        matchday.fixture(1, kickoff=NOW - timedelta(days=4), status="FT"), FixtureCollection.COMPLETED
    )
    await page_data.store_fixture(
        matchday.fixture(2, kickoff=NOW + timedelta(days=3), status="NS"), FixtureCollection.STAGING
    )
    await page_data.store_fixture(matchday.fixture(3, kickoff=NOW - timedelta(days=4)), FixtureCollection.ACTIVE)
    text = await page(client)
    assert ['id="match-1"' in text, 'id="match-2"' in text, 'id="match-3"' in text] == [False, False, True]


@pytest.mark.parametrize(
    ("days", "shown"),
    [((-9, -4, 0, 3), 0), ((-9, -4, 3), -4), ((3, 8), 3)],
    ids=["today", "the last day that has a match", "the next one"],
)
async def test_the_home_page_is_the_nearest_match_day(
    client: httpx.AsyncClient, page_data: PageData, days: tuple[int, ...], shown: int
) -> None:
    for number in days:
        status, collection = ("FT", FixtureCollection.COMPLETED) if number <= 0 else ("NS", FixtureCollection.STAGING)
        kickoff = NOW + timedelta(days=number, hours=-4)
        await page_data.store_fixture(matchday.fixture(100 + number, kickoff=kickoff, status=status), collection)
    for path in ("/", "/fragments/matches"):
        text = await page(client, path)
        assert [number for number in days if f'id="match-{100 + number}"' in text] == [shown]


async def test_times_are_in_the_time_zone_of_the_viewer(client: httpx.AsyncClient, page_data: PageData) -> None:
    await page_data.store_fixture(
        matchday.fixture(status="NS", kickoff=NOW + timedelta(hours=5)), FixtureCollection.STAGING
    )
    assert ">01:00<" in await page(client)
    in_tokyo = await page(client, headers={"cookie": "zone=Asia/Tokyo"})
    assert ">10:00<" in in_tokyo
    assert 'data-zone="Asia/Tokyo"' in in_tokyo
    assert 'data-zone="UTC"' in await page(client, headers={"cookie": "zone=../../etc"})


async def test_a_fragment_is_the_match_as_the_page_shows_it(client: httpx.AsyncClient, page_data: PageData) -> None:
    await page_data.store_playable()
    fragment = await page(client, "/fragments/match/5000")
    whole = await page(client)
    assert "".join(fragment.split()) in "".join(whole.split())


async def test_a_deleted_fixture_has_no_fragment(client: httpx.AsyncClient) -> None:
    assert (await client.get("/fragments/match/77")).status_code == 404
    assert (await client.get("/fragments/match/nonsense")).status_code == 422


async def test_people_get_a_page_for_an_error_and_programs_a_problem(client: httpx.AsyncClient) -> None:
    seen = await client.get("/nowhere", headers={"accept": "text/html"})
    assert (seen.status_code, seen.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "There is nothing at this address." in seen.text
    reported = await client.get("/nowhere")
    assert reported.headers["content-type"] == "application/problem+json"
    assert reported.json()["status"] == 404


async def test_without_its_database_the_page_says_what_is_broken(deps: WebDeps) -> None:
    away = cast(Database, failing_database(ServerSelectionTimeoutError("127.0.0.1:27017: connection refused")))
    async with open_client(replace(deps, database=away)) as client:
        answer = await client.get("/", headers={"accept": "text/html"})
    assert answer.status_code == 503
    assert "MongoDB does not answer" in answer.text
    assert "127.0.0.1" not in answer.text


async def test_files_of_the_page_are_kept_for_good_only_under_the_name_of_their_content(
    client: httpx.AsyncClient,
) -> None:
    text = await page(client)
    style = text.split('rel="stylesheet" href="')[1].split('"')[0]
    assert "immutable" in (await client.get(style)).headers["cache-control"]
    assert (await client.get("/static/page.css")).headers["cache-control"] == "no-cache"
    assert (await client.get("/static/page.css?v=old")).headers["cache-control"] == "no-cache"
    for absent in ("/static/nothing.css", "/static/..%2fapp.py", "/static/%2e%2e/app.py"):
        assert (await client.get(absent)).status_code == 404


async def test_nothing_on_the_page_comes_from_elsewhere(client: httpx.AsyncClient, page_data: PageData) -> None:
    match = matchday.fixture()
    match["teams"]["home"]["logo"] = "https://media.example/logo.png"
    await page_data.store_fixture(match)
    text = await page(client)
    assert "https://" not in text
    assert "<style" not in text
    assert " style=" not in text
