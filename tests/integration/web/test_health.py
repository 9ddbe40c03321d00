"""How the process and its dependencies are."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest
from pydantic import SecretStr

from found_footy.platform.errors import Unavailable
from found_footy.web.deps import DependencyProbes, DependencyStatus, WebDeps
from found_footy.web.settings import WebSettings
from tests.support.web.page import open_client

TOKEN = "known-to-whoever-runs-it"


def guarded(deps: WebDeps) -> WebDeps:
    settings = WebSettings(probe_timeout=timedelta(milliseconds=200), admin_token=SecretStr(TOKEN))
    return replace(deps, settings=settings)


def probing(deps: WebDeps, probes: DependencyProbes) -> httpx.AsyncClient:
    """Whoever runs it asks."""
    client = open_client(replace(guarded(deps), probes=probes))
    client.headers["authorization"] = f"Bearer {TOKEN}"
    return client


async def store_broken() -> Sequence[DependencyStatus]:
    return [
        DependencyStatus("MongoDB", ok=True),
        DependencyStatus("object store", ok=False, detail="rejects the access keys", remedy="set S3_ACCESS_KEY"),
    ]


async def test_the_process_is_alive_whatever_it_depends_on(deps: WebDeps) -> None:
    async with probing(deps, store_broken) as client:
        answer = await client.get("/healthz")
    assert answer.json() == {"status": "ok", "version": "1.2.3", "commit": "0123456789ab"}


async def test_ready_when_everything_needed_works(deps: WebDeps) -> None:
    async with probing(deps, deps.probes) as client:
        answer = await client.get("/readyz")
    assert answer.status_code == 200
    # Without a server nothing follows the database: that degrades the page, and does not break it.
    assert (answer.json()["broken"], answer.json()["degraded"]) == ([], ["live updates"])


async def test_not_ready_names_what_is_broken(deps: WebDeps) -> None:
    async with probing(deps, store_broken) as client:
        answer = await client.get("/readyz")
        seen = await client.get("/health")
    assert (answer.status_code, answer.json()["broken"]) == (503, ["object store"])
    assert seen.status_code == 503
    for shown in ("object store", "rejects the access keys", "set S3_ACCESS_KEY", "broken"):
        assert shown in seen.text


async def test_a_probe_that_hangs_or_fails_is_a_broken_dependency(deps: WebDeps) -> None:
    async def hangs() -> Sequence[DependencyStatus]:
        await asyncio.Event().wait()
        return []

    async def fails() -> Sequence[DependencyStatus]:
        raise Unavailable("MongoDB", "no primary")

    for probes in (hangs, fails):
        async with probing(deps, probes) as client:
            answer = await client.get("/readyz")
        assert (answer.status_code, answer.json()["broken"]) == (503, ["dependencies"])


async def test_many_requests_at_once_run_the_probes_once(deps: WebDeps) -> None:
    rounds = []

    async def counted() -> Sequence[DependencyStatus]:
        rounds.append(1)
        await asyncio.sleep(0)
        return []

    async with probing(deps, counted) as client:
        await asyncio.gather(*(client.get("/readyz") for _ in range(20)))
    assert len(rounds) == 1


async def test_metrics_are_labelled_by_route_not_by_path(deps: WebDeps) -> None:
    async with probing(deps, deps.probes) as client:
        await client.get("/api/v1/matches/123456")
        await client.get("/made/up/by/a/stranger")
        figures = (await client.get("/metrics")).text
    assert 'found_footy_web_requests_total{method="GET",route="/api/v1/matches/{fixture_id}",status="404"}' in figures
    assert "stranger" not in figures
    assert "123456" not in figures


async def monitor_stopped() -> Sequence[DependencyStatus]:
    return [
        DependencyStatus("MongoDB", ok=True),
        DependencyStatus(
            "monitor", ok=False, detail="last poll 7 h ago", remedy="start it", required=False, vital=True
        ),
    ]


async def test_a_stopped_monitor_is_red_and_pages_are_still_served(deps: WebDeps) -> None:
    async with probing(deps, monitor_stopped) as client:
        alive, ready, seen = [await client.get(path) for path in ("/healthz", "/readyz", "/health")]
    assert (alive.status_code, ready.status_code, seen.status_code) == (200, 200, 200)
    assert "monitor" in ready.json()["degraded"]
    assert "No new clips: monitor" in seen.text
    assert 'data-state="broken"' in seen.text
    assert "last poll 7 h ago" in seen.text


SECRETS = ("object store", "10.1.2.3", "17730", "suspended", "quota", "S3_ACCESS_KEY", "MongoDB", "live updates")


async def telling() -> Sequence[DependencyStatus]:
    return [
        DependencyStatus("MongoDB", ok=True, detail="mongodb://10.1.2.3:17730/?replicaSet=rs0"),
        DependencyStatus("search", ok=False, detail="X: suspended; quota 0", required=False, vital=True),
        DependencyStatus(
            "object store", ok=False, detail="http://10.1.2.3:19176 refuses us", remedy="set S3_ACCESS_KEY"
        ),
    ]


@pytest.mark.parametrize("sent", ["", "Bearer wrong-wrong-wrong-wrong", "Bearer ", f"Basic {TOKEN}"])
@pytest.mark.parametrize("has_token", [True, False], ids=["token set", "no token set"])
async def test_unauthorized_callers_get_the_overall_state_and_no_details(
    deps: WebDeps, sent: str, has_token: bool
) -> None:
    asked = guarded(deps) if has_token else deps
    async with open_client(replace(asked, probes=telling)) as client:
        client.headers.update({"authorization": sent} if sent else {})
        ready, seen, figures = [await client.get(path) for path in ("/readyz", "/health", "/metrics")]
        alive = await client.get("/healthz")
    assert (ready.status_code, ready.json()) == (503, {"status": "not ready"})
    assert (seen.status_code, "cannot be shown right now" in seen.text) == (503, True)
    assert figures.status_code == 401
    assert alive.status_code == 200
    reported = ready.text + seen.text + figures.text + alive.text
    assert [word for word in SECRETS if word in reported] == []


async def test_without_a_token_set_not_even_its_name_opens_the_details(deps: WebDeps) -> None:
    async with open_client(replace(deps, probes=telling)) as client:
        for sent in ("Bearer None", "Bearer", "Bearer null"):
            assert (await client.get("/readyz", headers={"authorization": sent})).json().keys() == {"status"}


async def test_the_page_says_that_no_new_clips_come(deps: WebDeps) -> None:
    async with open_client(replace(deps, probes=monitor_stopped)) as client:
        ready, seen = [await client.get(path) for path in ("/readyz", "/health")]
    assert (ready.status_code, ready.json()) == (200, {"status": "ready"})
    assert (seen.status_code, "No new goals or clips right now" in seen.text) == (200, True)
    assert "monitor" not in seen.text
