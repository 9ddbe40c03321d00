"""One-time links, users, API keys and the audit log."""

import re
from datetime import timedelta

import pytest

from found_footy.access.key_store import API_KEYS
from found_footy.access.levels import KeyScope, Role
from found_footy.access.ticket_store import ONE_TIME_LINKS
from found_footy.platform.errors import BadInput
from tests.support.access.accounts import PASSWORD, AccessSite, Browser

NEW = "a password of one's own"


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}", "accept": "application/json"}


async def test_the_first_admin_is_made_by_a_link_that_works_once(site: AccessSite) -> None:
    token = await site.accounts.add_first_admin_link(timedelta(hours=1))
    assert token is not None
    assert token not in str(await site.deps.database[ONE_TIME_LINKS].find().to_list())
    browser = site.open_browser()
    assert "Make the first admin" in (await browser.client.get(f"/welcome/{token}")).text
    for fields in (
        {"name": "ada", "password": "short", "repeated": "short"},
        {"name": "no good name", "password": NEW, "repeated": NEW},
        {"name": "ada", "password": NEW, "repeated": NEW + "?"},
    ):
        assert (await browser.send(f"/welcome/{token}", **fields)).status_code == 422
    made = await browser.send(f"/welcome/{token}", name="Ada", password=NEW, repeated=NEW)
    assert made.headers["location"] == "/account"
    assert (await browser.client.get("/users")).status_code == 200
    again = site.open_browser()
    assert (await again.send(f"/welcome/{token}", name="eve", password=NEW, repeated=NEW)).status_code == 404
    assert (await again.client.get(f"/welcome/{token}")).status_code == 404
    assert await site.accounts.add_first_admin_link(timedelta(hours=1)) is None


async def test_a_link_expires_and_a_newer_one_or_a_user_replaces_it(site: AccessSite) -> None:
    old = await site.accounts.add_first_admin_link(timedelta(hours=1))
    new = await site.accounts.add_first_admin_link(timedelta(hours=1))
    client = site.open_browser().client
    assert [(await client.get(f"/welcome/{token}")).status_code for token in (old, new, "x")] == [404, 200, 404]
    site.clock.advance(timedelta(minutes=61))
    assert (await client.get(f"/welcome/{new}")).status_code == 404
    latest = await site.accounts.add_first_admin_link(timedelta(hours=1))
    await site.add_user("ada", Role.VIEWER)
    assert (await client.get(f"/welcome/{latest}")).status_code == 404
    answer = await site.open_browser().send(f"/welcome/{latest}", name="eve", password=NEW, repeated=NEW)
    assert answer.status_code == 404


def find_text(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found is not None, text[:500]
    return found[1]


async def test_an_admin_adds_changes_and_removes_users_but_not_their_own_account(site: AccessSite) -> None:
    admin = await site.sign_in("ada", Role.ADMIN)
    shown = await admin.change("/users/add", name="Bob", role="curator")
    link = find_text(r'id="new-link">http://footy.test(/welcome/[^<]+)<', shown.text)
    bob = site.open_browser()
    assert (await bob.send(link, name="", password=NEW, repeated=NEW)).headers["location"] == "/account"
    assert (await bob.client.get("/users")).status_code == 403
    assert (await admin.change("/users/add", name="bob", role="viewer")).status_code == 409
    assert (await admin.change("/users/add", name="<script>", role="viewer")).status_code == 422
    assert (await admin.change("/users/role", name="bob", role="owner")).status_code == 422
    await admin.change("/users/role", name="bob", role="admin")
    assert (await bob.client.get("/account")).status_code == 303
    for path in ("/users/role", "/users/remove"):
        own = await admin.change(path, name="Ada", role="viewer", confirmed="yes")
        assert own.status_code == 409, path
    asked = await admin.change("/users/remove", name="bob")
    assert (asked.status_code, "Remove bob?" in asked.text) == (200, True)
    await admin.change("/users/remove", name="bob", confirmed="yes")
    assert [user.name for user in await site.stores.users.list_all()] == ["ada"]
    acts = [row["what"] for row in [r async for r in site.stores.audit_log.read_history(limit=50)]]
    for act in ("user-add", "user-link", "user-password", "user-role", "user-remove"):
        assert act in acts, act


async def add_key(browser: Browser, scope: str, lifetime: str = "90") -> str:
    shown = await browser.change("/account/keys/add", label=f"for {scope}", scope=scope, lifetime=lifetime)
    return find_text(r'id="new-key">([^<]+)<', shown.text)


async def test_a_key_opens_what_its_scope_says_until_it_is_revoked(site: AccessSite) -> None:
    private = site.with_access(public=False)
    browser = await private.sign_in("ada", Role.ADMIN)
    read, admin = await add_key(browser, "read"), await add_key(browser, "admin", "never")
    assert read not in (await browser.client.get("/account")).text
    stored = await site.deps.database[API_KEYS].find().to_list()
    assert read.split("_", 2)[2] not in str(stored)
    async with private.open_browser().client as client:
        for key, statuses in ((read, [200, 403]), (admin, [200, 200])):
            paths = ("/api/v1/matches", "/metrics")
            assert [(await client.get(path, headers=bearer(key))).status_code for path in paths] == statuses
        assert all(key.used_at for key in await private.stores.keys.list_keys())
        # A key is no session: it opens no account page.
        assert (await client.get("/account", headers=bearer(admin))).status_code == 403
        await browser.change("/account/keys/revoke", key=read.split("_")[1])
        assert (await client.get("/api/v1/matches", headers=bearer(read))).status_code == 401
        private.clock.advance(timedelta(days=200))
        assert (await client.get("/api/v1/matches", headers=bearer(admin))).status_code == 200


async def test_a_key_ends_with_its_time_its_owner_and_its_owners_role(site: AccessSite) -> None:
    private = site.with_access(public=False)
    browser = await private.sign_in("ada", Role.ADMIN)
    key = await add_key(browser, "admin", "7")
    async with private.open_browser().client as client:
        assert (await client.get("/metrics", headers=bearer(key))).status_code == 200
        await private.accounts.set_role("the test", "ada", Role.VIEWER)
        paths = ("/metrics", "/api/v1/matches")
        assert [(await client.get(path, headers=bearer(key))).status_code for path in paths] == [403, 200]
        private.clock.advance(timedelta(days=8))
        assert (await client.get("/api/v1/matches", headers=bearer(key))).status_code == 401
        ada = await private.accounts.require_user("ada")
        other, _ = await private.accounts.add_key("the test", ada, "other", KeyScope.READ, None)
        assert (await client.get("/api/v1/matches", headers=bearer(other))).status_code == 200
        await private.stores.users.remove(ada.user_id)
        assert (await client.get("/api/v1/matches", headers=bearer(other))).status_code == 401


async def test_nobody_makes_a_key_beyond_their_role_or_revokes_anothers(site: AccessSite) -> None:
    ada, bob = await site.sign_in("ada", Role.CURATOR), await site.sign_in("bob", Role.CURATOR)
    key = await add_key(ada, "curate")
    assert (await bob.change("/account/keys/add", label="x", scope="admin", lifetime="7")).status_code == 422
    assert (await bob.change("/account/keys/add", label=" ", scope="read", lifetime="7")).status_code == 422
    assert (await bob.change("/account/keys/add", label="x", scope="read", lifetime="1")).status_code == 422
    assert (await bob.change("/account/keys/revoke", key=key.split("_")[1])).status_code == 404
    user = await site.accounts.require_user("bob")
    with pytest.raises(BadInput):
        await site.accounts.add_key("the test", user, "x", KeyScope.ADMIN, None)
    assert len(await site.stores.keys.list_keys()) == 1


async def test_wrong_keys_are_counted_and_a_right_one_is_accepted_in_any_case(site: AccessSite) -> None:
    private = site.with_access(public=False)
    await private.add_user("ada")
    ada = await private.accounts.require_user("ada")
    right, _ = await private.accounts.add_key("the test", ada, "x", KeyScope.READ, None)
    wrong = right[:-1] + ("A" if right[-1] != "A" else "B")
    async with private.open_browser().client as client:
        statuses = [(await client.get("/api/v1/matches", headers=bearer(wrong))).status_code for _ in range(11)]
        assert statuses == [401] * 10 + [429]
        assert (await client.get("/api/v1/matches", headers=bearer(right))).status_code == 200


async def test_the_audit_page_lists_acts_with_who_what_target_and_result(site: AccessSite) -> None:
    admin = await site.sign_in("ada", Role.ADMIN)
    await admin.change("/users/add", name="bob", role="viewer")
    await admin.change("/users/add", name="bob", role="viewer")
    page = (await admin.client.get("/audit", params={"target": "user:bob"})).text
    rows = re.findall(r"<tr><td>.*?</tr>", page)
    assert len([row for row in rows if "user-add" in row and "ada" in row]) == 2
    assert [word in page for word in ("done", "failed", "there is a user bob already", "sign-in")] == [
        True,
        True,
        True,
        False,
    ]
    assert "bob" not in (await admin.client.get("/audit", params={"by": "nobody"})).text
    assert (await admin.client.get("/audit", params={"before": "2020-01-01T00:00:00"})).status_code == 422


async def test_a_password_is_not_changed_without_the_current_one(site: AccessSite) -> None:
    browser = await site.sign_in("ada", Role.VIEWER)
    for fields in (
        {"current": "wrong password", "new": NEW, "repeated": NEW},
        {"current": PASSWORD, "new": NEW, "repeated": "other"},
        {"current": PASSWORD, "new": "short", "repeated": "short"},
    ):
        answer = await browser.change("/account/password", **fields)
        assert (answer.status_code, 'role="alert"' in answer.text) == (422, True)
    assert (await site.open_browser().sign_in("ada")).status_code == 303


async def test_the_current_password_is_not_found_out_by_trying(site: AccessSite) -> None:
    """Somebody at a browser that was left open."""
    browser = await site.sign_in("ada", Role.VIEWER)
    for _ in range(10):
        shown = await browser.change("/account/password", current="a guess of mine", new=NEW, repeated=NEW)
        assert "The current password is wrong." in shown.text
    shown = await browser.change("/account/password", current=PASSWORD, new=NEW, repeated=NEW)
    assert (shown.status_code, "Too many wrong passwords" in shown.text) == (422, True)


async def test_one_session_or_all_are_ended_from_the_account(site: AccessSite) -> None:
    first = await site.sign_in("ada", Role.VIEWER)
    second = site.open_browser()
    await second.sign_in("ada")
    page = (await first.client.get("/account")).text
    other = find_text(r'name="session" value="([0-9a-f]{64})"', page)
    await first.change("/account/sessions/end", session=other)
    assert [(await one.client.get("/account")).status_code for one in (first, second)] == [200, 303]
    assert (await first.change("/account/sessions/end")).headers["location"] == "/sign-in"
    assert (await first.client.get("/account")).status_code == 303
