"""Curators' acts on the page of a goal, without a script."""

import re
from typing import Any

import pytest

from found_footy.access.levels import Role
from found_footy.domain.collections import FixtureCollection
from tests.support.access.accounts import AccessSite, Browser
from tests.support.web import matchday, showcase
from tests.support.web.page import PageData

ADDRESS = f"/goals/{showcase.GOAL}"


@pytest.fixture
async def clips(page_data: PageData) -> list[str]:
    """Two angles of a goal; the first is the best."""
    goal = matchday.goal()
    records = [
        await page_data.store_clip(matchday.clip(goal["_event_id"], md5 * 32, rank=rank))
        for md5, rank in (("a", 1), ("b", 2))
    ]
    goal["_s3_videos"] = records
    await page_data.store_fixture(matchday.fixture(events=[goal]))
    return [record["clip_id"] for record in records]


async def read_goal(site: AccessSite) -> dict[str, Any]:
    stored = await site.deps.database[FixtureCollection.ACTIVE].find_one({"_id": 5000})
    assert stored is not None
    goal: dict[str, Any] = stored["events"][0]
    return goal


def read_clips(goal: dict[str, Any]) -> list[str]:
    return [clip["clip_id"] for clip in sorted(goal["_s3_videos"], key=lambda clip: int(clip["rank"]))]


async def act(browser: Browser, act: str, **fields: str) -> str:
    """Carry an act out as a form; returns the page that follows."""
    answer = await browser.change(f"{ADDRESS}/curate", act=act, **fields)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{ADDRESS}#curate"), answer.text
    return (await browser.client.get(ADDRESS)).text


def find_undo(page: str, action: str) -> str:
    found = re.search(rf'data-act="{action}".*?name="entry" value="([^"]+)"', page, re.DOTALL)
    assert found is not None, action
    return found[1]


async def test_only_curators_see_and_send_the_forms(site: AccessSite, clips: list[str]) -> None:
    stranger, viewer = site.open_browser(), await site.sign_in("vic", Role.VIEWER)
    curator = await site.sign_in("ada", Role.CURATOR)
    assert 'id="curate"' in (await curator.client.get(ADDRESS)).text
    for browser in (stranger, viewer):
        page = await browser.client.get(ADDRESS)
        assert 'id="curate"' not in page.text
        assert "form-action 'none'" in page.headers["content-security-policy"]
    assert (await viewer.change(f"{ADDRESS}/curate", act="pin", clip=clips[1])).status_code == 403
    assert (await stranger.send(f"{ADDRESS}/curate", act="pin", clip=clips[1])).status_code == 401
    assert (await curator.send(f"{ADDRESS}/curate", act="pin", clip=clips[1])).status_code == 403
    assert read_clips(await read_goal(site)) == clips


async def test_a_curator_pins_and_undoes_it(site: AccessSite, clips: list[str]) -> None:
    curator = await site.sign_in("ada", Role.CURATOR)
    page = await act(curator, "pin", clip=clips[1])
    assert "Pinned: it is the best of its goal." in page
    assert read_clips(await read_goal(site)) == clips[::-1]
    # The notice is shown once.
    assert "Pinned: it is the best" not in (await curator.client.get(ADDRESS)).text
    page = await act(curator, "undo", entry=find_undo(page, "pin"))
    assert read_clips(await read_goal(site)) == clips
    assert [row["by"] for row in await site.audited("pin") + await site.audited("unpin")] == ["ada", "ada"]


async def test_clips_are_kept_apart_until_that_is_undone(site: AccessSite, clips: list[str]) -> None:
    curator = await site.sign_in("ada", Role.CURATOR)
    await curator.change(f"{ADDRESS}/curate", act="apart", clip=clips[0], other=clips[1])
    # A script that renews the page does not take the notice away from the person.
    renewed = await curator.client.get(ADDRESS, headers={"last-event-id": "0-0"})
    assert "never merged" not in renewed.text
    page = (await curator.client.get(ADDRESS)).text
    assert "never merged" in page
    assert [row["clips"] for row in (await read_goal(site))["_judgements"]["apart"]] == [sorted(clips)]
    await act(curator, "undo", entry=find_undo(page, "apart"))
    assert (await read_goal(site))["_judgements"]["apart"] == []


async def test_a_take_down_needs_a_confirmation_and_a_reason_and_is_undone(site: AccessSite, clips: list[str]) -> None:
    curator = await site.sign_in("ada", Role.CURATOR)
    asked = await curator.change(f"{ADDRESS}/curate", act="take-down", clip=clips[0], reason="a letter")
    assert (asked.status_code, "Take this clip down?" in asked.text) == (200, True)
    assert len(read_clips(await read_goal(site))) == 2
    unreasoned = await curator.change(f"{ADDRESS}/curate", act="take-down", clip=clips[0], confirmed="yes")
    assert unreasoned.status_code == 422
    page = await act(curator, "take-down", clip=clips[0], reason="a letter", confirmed="yes")
    assert read_clips(await read_goal(site)) == [clips[1]]
    assert (await curator.client.get(f"/clips/{clips[0]}.mp4")).status_code == 410
    page = await act(curator, "undo", entry=find_undo(page, "take-down"))
    assert "Unblocked" in page
    # What was undone is not offered again.
    assert not re.search(r'data-act="take-down".*?name="entry"', page, re.DOTALL)
    assert all(row["lifted"] for row in (await read_goal(site))["_judgements"]["refused"])
    assert [row["reason"] for row in await site.audited("take-down")] == ["a letter"]


async def test_a_clip_of_the_wrong_goal_leaves_it(site: AccessSite, clips: list[str]) -> None:
    curator = await site.sign_in("ada", Role.CURATOR)
    page = await act(curator, "wrong-goal", clip=clips[0])
    assert read_clips(await read_goal(site)) == [clips[1]]
    await act(curator, "undo", entry=find_undo(page, "wrong-goal"))
    assert (await read_goal(site))["_judgements"]["refused"][0]["lifted"]


async def test_acts_on_what_is_not_there_are_refused(site: AccessSite, clips: list[str]) -> None:
    curator = await site.sign_in("ada", Role.CURATOR)
    for fields, status in (
        ({"act": "pin", "clip": "5100_1_1_Goal_1-none"}, 404),
        ({"act": "explode", "clip": clips[0]}, 422),
        ({"act": "undo", "entry": "none"}, 422),
        ({"act": "add", "url": "https://x.com/fan/status/1"}, 503),
    ):
        answer = await curator.change(f"{ADDRESS}/curate", **fields)
        assert answer.status_code == status, fields
    assert (await curator.change("/goals/1_1_1_Goal_1/curate", act="pin", clip=clips[0])).status_code == 404
