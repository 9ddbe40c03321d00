"""Signing in by a real OpenID Connect provider on loopback."""

import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from pydantic import SecretStr

from found_footy.access.levels import Role
from found_footy.access.oidc.client import OidcClient, build_oidc_http
from found_footy.access.settings import AccessSettings
from found_footy.platform.errors import ConfigError
from tests.support.access.accounts import AccessSite, Browser
from tests.support.access.oidc_provider import CLIENT_ID, CLIENT_SECRET, OidcProvider, run_provider
from tests.support.loopback_services import host_of

CALLBACK = "/sign-in/oidc/callback"


@dataclass(frozen=True)
class ProviderSite:
    site: AccessSite
    provider: OidcProvider

    async def begin(self, browser: Browser, target: str = "/stats") -> str:
        """What the browser brings back from the provider."""
        begun = await browser.client.get("/sign-in/oidc", params={"next": target})
        assert begun.status_code == 303, begun.text
        return self.provider.sign_in(begun.headers["location"])

    async def sign_in(self, browser: Browser) -> httpx.Response:
        return await browser.client.get(f"{CALLBACK}?{await self.begin(browser)}")


@pytest.fixture(scope="module")
def provider() -> Iterator[OidcProvider]:
    with run_provider() as provider:
        yield provider


@pytest.fixture
async def by_provider(site: AccessSite, provider: OidcProvider) -> AsyncIterator[ProviderSite]:
    provider.claims = {"sub": "42", "preferred_username": "Ada L.", "groups": ["editors"]}
    provider.slash = ""
    provider.overrides, provider.algorithm, provider.signing_key, provider.is_broken = {}, "RS256", None, False
    settings = AccessSettings(
        oidc_issuer=provider.issuer,
        oidc_client_id=CLIENT_ID,
        oidc_client_secret=SecretStr(CLIENT_SECRET),
        oidc_curators=("editors",),
        oidc_admins=("owners",),
    )
    http = build_oidc_http(settings, (host_of(provider.issuer),))
    changed = settings.model_dump(exclude_unset=True)
    oidc = OidcClient(settings, http, time.monotonic)
    yield ProviderSite(site.with_access(oidc=oidc, **changed), provider)
    await http.aclose()


async def test_the_provider_signs_somebody_in_with_the_role_of_their_group(by_provider: ProviderSite) -> None:
    browser = by_provider.site.open_browser()
    assert "Sign in with single sign-on" in (await browser.client.get("/sign-in")).text
    answer = await by_provider.sign_in(browser)
    assert (answer.status_code, answer.headers["location"]) == (303, "/stats")
    page = await browser.client.get("/account")
    assert "ada-l." in page.text
    assert "curator" in page.text
    # The role follows the group at the next sign-in; older sessions of the role before have ended.
    by_provider.provider.claims["groups"] = ["owners"]
    other = by_provider.site.open_browser()
    await by_provider.sign_in(other)
    assert (await other.client.get("/users")).status_code == 200
    assert (await browser.client.get("/account")).status_code == 303
    assert [(user.name, user.role) for user in await by_provider.site.stores.users.list_all()] == [
        ("ada-l.", Role.ADMIN)
    ]


async def test_a_name_that_is_taken_does_not_give_away_the_account(by_provider: ProviderSite) -> None:
    await by_provider.site.add_user("ada-l.", Role.ADMIN)
    browser = by_provider.site.open_browser()
    await by_provider.sign_in(browser)
    assert (await browser.client.get("/users")).status_code == 403
    assert len(await by_provider.site.stores.users.list_all()) == 2


async def test_an_issuer_may_end_with_a_slash(by_provider: ProviderSite) -> None:
    by_provider.provider.slash = "/"
    assert (await by_provider.sign_in(by_provider.site.open_browser())).status_code == 303


async def test_a_provider_that_names_another_issuer_signs_nobody_in(by_provider: ProviderSite) -> None:
    by_provider.provider.slash = "/another"
    answer = await by_provider.site.open_browser().client.get("/sign-in/oidc")
    assert (answer.status_code, "did not answer correctly" in answer.text) == (502, True)


async def test_the_way_back_leads_to_no_other_site_and_a_refusal_signs_nobody_in(by_provider: ProviderSite) -> None:
    browser = by_provider.site.open_browser()
    brought = await by_provider.begin(browser, target="//evil.example")
    assert (await browser.client.get(f"{CALLBACK}?{brought}")).headers["location"] == "/account"
    state = parse_qs(await by_provider.begin(browser))["state"][0]
    refused = await browser.client.get(CALLBACK, params={"state": state, "error": "access_denied", "code": "any"})
    assert refused.status_code == 403


async def test_somebody_without_a_role_is_refused(by_provider: ProviderSite) -> None:
    by_provider.provider.claims["groups"] = ["strangers"]
    answer = await by_provider.sign_in(by_provider.site.open_browser())
    assert (answer.status_code, "no role here" in answer.text) == (403, True)
    assert await by_provider.site.stores.users.is_empty()


async def test_an_answer_counts_once_and_in_the_browser_that_asked(by_provider: ProviderSite) -> None:
    browser, other = by_provider.site.open_browser(), by_provider.site.open_browser()
    brought = await by_provider.begin(browser)
    assert (await other.client.get(f"{CALLBACK}?{brought}")).status_code == 400
    await by_provider.begin(other)
    assert (await other.client.get(f"{CALLBACK}?{brought}")).status_code == 400
    assert (await browser.client.get(f"{CALLBACK}?{brought}")).status_code == 303
    assert (await browser.client.get(f"{CALLBACK}?{brought}")).status_code == 400


WRONG_CLAIMS: list[dict[str, Any]] = [
    {"aud": "another client"},
    {"iss": "https://evil.example"},
    {"exp": 1_700_000_000},
    {"nonce": "another one"},
    {"aud": [CLIENT_ID, "another"], "azp": "another"},
    {"sub": None},
]


async def test_a_token_that_is_not_meant_for_us_now_is_refused(by_provider: ProviderSite) -> None:
    for overrides in WRONG_CLAIMS:
        by_provider.provider.overrides = overrides
        answer = await by_provider.sign_in(by_provider.site.open_browser())
        assert (answer.status_code, "did not answer correctly" in answer.text) == (502, True), overrides
    assert await by_provider.site.stores.users.is_empty()


async def test_a_token_that_the_provider_did_not_sign_is_refused(by_provider: ProviderSite) -> None:
    public = by_provider.provider.key.public_key()
    forged = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    for algorithm, key in (("RS256", forged), ("none", ""), ("HS256", str(public.public_numbers().n).encode())):
        by_provider.provider.algorithm, by_provider.provider.signing_key = algorithm, key
        answer = await by_provider.sign_in(by_provider.site.open_browser())
        assert answer.status_code == 502, algorithm
    assert await by_provider.site.stores.users.is_empty()


async def test_a_provider_that_fails_is_reported_and_others_sign_in_with_passwords(by_provider: ProviderSite) -> None:
    by_provider.provider.is_broken = True
    browser = by_provider.site.open_browser()
    answer = await browser.client.get("/sign-in/oidc")
    assert (answer.status_code, "did not answer correctly" in answer.text) == (502, True)
    refused = await browser.client.get(f"{CALLBACK}?error=access_denied&state=x")
    assert refused.status_code == 400
    await by_provider.site.add_user("bob")
    assert (await browser.sign_in("bob")).status_code == 303


async def test_without_a_provider_there_is_no_such_way_in(site: AccessSite) -> None:
    client = site.open_browser().client
    assert [(await client.get(path)).status_code for path in ("/sign-in/oidc", CALLBACK)] == [404, 404]


def test_an_issuer_without_encryption_or_a_client_is_refused() -> None:
    with pytest.raises(ConfigError, match="https"):
        build_oidc_http(AccessSettings(oidc_issuer="http://sso.example", oidc_client_id="x"), ())
    with pytest.raises(ConfigError, match="CLIENT_ID"):
        build_oidc_http(AccessSettings(oidc_issuer="https://sso.example"), ())
