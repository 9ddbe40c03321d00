"""`up`, stopped and started again: nothing is lost and nothing is there twice."""

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from found_footy.embedded.endpoints import find_running_endpoints
from found_footy.platform.errors import NotFound
from found_footy.platform.free_port import find_free_port
from found_footy.platform.temporal import client as temporal
from found_footy_sim.demo.world import DemoWorld
from found_footy_sim.loopback_server import serve_simulator
from found_footy_sim.scenario_library import load_scenario
from found_footy_sim.simulator import Simulator
from tests.support.command_line import clean_environment, run, started, wait_for
from tests.support.patience import PATIENCE_SECONDS


@pytest.fixture
def world(tmp_path: Path) -> Iterator[DemoWorld]:
    """A simulated outside that lives on while the product is restarted."""
    simulator = Simulator(
        load_scenario("normal-goal"), clock="timed", speed=120, media_dir=tmp_path / "media", wait=True
    )
    simulator.clip_library.render_ahead()
    with serve_simulator(simulator) as url:
        yield DemoWorld("normal-goal", 120, tmp_path / "data", int(url.rpartition(":")[2]), find_free_port())


def get(url: str) -> Any:
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE_SECONDS) as answer:  # noqa: S310  our own page
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        refusal.close()
        return None
    except OSError:
        return None


def clips(page: str) -> list[str]:
    """Addresses of all clips on the page."""
    answer = get(f"{page}/api/v1/matches") or {}
    return sorted(
        clip["url"] for match in answer.get("matches", []) for goal in match["goals"] for clip in goal["clips"]
    )


async def schedule_ids(data: Path) -> list[str]:
    async with temporal.connect(find_running_endpoints(data).temporal_address, "default") as client:
        return sorted([schedule.id async for schedule in await client.list_schedules()])


def test_a_restart_keeps_fixtures_clips_and_schedules(world: DemoWorld, tmp_path: Path) -> None:
    # Who looks at clips does not matter here, and looking takes longest.
    env = {**world.build_environment(clean_environment()), "FOOTY_VISION__READER": "accept-all"}
    page = f"http://127.0.0.1:{world.page_port}"
    first, second = tmp_path / "first.log", tmp_path / "second.log"
    with started("up", env=env, log=first) as up:
        wait_for("the page", lambda: get(f"{page}/healthz"), first)
        assert run("ingest", env=env).returncode == 0
        before = wait_for("a clip", lambda: clips(page), first)
        refused = run("up", env=env)
        assert refused.returncode != 0
        assert str(up.pid) in refused.stderr
    with pytest.raises(NotFound):
        find_running_endpoints(world.data_dir)
    with started("up", env=env, log=second):
        wait_for("the page", lambda: get(f"{page}/healthz"), second)
        assert set(before) <= set(clips(page))
        with urllib.request.urlopen(page + before[0], timeout=PATIENCE_SECONDS) as played:  # noqa: S310
            assert played.headers["content-type"] == "video/mp4"
        wanted = ["ingest-daily", "monitor-every-30s", "reconcile-uploads", "retry-open-links", "sweep-nightly"]
        assert asyncio.run(schedule_ids(world.data_dir)) == wanted
        assert run("status", env=env).returncode == 0
        # The first poll since the start may still be under way.
        local = {**env, "FOOTY_VISION__READER": "local"}
        wait_for("everything to work", lambda: run("doctor", env=local).returncode == 0, second)
