"""The page of a goal, its pictures, and what other sites get of it."""

from dataclasses import replace

import httpx

from found_footy.web.deps import WebDeps
from tests.support.web import matchday, showcase
from tests.support.web.page import PageData, open_client

OLD_ID = "5000_40_1_Goal_1"


async def test_the_page_of_a_goal_shows_clip_proof_copies_and_history(
    client: httpx.AsyncClient, page_data: PageData
) -> None:
    await showcase.store_match_day(page_data)
    text = (await client.get(f"/goals/{showcase.GOAL}")).text
    assert "autoplay muted playsinline" in text
    for shown in ("3 angles", "Minute verified", "0–0, then 1–0", "LIV–ARS", "Also found as", "bsky.app", "Search 1"):
        assert shown in text
    assert "the clock shows 61:02" in text
    assert "twitter-Liverpool-Wirtz" in text
    picture = f"/media/5000/{showcase.GOAL}/evidence/{'a' * 32}-1.jpg"
    assert f'src="{picture}"' in text
    answer = await client.get(picture)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/jpeg")
    assert (await client.get(picture.replace("a" * 32, "f" * 32))).status_code == 404
    other = (await client.get(f"/goals/{showcase.GOAL}?clip={showcase.GOAL}-{'c' * 8}")).text
    assert "Not verified." in other


async def test_the_evidence_of_a_goal_has_what_its_page_shows(client: httpx.AsyncClient, page_data: PageData) -> None:
    await showcase.store_match_day(page_data)
    answer = await client.get(f"/api/v1/goals/{showcase.GOAL}/evidence")
    found = answer.json()
    best, *others = found["angles"]
    assert len(others) == 2
    assert (best["verified"], [check["finding"] for check in best["checks"]]) == (True, ["confirmed"] * 3)
    assert best["frames"][0]["picture_url"] == f"/media/5000/{showcase.GOAL}/evidence/{'a' * 32}-1.jpg"
    assert [len(copy["sources"]) for copy in best["copies"]] == [2, 1]
    kinds = [entry["kind"] for entry in found["timeline"]]
    assert (kinds[0], kinds.count("searched"), kinds.count("kept")) == ("scored", 2, 3)
    reasons = [rejected["reason"] for entry in found["timeline"] for rejected in entry["rejections"]]
    assert any("61:02" in reason for reason in reasons)
    assert not [key for key in (*found, *best) if key.startswith("_")]
    again = {"If-None-Match": answer.headers["etag"]}
    assert (await client.get(f"/api/v1/goals/{showcase.GOAL}/evidence", headers=again)).status_code == 304


async def test_cards_on_other_sites_have_full_addresses(deps: WebDeps, page_data: PageData) -> None:
    await page_data.store_playable()
    settings = deps.settings.model_copy(
        update={"public_url": "https://goals.example", "temporal_url": "http://ui.test:8233/namespaces/default"}
    )
    async with open_client(replace(deps, settings=settings)) as client:
        text = (await client.get(f"/goals/{showcase.GOAL}")).text
        clip = f"https://goals.example/media/5000/{showcase.GOAL}/{'a' * 32}.jpg"
        assert f'<meta property="og:image" content="{clip}">' in text
        assert '<meta property="og:title" content="Florian Wirtz 23&#39;, Liverpool 1–0 Arsenal">' in text
        assert 'href="http://ui.test:8233/namespaces/default/workflows/download1"' in text
        card = await client.get("/oembed", params={"url": f"https://goals.example/goals/{showcase.GOAL}"})
    assert card.json() == {
        "version": "1.0",
        "type": "link",
        "title": "Florian Wirtz 23', Liverpool 1–0 Arsenal",
        "provider_name": "Found Footy",
        "provider_url": "https://goals.example/",
        "thumbnail_url": clip,
        "thumbnail_width": 640,
        "thumbnail_height": 360,
    }


async def test_an_address_that_is_no_goal_has_no_card(client: httpx.AsyncClient) -> None:
    for params, status in (
        ({"url": "https://x.test/days/2026-11-15"}, 404),
        ({"url": f"https://x.test/goals/{showcase.GOAL}"}, 404),
        ({"url": "x", "format": "xml"}, 501),
    ):
        assert (await client.get("/oembed", params=params)).status_code == status


async def test_an_old_id_leads_to_the_goal_as_it_is_now(client: httpx.AsyncClient, page_data: PageData) -> None:
    goal = matchday.goal(_matched_from=OLD_ID)
    tombstone = matchday.goal(player=1, _moved_to=showcase.GOAL, _removed=True)
    await page_data.store_fixture(matchday.fixture(events=[goal], removed_events=[tombstone]))
    moved = await client.get(f"/api/v1/goals/{OLD_ID}/evidence")
    assert (moved.status_code, moved.headers["location"]) == (302, f"/api/v1/goals/{showcase.GOAL}/evidence")
    for path in ("", "/compare"):
        answer = await client.get(f"/goals/{OLD_ID}{path}")
        assert (answer.status_code, answer.headers["location"]) == (302, f"/goals/{showcase.GOAL}{path}")
    assert "Given to another scorer" in (await client.get(f"/goals/{showcase.GOAL}")).text
    card = await client.get("/oembed", params={"url": f"http://footy.test/goals/{OLD_ID}"})
    assert card.json()["title"] == "Florian Wirtz 23', Liverpool 1–0 Arsenal"


async def test_a_removed_goal_keeps_its_page_without_clips(client: httpx.AsyncClient, page_data: PageData) -> None:
    event = matchday.goal(_removed=True, _removed_at=matchday.NOW)
    event["_s3_videos"] = [await page_data.store_clip(matchday.clip(event["_event_id"]))]
    await page_data.store_fixture(matchday.fixture(removed_events=[event]))
    text = (await client.get(f"/goals/{showcase.GOAL}")).text
    assert "No longer a goal" in text
    assert "<video" not in text
    assert "og:video" not in text
    assert ".mp4" not in text


async def test_titles_of_posts_mark_a_goal_and_an_unverified_clip_on_the_pages(
    client: httpx.AsyncClient, page_data: PageData
) -> None:
    event = matchday.goal(_suspicions=["<b>Wirtz</b> disallowed goal against Arsenal 23'"])
    clip = matchday.clip(
        event["_event_id"], timestamp_verified=False, witness="confirmed: teams, score and scorer agree"
    )
    event["_s3_videos"] = [await page_data.store_clip(clip)]
    await page_data.store_fixture(matchday.fixture(events=[event]))
    for path in (f"/goals/{showcase.GOAL}", "/matches/5000"):
        text = (await client.get(path)).text
        assert "Under suspicion" in text
        assert "“&lt;b&gt;Wirtz&lt;/b&gt; disallowed goal against Arsenal 23&#39;”" in text
        assert "the title of a post confirms it: teams, score and scorer agree" in text
    goal = (await client.get("/api/v1/matches")).json()["matches"][0]["goals"][0]
    assert (goal["status"], len(goal["suspicions"]), goal["clips"][0]["verified"]) == ("watchable", 1, False)


async def test_a_goal_that_is_not_stored_is_not_found(client: httpx.AsyncClient, page_data: PageData) -> None:
    await page_data.store_fixture(matchday.fixture())
    unknown = f"/goals/{showcase.GOAL}"
    for path in (unknown, "/goals/9_9_9_Goal_1", f"{unknown}/compare", f"/api/v1{unknown}/evidence"):
        assert (await client.get(path)).status_code == 404
