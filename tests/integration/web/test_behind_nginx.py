"""The page behind a real nginx, configured as the documentation says, and as people do who did not read it."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from found_footy.discovery.sources.manual import ManualClipResult
from found_footy.platform.free_port import find_free_port
from found_footy.web.app import create_app
from found_footy.web.deps import WebDeps
from found_footy.web.server import serve_app
from tests.integration.web.test_live import next_event
from tests.support.certificates import OPENSSL
from tests.support.patience import PATIENCE_SECONDS
from tests.support.web import matchday
from tests.support.web.nginx import MISSING, NGINX, as_documented, running
from tests.support.web.page import PageData
from tests.support.web.page_videos import video

TOKEN = "known-to-whoever-runs-it"
BEARER = {"authorization": f"Bearer {TOKEN}"}
VISITOR = "127.0.0.2"
CLIPS = "/api/v1/goals/5000_40_234_Goal_1/clips"
CLIP = {"url": "https://x.com/fan/status/2089000000000000001"}

pytestmark = pytest.mark.skipif(NGINX is None or OPENSSL is None, reason=MISSING)


@dataclass
class RecordedAdditions:
    added_by: list[str] = field(default_factory=list)

    async def add(self, _event: str, _url: str, _now: datetime, by: str) -> ManualClipResult:
        self.added_by.append(by)
        return ManualClipResult("download-1", ())


@asynccontextmanager
async def proxied(deps: WebDeps, folder: Path, additions: RecordedAdditions) -> AsyncIterator[httpx.AsyncClient]:
    """A visitor of the page, from an address that is not the proxy's."""
    update = {"admin_token": SecretStr(TOKEN), "trusted_proxies": ("127.0.0.1/32",)}
    settings = deps.settings.model_copy(update=update)
    page = create_app(replace(deps, settings=settings, add_clip=additions.add))
    async with (
        serve_app(page, settings) as address,
        as_documented(folder, address) as (_, port, trust),
        Visitor(port, trust) as client,
    ):
        yield client


class Visitor(httpx.AsyncClient):
    """Asks 127.0.0.1 as if it were footy.example, from an address of its own, and says that it comes from another."""

    def __init__(self, port: int, trust: ssl.SSLContext) -> None:
        super().__init__(
            transport=httpx.AsyncHTTPTransport(verify=trust, local_address=VISITOR),
            base_url=f"https://127.0.0.1:{port}",
            headers={"host": "footy.example", "x-forwarded-for": "203.0.113.7"},
            timeout=PATIENCE_SECONDS,
            event_hooks={"request": [self._named]},
        )

    @staticmethod
    async def _named(request: httpx.Request) -> None:
        request.extensions["sni_hostname"] = "footy.example"


async def test_page_clips_and_live_stream_come_through(deps: WebDeps, page_data: PageData, tmp_path: Path) -> None:
    match = await page_data.store_playable()
    key = match["events"][0]["_s3_videos"][0]["_s3_key"]
    async with proxied(deps, tmp_path, RecordedAdditions()) as client:
        page = await client.get("/")
        assert (page.status_code, "Liverpool" in page.text) == (200, True)
        assert page.headers["strict-transport-security"] == "max-age=31536000"
        assert page.headers["content-security-policy"].startswith("default-src 'self'")
        again = await client.get("/", headers={"if-none-match": page.headers["etag"]})
        assert again.status_code in (200, 304)

        part = await client.get(f"/media/{key}", headers={"range": "bytes=100-199"})
        assert (part.status_code, part.content) == (206, video()[100:200])
        assert part.headers["content-range"] == f"bytes 100-199/{len(video())}"
        assert "must-revalidate" in part.headers["cache-control"]
        same = await client.get(f"/media/{key}", headers={"if-none-match": part.headers["etag"]})
        assert same.status_code == 304

        async with client.stream("GET", "/events", params={"since": "another-life-1"}) as events:
            assert events.status_code == 200
            lines = events.aiter_lines()
            # What is told while the answer goes on arrives while it goes on.
            while (await next_event(lines)).kind != "reload":
                pass
            await page_data.store_fixture(matchday.fixture(5001))
            while (await next_event(lines)).data != {"id": 5001}:
                pass


async def test_a_clip_is_added_with_the_token_alone_and_the_visitor_is_known(
    deps: WebDeps, page_data: PageData, tmp_path: Path
) -> None:
    await page_data.store_playable()
    additions = RecordedAdditions()
    async with proxied(deps, tmp_path, additions) as client:
        assert (await client.post(CLIPS, json=CLIP)).status_code == 401
        assert (await client.post(CLIPS, json={"url": "x" * 10_000}, headers=BEARER)).status_code == 413
        assert additions.added_by == []
        taken = await client.post(CLIPS, json=CLIP, headers=BEARER | {"origin": "https://footy.example"})
        assert taken.status_code == 202
        # Not the proxy's address, and not the one that the visitor made up.
        assert additions.added_by == [f"token, from {VISITOR}"]
        for private in ("/metrics", "/readyz", "/healthz"):
            assert (await client.get(private, headers=BEARER)).status_code == 403
        health = await client.get("/health")
        assert (health.status_code, "MongoDB" in health.text) == (200, False)
        assert "MongoDB" in (await client.get("/health", headers=BEARER)).text


async def test_without_encryption_visitors_are_sent_to_the_encrypted_page(deps: WebDeps, tmp_path: Path) -> None:
    async with (
        serve_app(create_app(deps), deps.settings) as address,
        as_documented(tmp_path, address) as (port, _, _),
        httpx.AsyncClient(timeout=PATIENCE_SECONDS) as client,
    ):
        answer = await client.get(f"http://127.0.0.1:{port}/health?x=1", headers={"host": "footy.example"})
    assert (answer.status_code, answer.headers["location"]) == (301, "https://footy.example/health?x=1")


async def test_a_proxy_that_does_nothing_but_pass_on_opens_nothing(
    deps: WebDeps, page_data: PageData, tmp_path: Path
) -> None:
    """It tells neither who asks nor that it is there: every visitor looks like this machine's own user."""
    await page_data.store_playable()
    additions, port = RecordedAdditions(), find_free_port()
    async with serve_app(create_app(replace(deps, add_clip=additions.add)), deps.settings) as address:
        block = f"server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass {address}; }} }}"
        async with running(tmp_path, block, port), httpx.AsyncClient(timeout=PATIENCE_SECONDS) as client:
            for host in ("footy.example", "localhost", "127.0.0.1"):
                for headers in ({}, BEARER):
                    answer = await client.post(
                        f"http://127.0.0.1:{port}{CLIPS}", json=CLIP, headers={"host": host} | headers
                    )
                    assert answer.status_code == 401
            assert (await client.get(f"http://127.0.0.1:{port}/metrics")).status_code == 401
    assert additions.added_by == []
