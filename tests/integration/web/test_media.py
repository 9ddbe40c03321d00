"""Clips by their lasting address, and their bytes."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx
import pytest

from found_footy.domain.collections import FixtureCollection
from found_footy.fixtures.lifecycle.retention_store import RetentionStore
from found_footy.platform.objects import ObjectStore
from found_footy.web.deps import WebDeps
from tests.support.web import matchday
from tests.support.web.matchday import Document
from tests.support.web.page import PageData, open_client

EVENT = "5000_40_234_Goal_1"
DIGEST = "a" * 32
KEY = f"/media/5000/{EVENT}/{DIGEST}.mp4"
CLIP = f"/clips/{EVENT}-aaaaaaaa.mp4"
CONTENT = bytes(range(256)) * 40


@pytest.mark.parametrize(
    ("wanted", "status", "content", "where"),
    [
        (None, 200, CONTENT, None),
        ("bytes=0-", 206, CONTENT, "bytes 0-10239/10240"),
        ("bytes=0-0", 206, CONTENT[:1], "bytes 0-0/10240"),
        ("bytes=100-199", 206, CONTENT[100:200], "bytes 100-199/10240"),
        ("bytes=10000-99999", 206, CONTENT[10000:], "bytes 10000-10239/10240"),
        ("bytes=-40", 206, CONTENT[-40:], "bytes 10200-10239/10240"),
        ("bytes=10240-", 416, b"", "bytes */10240"),
        ("bytes=5-1", 200, CONTENT, None),
        ("bytes=0-1,5-6", 200, CONTENT, None),
        ("lines=1-2", 200, CONTENT, None),
    ],
)
async def test_ranges_of_a_clip(
    client: httpx.AsyncClient, page_data: PageData, wanted: str | None, status: int, content: bytes, where: str | None
) -> None:
    await page_data.store_playable(content=CONTENT)
    headers = {"range": wanted} if wanted else {}
    answer = await client.get(KEY, headers=headers)
    assert (answer.status_code, answer.content) == (status, content)
    assert answer.headers.get("content-range") == where
    assert answer.headers["accept-ranges"] == "bytes"
    seen = await client.head(KEY, headers=headers)
    assert (seen.status_code, seen.content) == (status, b"")
    if status != 416:
        assert seen.headers["content-length"] == str(len(content))


async def test_a_cache_keeps_a_clip_for_minutes_and_then_asks_again(
    client: httpx.AsyncClient, page_data: PageData
) -> None:
    await page_data.store_playable(content=CONTENT)
    first = await client.get(KEY)
    assert first.headers["content-type"] == "video/mp4"
    assert first.headers["cache-control"] == "public, max-age=300, must-revalidate"
    assert "content-encoding" not in first.headers
    again = await client.get(KEY, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    part = await client.get(KEY, headers={"range": "bytes=0-9", "if-range": first.headers["etag"]})
    assert part.status_code == 206
    other = await client.get(KEY, headers={"range": "bytes=0-9", "if-range": '"another"'})
    assert other.status_code == 200


async def test_a_thumbnail_is_a_picture(client: httpx.AsyncClient, page_data: PageData) -> None:
    await page_data.store_playable()
    answer = await client.get(KEY.replace(".mp4", ".jpg"))
    assert answer.headers["content-type"] == "image/jpeg"
    assert answer.content.startswith(b"\xff\xd8")


async def test_a_clip_has_a_lasting_address(client: httpx.AsyncClient, page_data: PageData) -> None:
    await page_data.store_playable()
    answer = await client.get(CLIP)
    assert (answer.status_code, answer.headers["location"]) == (302, KEY)
    assert answer.headers["cache-control"] == "no-cache"


async def test_a_clip_that_was_joined_to_another_redirects_to_it(
    client: httpx.AsyncClient, page_data: PageData
) -> None:
    await page_data.store_playable()
    for lost, winner in (("oldest", "older"), ("older", f"{EVENT}-aaaaaaaa")):
        await page_data.database.clip_redirects.insert_one({"_id": lost, "to": winner})
    assert (await client.get("/clips/oldest.mp4")).headers["location"] == KEY


async def test_redirects_that_go_in_circles_end(client: httpx.AsyncClient, page_data: PageData) -> None:
    for lost, winner in (("a", "b"), ("b", "a"), ("self", "self")):
        await page_data.database.clip_redirects.insert_one({"_id": lost, "to": winner})
    await page_data.database.clip_redirects.insert_many({"_id": f"n{i}", "to": f"n{i + 1}"} for i in range(100))
    for start in ("a", "self", "n0"):
        assert (await client.get(f"/clips/{start}.mp4")).status_code == 404


def refusal(clip_id: str, digest: str, **changes: Any) -> Document:
    return {"refused": [{"clip_id": clip_id, "md5s": [digest], "scope": "taken_down", **changes}]}


async def test_a_cache_that_asks_again_learns_that_a_clip_was_taken_down(
    client: httpx.AsyncClient, page_data: PageData
) -> None:
    await page_data.store_playable(content=CONTENT)
    picture = KEY.replace(".mp4", ".jpg")
    tags = {path: (await client.get(path)).headers["etag"] for path in (KEY, picture)}
    taken = matchday.goal(_judgements=refusal(f"{EVENT}-aaaaaaaa", DIGEST))
    await page_data.store_fixture(matchday.fixture(events=[taken]))
    for path, tag in tags.items():
        for headers in ({"if-none-match": tag}, {"range": "bytes=0-9", "if-range": tag}):
            answer = await client.get(path, headers=headers)
            assert (answer.status_code, answer.headers["cache-control"]) == (410, "no-store")


async def test_a_clip_that_was_kept_apart_and_then_removed_does_not_redirect_to_the_other(
    client: httpx.AsyncClient, page_data: PageData
) -> None:
    """It was taken for a copy of the other once, and that is where its address led."""
    match = await page_data.store_playable()
    lost = f"{EVENT}-bbbbbbbb"
    await page_data.database.clip_redirects.insert_one({"_id": lost, "to": f"{EVENT}-aaaaaaaa"})
    for lifted, status in ((False, 410), (True, 302)):
        match["events"][0]["_judgements"] = refusal(lost, "b" * 32, lifted=lifted)
        await page_data.store_fixture(match)
        assert (await client.get(f"/clips/{lost}.mp4")).status_code == status
        assert (await client.get(CLIP)).status_code == 302


async def test_addresses_answer_gone_after_their_match_was_deleted(
    client: httpx.AsyncClient, page_data: PageData
) -> None:
    kept, removed, removed_goal = (f"{EVENT}-{digit * 8}" for digit in "abc")
    goal = matchday.goal(_s3_videos=[matchday.clip(EVENT)], _judgements=refusal(removed, "b" * 32))
    tombstone = matchday.goal(player=7, _removed=True, _s3_videos=[], _gone_clips=[removed_goal])
    await page_data.store_fixture(
        matchday.fixture(events=[goal], removed_events=[tombstone]), FixtureCollection.COMPLETED
    )
    await page_data.database.clip_redirects.insert_one({"_id": "older", "to": kept})
    await RetentionStore(page_data.database).delete_fixture(5000, matchday.NOW)
    for clip_id, said in (
        (kept, "deleted"),
        ("older", "deleted"),
        (removed, "removed"),
        (removed_goal, "no longer a goal"),
    ):
        answer = await client.get(f"/clips/{clip_id}.mp4")
        assert (answer.status_code, said in answer.json()["detail"]) == (410, True), clip_id
    assert await page_data.database["gone_clips"].distinct("_id", {"gone_at": {"$exists": False}}) == [removed]
    assert (await client.get(KEY)).status_code == 410
    assert (await client.get(KEY.replace("5000", "6000"))).status_code == 404
    assert (await client.get(f"/clips/{EVENT}-dddddddd.mp4")).status_code == 404


async def test_clips_of_a_removed_goal_are_withdrawn_at_once(client: httpx.AsyncClient, page_data: PageData) -> None:
    match = await page_data.store_playable()
    assert (await client.get(KEY)).status_code == 200
    removed_goal = match["events"].pop() | {"_removed": True}
    await page_data.store_fixture(match | {"removed_events": [removed_goal]})
    for path in (KEY, KEY.replace(".mp4", ".jpg"), CLIP):
        answer = await client.get(path)
        assert answer.status_code == 410
        assert "no longer a goal" in answer.json()["detail"]
        assert answer.headers["cache-control"] == "no-store"


async def test_clips_of_a_removed_goal_answer_gone_as_long_as_the_match_is_kept(
    client: httpx.AsyncClient, page_data: PageData
) -> None:
    removed_goal = matchday.goal(_s3_videos=[], _gone_clips=[f"{EVENT}-aaaaaaaa"], _removed=True)
    await page_data.store_fixture(
        matchday.fixture(status="FT", removed_events=[removed_goal]), FixtureCollection.COMPLETED
    )
    for path in (KEY, CLIP):
        assert (await client.get(path)).status_code == 410


async def test_list_page_api_and_media_agree_while_a_fixture_that_was_moved_back_has_two_copies(
    client: httpx.AsyncClient, page_data: PageData
) -> None:
    match = await page_data.store_playable()
    await page_data.store_fixture(
        match | {"fixture": match["fixture"] | {"status": {"short": "2H"}}, "_returned_at": matchday.NOW}
    )
    old = matchday.fixture(status="SUSP", events=[matchday.goal(name="Somebody Else")])
    await page_data.store_fixture(old, FixtureCollection.COMPLETED)
    for path in ("/", "/api/v1/matches", "/api/v1/matches/5000", f"/api/v1/goals/{EVENT}"):
        answer = await client.get(path)
        assert answer.status_code == 200, path
        assert "Florian Wirtz" in answer.text, path
        assert "Somebody Else" not in answer.text, path
    assert (await client.get(KEY)).status_code == 200
    assert (await client.get(CLIP)).headers["location"] == KEY


async def test_clips_that_moved_to_the_right_scorer_play_under_their_old_address(
    client: httpx.AsyncClient, page_data: PageData
) -> None:
    match = await page_data.store_playable()
    old = match["events"].pop()
    new = matchday.goal(player=7, _s3_videos=old["_s3_videos"], _matched_from=EVENT)
    await page_data.store_fixture(match | {"events": [new], "removed_events": [old | {"_removed": True}]})
    assert (await client.get(KEY)).status_code == 200
    assert (await client.get(CLIP)).status_code == 302


async def test_a_file_that_was_replaced_redirects_to_the_better_copy(
    client: httpx.AsyncClient, page_data: PageData
) -> None:
    better = await page_data.store_clip(matchday.clip(EVENT, "b" * 32, sources=["https://x.com/1", DIGEST]))
    await page_data.store_fixture(matchday.fixture(events=[matchday.goal(_s3_videos=[better])]))
    answer = await client.get(KEY)
    assert (answer.status_code, answer.headers["location"]) == (302, f"/media/{better['_s3_key']}")
    assert answer.headers["cache-control"] == "no-cache"


async def test_an_archived_match_still_plays(client: httpx.AsyncClient, page_data: PageData) -> None:
    match = await page_data.store_playable()
    await page_data.database[FixtureCollection.ACTIVE].delete_one({"_id": 5000})
    await page_data.store_fixture(match, FixtureCollection.COMPLETED)
    assert (await client.get(CLIP, follow_redirects=True)).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/clips/nobody.mp4",
        f"/media/5000/{EVENT}/{'b' * 32}.mp4",
        f"/media/6000/6000_1_1_Goal_1/{DIGEST}.mp4",
        f"/media/scratch/{EVENT}/{DIGEST}.mp4",
        "/media/",
        "/media/../../etc/passwd",
        "/media/5000%2f..%2f..",
    ],
)
async def test_what_is_not_a_known_clip_is_not_found(client: httpx.AsyncClient, page_data: PageData, path: str) -> None:
    await page_data.store_playable()
    assert (await client.get(path)).status_code == 404


@pytest.mark.parametrize("name", ["$ne", "a b", "x" * 200, "é"])
async def test_a_strange_clip_id_is_refused(client: httpx.AsyncClient, name: str) -> None:
    assert (await client.get(f"/clips/{name}.mp4")).status_code == 422


async def test_a_record_without_its_object_is_not_found(client: httpx.AsyncClient, page_data: PageData) -> None:
    await page_data.store_playable()
    await page_data.objects.delete(KEY.removeprefix("/media/"))
    assert (await client.get(KEY)).status_code == 404


async def test_without_the_store_a_clip_says_so(deps: WebDeps, page_data: PageData) -> None:
    await page_data.store_playable()
    away = ObjectStore("http://127.0.0.1:1", "x", "y", "nowhere", timeout=timedelta(seconds=1), attempts=1)
    async with open_client(replace(deps, objects=away)) as client:
        answer = await client.get(KEY)
    await away.aclose()
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "5"
    assert answer.json()["system"] == "object store"
    assert "127.0.0.1" not in answer.text
