"""The dedup lab over a real database and bucket."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from found_footy.fingerprint import compute_fingerprint
from found_footy.web.deps import WebDeps
from found_footy.web.session_cookies import USER_COOKIE
from tests.support.access.accounts import open_admin_session
from tests.support.fingerprint.scenes import Scene, write
from tests.support.web import matchday
from tests.support.web.page import PageData, open_client

GOAL = "5000_40_234_Goal_1"
ONE, OTHER = f"{GOAL}-aaaaaaaa", f"{GOAL}-bbbbbbbb"


@pytest.fixture
async def operator(deps: WebDeps) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(deps) as client:
        client.cookies.set(USER_COOKIE, await open_admin_session(deps))
        yield client


async def store_clips(page_data: PageData, **changes: Any) -> None:
    goal = matchday.goal(**changes)
    goal["_s3_videos"] = [
        await page_data.store_clip(
            matchday.clip(GOAL, letter * 32, rank=rank, duration=3.0, fingerprint_key=f"prints/{letter}"), b"film"
        )
        for rank, letter in ((1, "a"), (2, "b"))
    ]
    await page_data.store_fixture(matchday.fixture(events=[goal]))


async def test_who_is_not_signed_in_signs_in_and_comes_back(operator: httpx.AsyncClient, page_data: PageData) -> None:
    operator.cookies.clear()
    path = f"/operator/lab?one={ONE}&other={OTHER}"
    shown = await operator.get(path, headers={"accept": "text/html"})
    assert (shown.status_code, shown.headers["location"]) == (303, f"/sign-in?next={quote(path, safe='')}")


async def test_two_clips_are_compared_by_their_fingerprints(
    operator: httpx.AsyncClient, page_data: PageData, tmp_path: Path
) -> None:
    kept = [{"one": [ONE], "other": [OTHER], "clips": [ONE, OTHER]}]
    await store_clips(page_data, _judgements={"apart": kept})
    text = (await operator.get(f"/operator/lab?one={ONE}&other={OTHER}")).text
    assert "missing or of another version" in text
    found = compute_fingerprint(write(Scene(33, seconds=3).film(), tmp_path / "clip.mp4"))
    for letter in "ab":
        await page_data.objects.put_bytes(f"prints/{letter}", found.to_bytes(), content_type="application/octet-stream")
    text = (await operator.get(f"/operator/lab?one={ONE}&other={OTHER}")).text
    assert "Two recordings" in text
    assert "A curator keeps them apart" in text
    assert "The pictures match: the same motion over the whole overlap" in text
    assert 'class="lab-window"' in text


@pytest.mark.parametrize("query", ["one=none&other=none", f"one={ONE}&other=none", f"one={ONE}"])
async def test_an_unknown_clip_is_said_to_be_unknown(
    operator: httpx.AsyncClient, page_data: PageData, query: str
) -> None:
    await store_clips(page_data)
    answer = await operator.get(f"/operator/lab?{query}")
    assert answer.status_code == 200
    assert "There is no clip none here." in answer.text or "Name two clips." in answer.text


@pytest.mark.parametrize("name", ["../x", "a b", "<script>", "%00", "x" * 129])
async def test_what_is_no_name_is_refused(operator: httpx.AsyncClient, name: str) -> None:
    assert (await operator.get("/operator/lab", params={"one": name, "other": ONE})).status_code == 422
