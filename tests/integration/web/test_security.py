"""What protects visitors and the process."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import cast

import httpx
import pytest

from found_footy.platform.mongo import Database
from found_footy.web.deps import WebDeps
from tests.support.web.page import PageData, failing_database, open_client

PATHS = ["/", "/healthz", "/health", "/api/v1/matches", "/api/openapi.json", "/static/page.css", "/nowhere", "/metrics"]

# All of it: a rule that is left out is a rule that nobody keeps.
POLICY = {
    "default-src 'self'",
    "media-src 'self'",
    "img-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
}
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
}


@pytest.mark.parametrize("path", PATHS)
async def test_every_answer_carries_the_security_headers(client: httpx.AsyncClient, path: str) -> None:
    headers = (await client.get(path, headers={"origin": "https://evil.example"})).headers
    assert set(headers["content-security-policy"].split("; ")) == POLICY
    assert {name: headers[name] for name in HEADERS} == HEADERS
    assert not [name for name in headers if name.startswith("access-control-")]
    assert "server" not in headers


async def test_a_proxy_that_is_not_configured_is_logged_once(deps: WebDeps, caplog: pytest.LogCaptureFixture) -> None:
    async with open_client(deps) as client:
        for _ in range(3):
            await client.get("/healthz", headers={"x-forwarded-for": "203.0.113.9"})
    named = replace(deps, settings=deps.settings.model_copy(update={"trusted_proxies": ("127.0.0.1/32",)}))
    async with open_client(named) as client:
        await client.get("/healthz", headers={"x-forwarded-for": "203.0.113.9"})
    reported = [record.getMessage() for record in caplog.records if vars(record).get("action") == "proxy_not_named"]
    assert len(reported) == 1
    assert "FOOTY_WEB__TRUSTED_PROXIES=127.0.0.1" in reported[0]


async def test_media_carries_them_too(client: httpx.AsyncClient, page_data: PageData) -> None:
    match = await page_data.store_playable()
    answer = await client.get(f"/media/{match['events'][0]['_s3_videos'][0]['_s3_key']}")
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_a_request_with_a_body_is_refused(client: httpx.AsyncClient) -> None:
    for path in ("/", "/api/v1/matches"):
        answer = await client.request("POST", path, content=b"x" * 100)
        assert answer.status_code == 413
        assert answer.headers["content-type"] == "application/problem+json"


async def test_a_body_of_unknown_length_is_refused(client: httpx.AsyncClient) -> None:
    async def drip() -> AsyncIterator[bytes]:
        yield b"x"

    assert (await client.request("POST", "/", content=drip())).status_code == 413


async def test_an_endless_address_is_refused(client: httpx.AsyncClient) -> None:
    assert (await client.get("/" + "x" * 2000)).status_code == 414
    assert (await client.get("/", params={"q": "x" * 3000})).status_code == 414


async def test_a_bug_is_not_shown_to_visitors(deps: WebDeps) -> None:
    broken = cast(Database, failing_database(RuntimeError("secret detail")))
    async with open_client(replace(deps, database=broken), bugs_surface=False) as client:
        answer = await client.get("/", headers={"accept": "text/html"})
        reported = await client.get("/api/v1/matches")
    assert (answer.status_code, reported.status_code) == (500, 500)
    assert "secret" not in answer.text + reported.text
    assert "content-security-policy" in answer.headers
