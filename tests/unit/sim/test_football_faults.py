"""How answers of the simulated football API go wrong."""

import json

import httpx
import pytest

from found_footy_sim import SIMULATED_API_KEY, Simulator, parse_scenario, serve_simulator_async
from tests.support.sim.simulator_client import MakeSimulator

ONE = 'fixture 5000\nhome "Liverpool"(40)\naway "Arsenal"(42)\nat 1 goal home "X"(1) as g1\n'


async def answer(simulator: MakeSimulator, fault: str) -> httpx.Response:
    sim = simulator(ONE + f"poll 1 {fault}", clock="polled")
    return await sim.get("/fixtures?ids=5000")


@pytest.mark.parametrize(
    ("fault", "status"),
    [("http 500", 500), ("http 499", 499), ("http 429", 429), ("http 502 html", 502), ("http 504 html", 504)],
)
async def test_bad_statuses(simulator: MakeSimulator, fault: str, status: int) -> None:
    reported = await answer(simulator, fault)
    assert reported.status_code == status
    assert reported.headers["content-type"].startswith("text/html" if "html" in fault else "application/json")


async def test_too_many_requests_is_an_envelope_that_says_when_to_retry(simulator: MakeSimulator) -> None:
    reported = await answer(simulator, "http 429 retry after 7s")
    assert reported.headers["retry-after"] == "7"
    assert list(reported.json()["errors"]) == ["rateLimit"]


@pytest.mark.parametrize("cause", ["rateLimit", "requests", "access", "token", "plan", "bug"])
async def test_errors_come_with_status_200_and_look_like_no_fixtures(simulator: MakeSimulator, cause: str) -> None:
    reported = await answer(simulator, f"errors {cause}")
    assert reported.status_code == 200
    assert list(reported.json()["errors"]) == [cause]
    assert (reported.json()["results"], reported.json()["response"]) == (0, [])


@pytest.mark.parametrize(
    ("fault", "errors"),
    [('errors bug "ours"', {"bug": "ours"}), ('errors-list "no"', ["no"]), ('errors-string "no"', "no")],
)
async def test_errors_come_in_several_shapes(simulator: MakeSimulator, fault: str, errors: object) -> None:
    assert (await answer(simulator, fault)).json()["errors"] == errors


@pytest.mark.parametrize("fault", ["half-json", "html", "empty-body"])
async def test_bodies_that_are_no_json(simulator: MakeSimulator, fault: str) -> None:
    reported = await answer(simulator, fault)
    assert reported.status_code == 200
    with pytest.raises(json.JSONDecodeError):
        reported.json()


async def test_wrong_types_in_valid_json(simulator: MakeSimulator) -> None:
    (item,) = (await answer(simulator, "wrong-types")).json()["response"]
    assert item["fixture"]["id"] == "?"
    assert isinstance(item["events"], dict)


async def test_a_fault_takes_one_poll_and_the_next_is_good(simulator: MakeSimulator) -> None:
    sim = simulator(ONE + "poll 2-3 http 500", clock="polled")
    assert [(await sim.get("/fixtures?ids=5000")).status_code for _ in range(4)] == [200, 500, 500, 200]


async def test_a_listing_has_faults_of_its_own(simulator: MakeSimulator) -> None:
    sim = simulator(ONE + "listing 1 http 500", clock="polled")
    assert (await sim.get("/fixtures?ids=5000")).status_code == 200
    assert [(await sim.get("/fixtures?date=2026-11-15")).status_code for _ in range(2)] == [500, 200]


async def test_a_held_answer_takes_longer_than_the_timeout_of_a_client() -> None:
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
