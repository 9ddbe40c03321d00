"""Share links: one goal for people without an account, until the link expires, is revoked, or loses its maker."""

import re
from datetime import timedelta

from found_footy.access.levels import Role
from found_footy.access.share_store import SHARE_LINKS
from tests.support.access.accounts import AccessSite, Browser
from tests.support.web import matchday
from tests.support.web.page import PageData

GOAL = "5000_40_234_Goal_1"
CLIP = f"{GOAL}-aaaaaaaa"


async def share(curator: Browser, goal: str = GOAL) -> str:
    """The path that a new link opens."""
    shown = await curator.change(f"/goals/{goal}/share")
    assert shown.status_code == 200, shown.text
    found = re.search(r'id="new-share">http://footy.test(/s/[^<]+)<', shown.text)
    assert found is not None
    return found[1]


async def test_a_link_shows_one_goal_with_its_files_to_somebody_without_an_account(
    site: AccessSite, page_data: PageData
) -> None:
    private = site.with_access(public=False)
    match = await page_data.store_playable()
    other = await page_data.store_playable(6000)
    curator = await private.sign_in("cora", Role.CURATOR)
    path = await share(curator)
    stranger = private.open_browser().client
    shown = await stranger.get(path)
    assert (shown.status_code, shown.headers["cache-control"]) == (200, "private, no-cache")
    assert shown.headers["x-robots-tag"] == "noindex"
    assert "Florian Wirtz" in shown.text
    # Everything that the page loads lies under the one path that has to be reachable.
    loaded = [link for link in re.findall(r'(?:src|href|poster)="([^"]+)"', shown.text) if link.startswith("/")]
    assert len(loaded) > 4
    assert all(link.startswith("/s/") for link in loaded), loaded
    for link in loaded:
        assert (await stranger.get(link)).status_code == 200, link
    part = await stranger.get(f"{path}/{CLIP}.mp4", headers={"range": "bytes=0-3"})
    assert (part.status_code, len(part.content), part.headers["content-type"]) == (206, 4, "video/mp4")
    assert part.headers["cache-control"] == "private, no-cache"
    # It opens nothing else: neither another goal's clips nor the other addresses of this one.
    foreign = other["events"][0]["_s3_videos"][0]["clip_id"]
    assert (await stranger.get(f"{path}/{foreign}.mp4")).status_code == 404
    assert (await stranger.get(f"/goals/{GOAL}")).status_code == 303
    assert (await stranger.get(f"/media/{match['events'][0]['_s3_videos'][0]['_s3_key']}")).status_code == 303
    stored = await site.deps.database[SHARE_LINKS].find().to_list()
    assert path.removeprefix("/s/") not in str(stored)


async def test_a_link_ends_with_its_time_its_revocation_its_maker_and_its_goal(
    site: AccessSite, page_data: PageData
) -> None:
    match = await page_data.store_playable()
    curator, admin = await site.sign_in("cora", Role.CURATOR), await site.sign_in("ada", Role.ADMIN)
    stranger = site.open_browser().client

    async def status(path: str) -> int:
        return (await stranger.get(f"{path}/{CLIP}.mp4")).status_code

    timed = await share(curator)
    site.clock.advance(site.access.settings.share - timedelta(seconds=1))
    assert await status(timed) == 200
    site.clock.advance(timedelta(seconds=1))
    assert [await status(timed), await status("/s/unknown")] == [410, 410]
    curator, admin = site.open_browser(), site.open_browser()
    await curator.sign_in("cora")
    await admin.sign_in("ada")
    made = []
    for _ in range(3):
        site.clock.advance(timedelta(seconds=1))
        made.append(await share(curator))
    revoked, by_admin, kept = made
    links = await site.stores.shares.list_links()
    # Nobody else revokes it, except an admin.
    await site.add_user("carl", Role.CURATOR)
    other = site.open_browser()
    await other.sign_in("carl")
    assert (await other.change("/account/shares/revoke", link=links[2].link_id)).status_code == 404
    assert await status(revoked) == 200
    assert links[2].link_id in (await curator.client.get("/account")).text
    await curator.change("/account/shares/revoke", link=links[2].link_id)
    await admin.change("/users/shares/revoke", link=links[1].link_id)
    assert [await status(one) for one in (revoked, by_admin, kept)] == [410, 410, 200]
    revocations = [row for row in await site.audited("share-revoke") if row["state"] == "done"]
    assert {row["by"]: row["clips"] for row in revocations} == {
        "ada": [f"share:{links[1].link_id}"],
        "cora": [f"share:{links[2].link_id}"],
    }
    # Whoever may not make one any more has none.
    await site.accounts.set_role("the test", "cora", Role.VIEWER)
    assert await status(kept) == 410
    await site.accounts.set_role("the test", "cora", Role.CURATOR)
    assert await status(kept) == 200
    await page_data.store_fixture(match | {"events": [], "removed_events": [matchday.goal(_removed=True)]})
    assert (await stranger.get(kept)).status_code == 410


async def test_only_curators_make_links_and_only_from_a_page_of_ours(site: AccessSite, page_data: PageData) -> None:
    await page_data.store_playable()
    viewer, curator = await site.sign_in("vera", Role.VIEWER), await site.sign_in("cora", Role.CURATOR)
    assert (await viewer.change(f"/goals/{GOAL}/share")).status_code == 403
    assert (await curator.send(f"/goals/{GOAL}/share", csrf_token="0" * 64)).status_code == 403
    assert (await site.open_browser().send(f"/goals/{GOAL}/share", csrf_token="0")).status_code == 401
    assert (await curator.change("/goals/5000_40_1_Goal_9/share")).status_code == 404
    assert await site.stores.shares.list_links() == []
    await share(curator)
    await site.accounts.remove_user("the test", "cora")
    assert await site.stores.shares.list_links() == []
