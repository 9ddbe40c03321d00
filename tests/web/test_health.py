"""How the process and its dependencies are."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import httpx

from found_footy.platform.errors import Unavailable
from found_footy.web.deps import Dependency, Probes, WebDeps
from found_footy.web.settings import WebSettings
from tests.web.conftest import visiting


def probing(deps: WebDeps, probes: Probes) -> httpx.AsyncClient:
    settings = WebSettings(probe_timeout=timedelta(milliseconds=200))
    return visiting(replace(deps, probes=probes, settings=settings))


async def store_broken() -> Sequence[Dependency]:
    return [
        Dependency("MongoDB", ok=True),
        Dependency("object store", ok=False, detail="refuses our keys", remedy="set S3_ACCESS_KEY"),
    ]


async def test_the_process_is_alive_whatever_it_depends_on(deps: WebDeps) -> None:
    async with probing(deps, store_broken) as client:
        answer = await client.get("/healthz")
    assert answer.json() == {"status": "ok", "version": "1.2.3", "commit": "0123456789ab"}


async def test_ready_when_everything_needed_works(client: httpx.AsyncClient) -> None:
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
    for shown in ("object store", "refuses our keys", "set S3_ACCESS_KEY", "broken"):
        assert shown in seen.text


async def test_a_probe_that_hangs_or_fails_is_a_broken_dependency(deps: WebDeps) -> None:
    async def hangs() -> Sequence[Dependency]:
        await asyncio.Event().wait()
        return []

    async def fails() -> Sequence[Dependency]:
        raise Unavailable("MongoDB", "no primary")

    for probes in (hangs, fails):
        async with probing(deps, probes) as client:
            answer = await client.get("/readyz")
        assert (answer.status_code, answer.json()["broken"]) == (503, ["dependencies"])


async def test_many_who_ask_at_once_cost_one_round_of_probes(deps: WebDeps) -> None:
    rounds = []

    async def counted() -> Sequence[Dependency]:
        rounds.append(1)
        await asyncio.sleep(0)
        return []

    async with probing(deps, counted) as client:
        await asyncio.gather(*(client.get("/readyz") for _ in range(20)))
    assert len(rounds) == 1


async def test_figures_are_there_by_route_not_by_path(client: httpx.AsyncClient) -> None:
    await client.get("/api/v1/matches/123456")
    await client.get("/made/up/by/a/stranger")
    figures = (await client.get("/metrics")).text
    assert 'found_footy_web_requests_total{method="GET",route="/api/v1/matches/{fixture_id}",status="404"}' in figures
    assert "stranger" not in figures
    assert "123456" not in figures


async def monitor_stopped() -> Sequence[Dependency]:
    return [
        Dependency("MongoDB", ok=True),
        Dependency("monitor", ok=False, detail="last poll 7 h ago", remedy="start it", required=False, vital=True),
    ]


async def test_a_monitor_that_stands_still_is_red_and_takes_no_page_away(deps: WebDeps) -> None:
    async with probing(deps, monitor_stopped) as client:
        alive, ready, seen = [await client.get(path) for path in ("/healthz", "/readyz", "/health")]
    assert (alive.status_code, ready.status_code, seen.status_code) == (200, 200, 200)
    assert "monitor" in ready.json()["degraded"]
    assert "No new clips: monitor" in seen.text
    assert 'data-state="broken"' in seen.text
    assert "last poll 7 h ago" in seen.text
