"""How answers of the simulated football API go wrong."""

import json

import httpx
import pytest

from found_footy_sim import SIMULATED_API_KEY, Simulator, parse_scenario, serve_simulator_async
from tests.support.sim.simulator_client import MakeWorld

ONE = 'fixture 5000\nhome "Liverpool"(40)\naway "Arsenal"(42)\nat 1 goal home "X"(1) as g1\n'


async def answer(world: MakeWorld, fault: str) -> httpx.Response:
    sim = world(ONE + f"poll 1 {fault}", clock="polled")
    return await sim.get("/fixtures?ids=5000")


@pytest.mark.parametrize(
    ("fault", "status"),
    [("http 500", 500), ("http 499", 499), ("http 429", 429), ("http 502 html", 502), ("http 504 html", 504)],
)
async def test_bad_statuses(world: MakeWorld, fault: str, status: int) -> None:
    told = await answer(world, fault)
    assert told.status_code == status
    assert told.headers["content-type"].startswith("text/html" if "html" in fault else "application/json")


async def test_too_many_requests_is_an_envelope_that_says_when_to_come_back(world: MakeWorld) -> None:
    told = await answer(world, "http 429 retry after 7s")
    assert told.headers["retry-after"] == "7"
    assert list(told.json()["errors"]) == ["rateLimit"]


@pytest.mark.parametrize("cause", ["rateLimit", "requests", "access", "token", "plan", "bug"])
async def test_errors_come_with_status_200_and_look_like_no_fixtures(world: MakeWorld, cause: str) -> None:
    told = await answer(world, f"errors {cause}")
    assert told.status_code == 200
    assert list(told.json()["errors"]) == [cause]
    assert (told.json()["results"], told.json()["response"]) == (0, [])


@pytest.mark.parametrize(
    ("fault", "errors"),
    [('errors bug "ours"', {"bug": "ours"}), ('errors-list "no"', ["no"]), ('errors-string "no"', "no")],
)
async def test_errors_come_in_several_shapes(world: MakeWorld, fault: str, errors: object) -> None:
    assert (await answer(world, fault)).json()["errors"] == errors


@pytest.mark.parametrize("fault", ["half-json", "html", "empty-body"])
async def test_bodies_that_are_no_json(world: MakeWorld, fault: str) -> None:
    told = await answer(world, fault)
    assert told.status_code == 200
    with pytest.raises(json.JSONDecodeError):
        told.json()


async def test_wrong_types_in_valid_json(world: MakeWorld) -> None:
    (item,) = (await answer(world, "wrong-types")).json()["response"]
    assert item["fixture"]["id"] == "?"
    assert isinstance(item["events"], dict)


async def test_a_fault_takes_one_poll_and_the_next_is_good(world: MakeWorld) -> None:
    sim = world(ONE + "poll 2-3 http 500", clock="polled")
    assert [(await sim.get("/fixtures?ids=5000")).status_code for _ in range(4)] == [200, 500, 500, 200]


async def test_a_listing_has_faults_of_its_own(world: MakeWorld) -> None:
    sim = world(ONE + "listing 1 http 500", clock="polled")
    assert (await sim.get("/fixtures?ids=5000")).status_code == 200
    assert [(await sim.get("/fixtures?date=2026-11-15")).status_code for _ in range(2)] == [500, 200]


async def test_a_held_answer_outlasts_an_impatient_client() -> None:
    async with serve_simulator_async(Simulator(parse_scenario("test", ONE + "poll 1 hold 30s"))) as url:
        with pytest.raises(httpx.ReadTimeout):
            await _get(url, patience=0.3)
        assert (await _get(url)).json()["results"] == 1


async def test_a_connection_is_cut_in_the_middle_of_an_answer() -> None:
    async with serve_simulator_async(Simulator(parse_scenario("test", ONE + "poll 1 disconnect"))) as url:
        with pytest.raises(httpx.RemoteProtocolError):
            await _get(url)
        assert (await _get(url)).json()["results"] == 1


async def _get(url: str, patience: float = 10.0) -> httpx.Response:
    async with httpx.AsyncClient(base_url=url, timeout=patience) as client:
        return await client.get("/fixtures?ids=5000", headers={"x-apisports-key": SIMULATED_API_KEY})
