"""The controls of the simulation, and the process around it."""

import json
import subprocess
import sys
from pathlib import Path
from threading import Timer

import httpx
import pytest

from found_footy_sim import SIMULATED_API_KEY, Simulator, load_scenario, serve_simulator, serve_simulator_async
from tests.support.patience import PATIENCE_SECONDS
from tests.support.sim.simulator_client import MakeSimulator


async def test_the_clock_is_moved_by_command_and_the_state_shows_it(simulator: MakeSimulator) -> None:
    sim = simulator("normal-goal")
    answer = await sim.client.post("/sim/advance", json={"minutes": 24, "polls": 1})
    (fixture,) = answer.json()["fixtures"]
    assert (fixture["status"], fixture["polls"], fixture["over"]) == ("1H", 2, False)
    assert (await sim.json("/sim/state"))["fixtures"] == [fixture]


async def test_the_state_has_the_truth_and_what_each_post_shows(simulator: MakeSimulator) -> None:
    sim = simulator("copies")
    sim.sim.advance(minutes=30)
    state = await sim.json("/sim/state")
    assert state["simulated"] is True
    assert state["fixtures"][0]["truth"]["goals"] == [{"side": "home", "player": 234, "minute": 23, "extra": None}]
    assert {post["content"] for post in state["posts"]} == {"original", "angle", "behind"}
    assert {post["goal"] for post in state["posts"]} == {"g1"}


@pytest.mark.parametrize("body", [b"{", b'{"minutes": -1}', b'{"polls": "x"}'])
async def test_a_bad_command_is_refused(simulator: MakeSimulator, body: bytes) -> None:
    assert (await simulator("normal-goal").client.post("/sim/advance", content=body)).status_code == 422


async def test_the_page_says_that_nothing_is_real(simulator: MakeSimulator) -> None:
    page = (await simulator("normal-goal").get("/")).text
    assert "SIMULATED" in page
    assert "Liverpool" in page


async def test_served_on_a_port_of_its_own_until_the_context_ends() -> None:
    async with serve_simulator_async(Simulator(load_scenario("normal-goal"))) as url, httpx.AsyncClient() as client:
        assert (await client.get(f"{url}/x/health")).json()["simulated"] is True
    async with httpx.AsyncClient() as client:
        with pytest.raises(httpx.ConnectError):
            await client.get(f"{url}/x/health")


def test_two_simulators_share_no_state() -> None:
    headers = {"x-apisports-key": SIMULATED_API_KEY}
    with (
        serve_simulator(Simulator(load_scenario("normal-goal"))) as one,
        serve_simulator(Simulator(load_scenario("penalty"))) as two,
    ):
        assert httpx.get(f"{one}/fixtures?id=1390101", headers=headers).json()["results"] == 1
        assert httpx.get(f"{two}/fixtures?id=1390101", headers=headers).json()["results"] == 0


def test_the_command_names_its_scenarios() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "found_footy_sim", "--list"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0
    assert "demo" in done.stdout


def test_the_command_refuses_a_scenario_that_does_not_exist() -> None:
    command = [sys.executable, "-m", "found_footy_sim", "--scenario", "nothing"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    assert done.returncode == 2
    assert "there is no scenario nothing" in done.stderr


def test_the_command_serves_a_whole_world_and_says_where(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "found_footy_sim", "--world", "small", "--seed", "3", "--port", "0", "--wait"]
    command += ["--render-workers", "0", "--media-dir", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        watchdog = Timer(60, process.kill)
        watchdog.start()
        try:
            at = json.loads(process.stdout.readline())
            state = httpx.get(at["state"]).json()
            assert (state["world"], state["begun"], state["over"]) == ({"seed": 3, "size": "small"}, False, False)
            assert httpx.get(at["truth"]).json()["posts"] == []
            assert httpx.get(f"{at['x_site']}/i/flow/login").status_code == 200
        finally:
            process.terminate()
            watchdog.cancel()
        assert process.wait(PATIENCE_SECONDS) == 0
