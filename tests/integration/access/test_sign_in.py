"""Signing in, sessions, and what attackers try at them."""

from datetime import timedelta
from http.cookies import SimpleCookie

import httpx
import pytest

from found_footy.access.levels import Role
from found_footy.access.session_store import USER_SESSIONS
from found_footy.platform.http.session_tokens import digest_token
from found_footy.web.accounts.page_parts import DEVICE_COOKIE
from found_footy.web.app import create_app
from found_footy.web.server import serve_app
from found_footy.web.session_cookies import USER_COOKIE
from tests.support.access.accounts import PASSWORD, SITE, AccessSite


def read_cookies(answer: httpx.Response) -> SimpleCookie:
    return SimpleCookie("\r\n".join(f"{value}" for value in answer.headers.get_list("set-cookie")))


async def test_somebody_signs_in_uses_the_page_and_signs_out(site: AccessSite) -> None:
    browser = await site.sign_in("ada", Role.ADMIN)
    assert (await browser.client.get("/users")).status_code == 200
    row = await site.deps.database[USER_SESSIONS].find_one({})
    token = browser.client.cookies[USER_COOKIE]
    assert row is not None
    assert token not in str(row)
    assert [entry["by"] for entry in await site.audited("sign-in")] == ["ada"]
    assert (await browser.change("/sign-out")).headers["location"] == "/sign-in"
    assert [(entry["by"], entry["reason"]) for entry in await site.audited("sign-out")] == [("ada", "one session")]
    browser.client.cookies.set(USER_COOKIE, token)
    assert (await browser.client.get("/users")).headers["location"] == "/sign-in?next=%2Fusers"


async def test_a_session_is_ended_from_another_browser_only_by_its_user(site: AccessSite) -> None:
    kept = await site.sign_in("ada", Role.VIEWER)
    ended = site.open_browser()
    await ended.sign_in("ada")
    session_id = digest_token(ended.client.cookies[USER_COOKIE])
    stranger = await site.sign_in("eve", Role.VIEWER)
    await stranger.change("/account/sessions/end", session=session_id)
    assert (await ended.client.get("/account")).status_code == 200
    await kept.change("/account/sessions/end", session=session_id)
    assert (await ended.client.get("/account")).headers["location"] == "/sign-in?next=%2Faccount"
    assert (await kept.client.get("/account")).status_code == 200
    entries = [(entry["by"], entry["reason"]) for entry in await site.audited("sign-out")]
    assert ("ada", "one session") in entries


async def test_a_token_that_was_planted_before_is_not_taken_over(site: AccessSite) -> None:
    """Session fixation: the attacker knows the cookie that the victim signs in with."""
    await site.add_user("ada")
    attacker = await site.sign_in("eve", Role.VIEWER)
    planted = attacker.client.cookies[USER_COOKIE]
    for token in (planted, "chosen-by-the-attacker"):
        victim = site.open_browser()
        victim.client.cookies.set(USER_COOKIE, token)
        answer = await victim.sign_in("ada")
        assert read_cookies(answer)[USER_COOKIE].value != token
    assert (await attacker.client.get("/account")).headers.get("location") == "/sign-in?next=%2Faccount"


async def test_cookies_are_out_of_reach_of_scripts_and_bound_to_the_host_under_tls(site: AccessSite) -> None:
    await site.add_user("ada")
    plain = read_cookies(await site.open_browser().sign_in("ada"))
    secure = read_cookies(await site.open_browser(site="https://footy.test").sign_in("ada"))
    for name in (USER_COOKIE, DEVICE_COOKIE):
        assert plain[name]["httponly"]
        assert (plain[name]["samesite"], plain[name]["path"], plain[name]["secure"]) == ("lax", "/", "")
        bound = secure[f"__Host-{name}"]
        assert (bound["httponly"], bound["secure"], bound["path"], bound["domain"]) == (True, True, "/", "")
        assert name not in secure
    # A cookie that was planted over an unencrypted line is not read under TLS.
    browser = site.open_browser(site="https://footy.test")
    browser.client.cookies.set(USER_COOKIE, plain[USER_COOKIE].value)
    assert (await browser.client.get("/account")).status_code == 303


async def test_a_session_ends_when_it_is_idle_and_in_any_case(site: AccessSite) -> None:
    short = site.with_access(idle=timedelta(hours=1), session=timedelta(hours=3))
    browser = await short.sign_in("ada", Role.VIEWER)
    for _ in range(4):
        short.clock.advance(timedelta(minutes=40))
        assert (await browser.client.get("/account")).status_code == 200
    short.clock.advance(timedelta(minutes=21))
    assert (await browser.client.get("/account")).status_code == 303
    await browser.sign_in("ada")
    short.clock.advance(timedelta(minutes=61))
    assert (await browser.client.get("/account")).status_code == 303


async def test_a_lowered_role_and_a_new_password_end_every_session_at_once(site: AccessSite) -> None:
    first = await site.sign_in("ada", Role.ADMIN)
    second = site.open_browser()
    await second.sign_in("ada")
    assert [(await one.client.get("/users")).status_code for one in (first, second)] == [200, 200]
    csrf = await first.read_csrf_token()
    await site.accounts.set_role("the test", "ada", Role.VIEWER)
    assert [(await one.client.get("/users")).status_code for one in (first, second)] == [303, 303]
    refused = await first.send("/users/add", csrf_token=csrf, name="mallory", role="admin")
    assert refused.status_code == 401
    await first.sign_in("ada")
    await second.sign_in("ada")
    assert (await first.client.get("/users")).status_code == 403
    changed = await first.change(
        "/account/password", current=PASSWORD, new="another good password", repeated="another good password"
    )
    assert changed.headers["location"] == "/account"
    assert (await first.client.get("/account")).status_code == 200
    assert (await second.client.get("/account")).status_code == 303


async def test_a_removed_user_is_out_at_once_also_under_the_same_name_again(site: AccessSite) -> None:
    browser = await site.sign_in("ada", Role.ADMIN)
    await site.accounts.remove_user("the test", "ada")
    await site.add_user("ada", Role.ADMIN)
    assert (await browser.client.get("/users")).status_code == 303


# Browsers drop tabs and line ends before they read an address.
@pytest.mark.parametrize(
    "target",
    [
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        "\t//evil.example",
    ],
)
async def test_signing_in_leads_to_no_other_site(site: AccessSite, target: str) -> None:
    await site.add_user("ada")
    browser = site.open_browser()
    shown = await browser.client.get("/sign-in", params={"next": target})
    assert "evil" not in shown.text
    assert (await browser.sign_in("ada", target=target)).headers["location"] == "/account"
    assert (await browser.client.get("/sign-in", params={"next": target})).headers["location"] == "/account"
    assert (await browser.client.get("/sign-in", params={"next": "/stats"})).headers["location"] == "/stats"


CROSS_SITE = [
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
]


@pytest.mark.parametrize("headers", CROSS_SITE)
async def test_pages_of_other_sites_can_neither_sign_in_nor_act(site: AccessSite, headers: dict[str, str]) -> None:
    browser = await site.sign_in("ada", Role.ADMIN)
    csrf = await browser.read_csrf_token()
    for path in ("/sign-in", "/users/add", "/sign-out", "/account/password"):
        form = {"csrf_token": csrf, "name": "ada", "password": PASSWORD, "role": "admin"}
        answer = await browser.client.post(path, data=form, headers=headers)
        assert answer.status_code == 403, path
    assert [user.name for user in await site.stores.users.list_all()] == ["ada"]


async def test_a_form_without_the_pages_own_token_changes_nothing(site: AccessSite) -> None:
    browser, other = await site.sign_in("ada", Role.ADMIN), await site.sign_in("bob", Role.ADMIN)
    foreign = await other.read_csrf_token()
    for csrf in ("", "0" * 64, foreign):
        for path in ("/users/add", "/operator/replay", "/account/keys/add"):
            answer = await browser.send(path, csrf_token=csrf, name="eve", role="admin", label="x", scope="read")
            assert answer.status_code == 403, (path, csrf)
    # The API takes the token of the page in a header, and no request of a session without it.
    refused = await browser.client.post("/api/v1/goals/1_1_1_Goal_1/clips", json={"url": "https://x.com/a/status/1"})
    assert refused.status_code == 403
    own = {"x-csrf-token": await browser.read_csrf_token()}
    passed = await browser.client.post(
        "/api/v1/goals/1_1_1_Goal_1/clips", json={"url": "https://x.com/a/status/1"}, headers=own
    )
    assert passed.status_code == 503


async def test_an_unknown_name_and_a_wrong_password_get_the_same_answer(site: AccessSite) -> None:
    await site.add_user("ada")
    browser = site.open_browser()
    wrong, unknown = await browser.sign_in("ada", "wrong password here"), await browser.sign_in("eva", PASSWORD)
    assert (wrong.status_code, unknown.status_code) == (401, 401)
    assert wrong.text.replace('value="ada"', "") == unknown.text.replace('value="eva"', "")
    assert not await site.audited("sign-in")


async def test_guessing_is_slowed_down_but_the_owners_browser_still_comes_in(site: AccessSite) -> None:
    owner = await site.sign_in("ada", Role.VIEWER)
    app = create_app(site.deps)

    def at(host: str) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.ASGITransport(app, client=(host, 1)), base_url=SITE)

    answers = []
    for number in range(22):
        async with at(f"198.51.100.{number}") as guesser:
            answers.append(await guesser.post("/sign-in", data={"name": "ada", "password": f"guess {number} and more"}))
    assert [one.status_code for one in answers] == [401] * 20 + [429] * 2
    assert int(answers[-1].headers["retry-after"]) > 0
    async with at("198.51.100.99") as stranger:
        assert (await stranger.post("/sign-in", data={"name": "ada", "password": PASSWORD})).status_code == 429
        assert (await stranger.post("/sign-in", data={"name": "bob", "password": PASSWORD})).status_code == 401
    async with at("198.51.100.99") as own:
        own.cookies.set(DEVICE_COOKIE, owner.client.cookies[DEVICE_COOKIE])
        assert (await own.post("/sign-in", data={"name": "ada", "password": PASSWORD})).status_code == 303
        # Whoever has that browser does not guess for ever either, and it says nothing for another account.
        tries = [{"name": "ada", "password": f"guess {number} and more"} for number in range(11)]
        assert [(await own.post("/sign-in", data=one)).status_code for one in tries] == [401] * 10 + [429]
        assert (await own.post("/sign-in", data={"name": "bob", "password": PASSWORD})).status_code == 401


async def test_an_address_that_guesses_cannot_name_another_one(site: AccessSite) -> None:
    """X-Forwarded-For counts only from a trusted proxy: a real server, because it is the server that reads it."""
    await site.add_user("ada")
    statuses = []
    async with (
        serve_app(create_app(site.deps), site.deps.settings) as address,
        httpx.AsyncClient(base_url=address) as client,
    ):
        for number in range(11):
            forged = {"x-forwarded-for": f"198.51.100.{number}", "x-forwarded-proto": "https"}
            form = {"name": f"user{number}", "password": "some password or other"}
            answer = await client.post("/sign-in", data=form, headers=forged)
            statuses.append(answer.status_code)
            assert "__Host-" not in answer.headers.get("set-cookie", "")
    assert statuses == [401] * 10 + [429]
