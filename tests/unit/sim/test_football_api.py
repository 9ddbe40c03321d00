"""The simulated football API against the provider's contract."""

from typing import Any

import pytest

from found_footy_sim import SIMULATED_API_KEY
from tests.support.sim.simulator_client import MakeSimulator

ONE = """
fixture 5000
home "Liverpool"(40)
away "Arsenal"(42)
kickoff 30
at 23 goal home "D. Szoboszlai"(234) assist "M. Salah"(306) as g1
at 45+2 own-goal away "V. van Dijk"(290)
"""
TWO = ONE + 'fixture 5001 in "La Liga"(140) of Spain\nhome "Girona"(547)\naway "Sevilla"(536)\nkickoff 600\n'
NO_KEY = {"x-apisports-key": ""}


async def test_the_envelope_of_an_answer(simulator: MakeSimulator) -> None:
    body = await simulator(ONE).json("/fixtures", params={"ids": "5000", "timezone": "UTC"})
    assert list(body) == ["get", "parameters", "errors", "results", "paging", "response"]
    assert body["get"] == "fixtures"
    assert body["parameters"] == {"ids": "5000", "timezone": "UTC"}
    assert (body["errors"], body["results"], body["paging"]) == ([], 1, {"current": 1, "total": 1})


async def test_a_fixture_before_kick_off_has_no_score_and_no_clock(simulator: MakeSimulator) -> None:
    (item,) = (await simulator(ONE).json("/fixtures?id=5000"))["response"]
    assert item["fixture"]["status"] == {"long": "Not Started", "short": "NS", "elapsed": None, "extra": None}
    assert item["fixture"]["periods"] == {"first": None, "second": None}
    assert item["goals"] == {"home": None, "away": None}
    assert item["teams"]["home"]["winner"] is None
    assert item["fixture"]["date"] == "2026-11-15T15:30:00+00:00"
    assert item["fixture"]["timestamp"] == 1794756600


async def test_a_fixture_in_play_has_its_events_and_who_is_ahead(simulator: MakeSimulator) -> None:
    sim = simulator(ONE)
    sim.sim.advance(minutes=30 + 24)
    (item,) = (await sim.json("/fixtures?id=5000"))["response"]
    assert item["fixture"]["status"] == {"long": "First Half", "short": "1H", "elapsed": 24, "extra": None}
    assert item["goals"] == {"home": 1, "away": 0}
    assert item["score"]["halftime"] == {"home": 1, "away": 0}
    assert item["score"]["fulltime"] == {"home": None, "away": None}
    assert (item["teams"]["home"]["winner"], item["teams"]["away"]["winner"]) == (True, False)
    (row,) = item["events"]
    assert row == {
        "time": {"elapsed": 23, "extra": None},
        "team": {"id": 40, "name": "Liverpool", "logo": "https://media.api-sports.io/football/teams/40.png"},
        "player": {"id": 234, "name": "D. Szoboszlai"},
        "assist": {"id": 306, "name": "M. Salah"},
        "type": "Goal",
        "detail": "Normal Goal",
        "comments": None,
    }


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("id=5000", {"events", "lineups", "statistics", "players"}),
        ("ids=5000", {"events", "lineups", "statistics", "players"}),
        ("live=all", {"events"}),
        ("date=2026-11-15", set()),
        ("league=39&season=2026", set()),
        ("team=40&season=2026", set()),
    ],
)
async def test_events_are_there_for_id_ids_and_live_alone_and_else_absent(
    simulator: MakeSimulator, query: str, keys: set[str]
) -> None:
    sim = simulator(ONE)
    sim.sim.advance(minutes=30 + 24)
    (item,) = (await sim.json(f"/fixtures?{query}"))["response"]
    assert item.keys() & {"events", "lineups", "statistics", "players"} == keys


async def test_live_has_only_matches_in_play_of_the_leagues_that_are_asked_for(simulator: MakeSimulator) -> None:
    sim = simulator(TWO)
    assert (await sim.json("/fixtures?live=all"))["response"] == []
    sim.sim.advance(minutes=40)
    assert [item["fixture"]["id"] for item in (await sim.json("/fixtures?live=all"))["response"]] == [5000]
    assert (await sim.json("/fixtures?live=140-141"))["results"] == 0
    assert (await sim.json("/fixtures?live=39-140"))["results"] == 1


async def test_unknown_ids_are_left_out_and_the_order_is_free(simulator: MakeSimulator) -> None:
    body = await simulator(TWO).json("/fixtures?ids=5000-9999-5001")
    assert {item["fixture"]["id"] for item in body["response"]} == {5000, 5001}
    assert body["results"] == 2


async def test_twenty_ids_are_answered_and_twenty_one_are_refused_as_a_whole(simulator: MakeSimulator) -> None:
    sim = simulator("matchday")
    twenty = [str(1390201 + number) for number in range(20)]
    assert (await sim.json("/fixtures", params={"ids": "-".join(twenty)}))["results"] == 20
    answer = await sim.get("/fixtures", params={"ids": "-".join([*twenty, "1390221"])})
    assert answer.status_code == 200
    assert answer.json()["response"] == []
    assert list(answer.json()["errors"]) == ["ids"]


@pytest.mark.parametrize(
    ("query", "cause"),
    [
        ("", "required"),
        ("timezone=UTC", "required"),
        ("timezone=Mars/Olympus&id=1", "timezone"),
        ("id=abc", "id"),
        ("ids=1,2", "ids"),
        ("date=15-11-2026", "date"),
        ("date=2026-02-30", "date"),
        ("live=yes", "live"),
        ("season=26&league=39", "season"),
        ("colour=red", "colour"),
        ("from=2026-11-15&to=2026-11-16", "season"),
        ("from=2026-11-15&to=2026-11-16&season=2026", "league"),
        ("from=2026-11-15&league=39&season=2026", "to"),
    ],
)
async def test_a_bad_parameter_is_an_error_named_after_it_with_status_200(
    simulator: MakeSimulator, query: str, cause: str
) -> None:
    answer = await simulator(ONE).get(f"/fixtures?{query}")
    body = answer.json()
    assert (answer.status_code, body["results"], body["response"]) == (200, 0, [])
    assert list(body["errors"]) == [cause]


@pytest.mark.parametrize("headers", [NO_KEY, {"x-apisports-key": "wrong"}])
async def test_a_wrong_key_is_an_error_with_status_200(simulator: MakeSimulator, headers: dict[str, str]) -> None:
    answer = await simulator(ONE).get("/fixtures?id=5000", headers=headers)
    assert answer.status_code == 200
    assert list(answer.json()["errors"]) == ["token"]
    assert answer.json()["response"] == []


async def test_the_second_host_accepts_its_own_headers_and_prefix(simulator: MakeSimulator) -> None:
    headers = NO_KEY | {"x-rapidapi-key": SIMULATED_API_KEY, "x-rapidapi-host": "api-football-v1.p.rapidapi.com"}
    assert (await simulator(ONE).json("/v3/fixtures?id=5000", headers=headers))["results"] == 1


async def test_headers_that_the_edge_does_not_know_are_refused(simulator: MakeSimulator) -> None:
    answer = await simulator(ONE).get("/fixtures?id=5000", headers={"x-request-id": "1"})
    assert answer.status_code == 403


async def test_other_methods_are_refused(simulator: MakeSimulator) -> None:
    assert (await simulator(ONE).client.post("/fixtures?id=5000")).status_code == 405


async def test_the_day_is_taken_in_the_time_zone_and_the_timestamp_stays(simulator: MakeSimulator) -> None:
    sim = simulator(TWO)
    (there,) = (await sim.json("/fixtures?date=2026-11-16&timezone=Asia/Tokyo&league=140&season=2026"))["response"]
    assert there["fixture"]["date"] == "2026-11-16T10:00:00+09:00"
    assert there["fixture"]["timezone"] == "Asia/Tokyo"
    (here,) = (await sim.json("/fixtures?date=2026-11-16"))["response"]
    assert here["fixture"]["timestamp"] == there["fixture"]["timestamp"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("date=2026-11-15", {5000}),
        ("date=2026-11-16", {5001}),
        ("date=2026-11-17", set()),
        ("league=140&season=2026", {5001}),
        ("league=140&season=2025", set()),
        ("team=42&season=2026", {5000}),
        ("from=2026-11-15&to=2026-11-16&league=39&season=2026", {5000}),
        ("date=2026-11-15&status=NS-PST", {5000}),
        ("date=2026-11-15&status=FT", set()),
        ("league=39&season=2026&next=1", {5000}),
        ("team=547&season=2026&last=5", set()),
        ("venue=556&date=2026-11-15", set()),
    ],
)
async def test_listings_are_filtered(simulator: MakeSimulator, query: str, found: set[int]) -> None:
    body = await simulator(TWO).json(f"/fixtures?{query}")
    assert {item["fixture"]["id"] for item in body["response"]} == found


async def test_the_quota_is_in_the_headers_and_falls_with_every_request(simulator: MakeSimulator) -> None:
    sim = simulator("limits 300 a minute 7500 a day\n" + ONE)
    first, second = [(await sim.get("/fixtures?id=5000")).headers for _ in range(2)]
    assert (first["x-ratelimit-requests-limit"], first["X-RateLimit-Limit"]) == ("7500", "300")
    assert (first["x-ratelimit-requests-remaining"], first["X-RateLimit-Remaining"]) == ("7499", "299")
    assert (second["x-ratelimit-requests-remaining"], second["X-RateLimit-Remaining"]) == ("7498", "298")


async def test_the_limit_of_a_minute_is_enforced_and_passes_with_the_minute(simulator: MakeSimulator) -> None:
    sim = simulator("limits 2 a minute 100 a day\n" + ONE)
    bodies = [await sim.json("/fixtures?id=5000") for _ in range(3)]
    assert [list(body["errors"]) for body in bodies] == [[], [], ["rateLimit"]]
    sim.wait(seconds=61)
    assert (await sim.json("/fixtures?id=5000"))["errors"] == []


async def test_the_limit_of_a_day_is_enforced_and_passes_with_the_day(simulator: MakeSimulator) -> None:
    sim = simulator("limits 50 a minute 2 a day\n" + ONE)
    bodies = [await sim.json("/fixtures?id=5000") for _ in range(3)]
    assert list(bodies[2]["errors"]) == ["requests"]
    sim.wait(days=1)
    assert (await sim.json("/fixtures?id=5000"))["errors"] == []


async def test_a_call_about_the_account_uses_no_quota_and_returns_an_object(simulator: MakeSimulator) -> None:
    sim = simulator(ONE)
    await sim.get("/fixtures?id=5000")
    answer = await sim.get("/status")
    assert "x-ratelimit-requests-limit" not in answer.headers
    assert answer.json()["response"]["requests"] == {"current": 1, "limit_day": 7500}
    assert answer.json()["parameters"] == []


async def test_events_alone(simulator: MakeSimulator) -> None:
    sim = simulator(ONE)
    sim.sim.advance(minutes=30 + 60)
    rows: list[dict[str, Any]] = (await sim.json("/fixtures/events?fixture=5000"))["response"]
    assert [(row["team"]["id"], row["detail"]) for row in rows] == [(40, "Normal Goal"), (42, "Own Goal")]
    assert (await sim.json("/fixtures/events?fixture=5000&team=42"))["results"] == 1
    assert list((await sim.json("/fixtures/events"))["errors"]) == ["fixture"]


async def test_slashes_are_escaped_as_the_api_writes_them(simulator: MakeSimulator) -> None:
    answer = await simulator(ONE).get("/fixtures?id=5000")
    assert rb"https:\/\/media.api-sports.io\/football" in answer.content


async def test_a_poll_is_counted_for_what_was_asked_and_not_for_listings(simulator: MakeSimulator) -> None:
    sim = simulator(TWO, clock="polled")
    await sim.get("/fixtures?ids=5000")
    await sim.get("/fixtures?ids=5000-5001")
    await sim.get("/fixtures?date=2026-11-15")
    await sim.get("/fixtures/events?fixture=5000")
    polls = {fixture["id"]: fixture["polls"] for fixture in sim.sim.state()["fixtures"]}
    assert polls == {5000: 2, 5001: 1}


@pytest.mark.parametrize("path", ["/", "/sim/state", "/fixtures?id=5000", "/status", "/x/health", "/nowhere"])
async def test_every_answer_says_that_it_is_simulated(simulator: MakeSimulator, path: str) -> None:
    assert (await simulator(ONE).get(path)).headers["x-simulated"] == "true"


async def test_a_free_key_is_refused_several_ids_and_days_far_away(simulator: MakeSimulator) -> None:
    sim = simulator(TWO, plan="free")
    refused = await sim.json("/fixtures", params={"ids": "5000"})
    assert refused["errors"] == {"plan": "Free plans do not have access to the Ids parameter."}
    assert (refused["results"], refused["response"]) == (0, [])
    for day, covered in (("13", False), ("14", True), ("15", True), ("16", True), ("17", False)):
        body = await sim.json("/fixtures", params={"date": f"2026-11-{day}"})
        text = "Free plans do not have access to this date, try from 2026-11-14 to 2026-11-16."
        assert body["errors"] == ([] if covered else {"plan": text})
    assert len((await sim.json("/fixtures?id=5000"))["response"][0]["events"]) == 0
    sim.sim.advance(minutes=30 + 24)
    (item,) = (await sim.json("/fixtures?live=all"))["response"]
    assert len(item["events"]) == 1


async def test_a_free_key_has_a_hundred_calls_and_refused_ones_count(simulator: MakeSimulator) -> None:
    sim = simulator(ONE, plan="free")
    answer = await sim.client.get("/fixtures", params={"ids": "5000"})
    assert answer.headers["x-ratelimit-requests-limit"] == "100"
    assert answer.headers["x-ratelimit-requests-remaining"] == "99"
    assert (answer.headers["X-RateLimit-Limit"], answer.headers["X-RateLimit-Remaining"]) == ("10", "9")
    account = (await sim.json("/status"))["response"]
    assert account["subscription"]["plan"] == "Free"
    assert account["requests"] == {"current": 1, "limit_day": 100}
