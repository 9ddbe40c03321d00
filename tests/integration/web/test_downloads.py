"""Downloads from a real bucket: a clip with a readable name, all angles as a zip archive."""

import io
import zipfile
from typing import Any

import httpx
import pytest

from found_footy.web import downloads
from tests.support.web import matchday
from tests.support.web.page import PageData

GOAL = "5000_40_234_Goal_1"
BODIES = {"a" * 32: b"first" * 40_000, "b" * 32: b"second" * 30_000}


async def store_angles(page_data: PageData, **changes: Any) -> None:
    goal = matchday.goal(name="Mesut Özil", **changes)
    goal["_s3_videos"] = [
        await page_data.store_clip(matchday.clip(goal["_event_id"], md5, rank=rank), body)
        for rank, (md5, body) in enumerate(BODIES.items(), start=1)
    ]
    await page_data.store_fixture(matchday.fixture(events=[goal]))


async def test_a_clip_is_downloaded_with_a_readable_name(client: httpx.AsyncClient, page_data: PageData) -> None:
    await store_angles(page_data)
    answer = await client.get(f"/clips/{GOAL}-bbbbbbbb/download", headers={"range": "bytes=0-5"})
    assert (answer.status_code, answer.content) == (206, b"second")
    assert 'filename="2026-11-15 Liverpool-Arsenal 23 Mesut Ozil 2.mp4"' in answer.headers["content-disposition"]
    assert "%C3%96zil" in answer.headers["content-disposition"]
    assert (await client.get("/clips/none/download")).status_code == 404
    assert (await client.get("/clips/..%2f..%2fx/download")).status_code in (404, 422)


async def test_all_angles_come_as_one_archive_of_the_announced_size(
    client: httpx.AsyncClient, page_data: PageData
) -> None:
    await store_angles(page_data)
    answer = await client.get(f"/goals/{GOAL}/angles.zip")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    assert int(answer.headers["content-length"]) == len(answer.content)
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        assert [(one.filename, one.compress_type) for one in archive.infolist()] == [
            (f"2026-11-15 Liverpool–Arsenal 23 Mesut Özil {rank}.mp4", zipfile.ZIP_STORED) for rank in (1, 2)
        ]
        assert [archive.read(name) for name in archive.namelist()] == list(BODIES.values())
    head = await client.head(f"/goals/{GOAL}/angles.zip")
    assert (head.headers["content-length"], head.content) == (answer.headers["content-length"], b"")


async def test_clips_of_a_removed_goal_are_not_in_an_archive(client: httpx.AsyncClient, page_data: PageData) -> None:
    await store_angles(page_data, _removed=True, _removed_at=matchday.NOW)
    assert (await client.get(f"/goals/{GOAL}/angles.zip")).status_code == 404
    assert (await client.get(f"/clips/{GOAL}-aaaaaaaa/download")).status_code == 410


async def test_an_old_id_leads_to_the_present_one(client: httpx.AsyncClient, page_data: PageData) -> None:
    await store_angles(page_data, _matched_from="5000_40_7_Goal_1")
    answer = await client.get("/goals/5000_40_7_Goal_1/angles.zip")
    assert (answer.status_code, answer.headers["location"]) == (302, f"/goals/{GOAL}/angles.zip")


async def test_an_archive_has_a_limit(
    client: httpx.AsyncClient, page_data: PageData, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store_angles(page_data)
    monkeypatch.setattr(downloads, "_MAX_ARCHIVE_BYTES", 300_000)
    assert (await client.get(f"/goals/{GOAL}/angles.zip")).status_code == 413
