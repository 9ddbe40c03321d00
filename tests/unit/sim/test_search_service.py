"""The simulated search service."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.support.sim.simulator_client import START, MakeSimulator, SimulatorClient

ONE = """
fixture 5000
home "Liverpool"(40)
away "Arsenal"(42)
at 23 goal home "D. Szoboszlai"(234) as g1
clip c1 of g1 4s 960x540
post 10s after g1 by sim_one shows c1 "Szoboszlai scores for Liverpool"
post 20s after g1 by sim_two shows c1 "Dominik Szoboszlai #LFC"
"""


def after_the_goal(simulator: MakeSimulator, more: str = "") -> SimulatorClient:
    made = simulator(ONE + more)
    made.sim.advance(minutes=24)
    return made


async def videos(sim: SimulatorClient, query: str = "Szoboszlai", **more: Any) -> list[dict[str, Any]]:
    answer = await sim.search(query, **more)
    assert answer.status_code == 200
    found: list[dict[str, Any]] = answer.json()["videos"]
    return found


async def test_nothing_is_found_before_the_goal(simulator: MakeSimulator) -> None:
    assert await videos(simulator(ONE)) == []


async def test_a_found_video_has_everything_that_a_downloader_needs(simulator: MakeSimulator) -> None:
    _, first = sorted(await videos(after_the_goal(simulator)), key=lambda video: str(video["author"]), reverse=True)
    assert first["author"] == "sim_one"
    assert first["url"] == f"https://x.com/sim_one/status/{first['tweet_id']}"
    assert len(first["tweet_id"]) == 19
    assert datetime.fromisoformat(first["posted_at"]) == START
    assert (first["duration_seconds"], first["text"]) == (4.0, "Szoboszlai scores for Liverpool")
    sizes = [(variant["width"], variant["height"]) for variant in first["variants"]]
    assert sizes == [(960, 540), (640, 360)]
    assert first["variants"][0]["bitrate"] > first["variants"][1]["bitrate"]
    assert first["variants"][0]["url"].startswith("http://sim/video/")


async def test_the_address_of_videos_can_be_set(simulator: MakeSimulator) -> None:
    made = simulator(ONE, public_url="http://videos:81")
    made.sim.advance(minutes=24)
    assert (await videos(made))[0]["variants"][0]["url"].startswith("http://videos:81/video/")


async def test_the_query_is_evaluated(simulator: MakeSimulator) -> None:
    sim = after_the_goal(simulator)
    assert len(await videos(sim, "(Florian OR Szoboszlai) (LFC OR Liverpool)")) == 2
    assert len(await videos(sim, "Szoboszlai Liverpool")) == 1
    assert await videos(sim, "Wirtz Liverpool") == []


async def test_age_limit_and_exclusions_are_applied(simulator: MakeSimulator) -> None:
    sim = after_the_goal(simulator)
    found = await videos(sim)
    assert len(await videos(sim, limit=1)) == 1
    assert await videos(sim, exclude=[video["tweet_id"] for video in found]) == []
    assert await videos(sim, exclude=[video["url"] for video in found]) == []
    sim.wait(minutes=4)
    assert await videos(sim, max_age_minutes=3) == []
    assert len(await videos(sim, max_age_minutes=5)) == 2
    assert len(await videos(sim, max_age_minutes=3, since=(sim.time - timedelta(minutes=5)).isoformat())) == 2


@pytest.mark.parametrize("body", [b"", b"{}", b'{"query": ""}', b'{"query": "a", "limit": 0}', b"nonsense"])
async def test_a_bad_request_is_refused(simulator: MakeSimulator, body: bytes) -> None:
    assert (await simulator(ONE).client.post("/x/search", content=body)).status_code == 422


@pytest.mark.parametrize(
    ("fault", "status", "state"),
    [
        ("session_expired", 503, "expired"),
        ("blocked", 503, "blocked"),
        ("account_locked", 503, "account_locked"),
        ("protocol_drift", 503, "authenticated"),
        ("transient", 503, "authenticated"),
        ("rate_limited", 429, "rate_limited"),
    ],
)
async def test_failures_are_named_and_never_an_empty_list(
    simulator: MakeSimulator, fault: str, status: int, state: str
) -> None:
    sim = after_the_goal(simulator, f"search 1 {fault}")
    failed = await sim.search()
    assert (failed.status_code, failed.json()["error"]) == (status, fault)
    assert failed.json()["detail"]
    assert (await sim.json("/x/health"))["session"] == {"state": state}
    assert len(await videos(sim)) == 2
    assert (await sim.json("/x/health"))["status"] == "ok"


async def test_a_rate_limit_says_how_long_it_lasts(simulator: MakeSimulator) -> None:
    failed = await after_the_goal(simulator, "search 1 rate_limited 20s").search()
    assert failed.json()["retry_after"] == 20
    assert failed.headers["retry-after"] == "20"


async def test_health_says_that_it_is_simulated(simulator: MakeSimulator) -> None:
    health = await simulator(ONE).json("/x/health")
    assert health == {"status": "ok", "session": {"state": "authenticated"}, "simulated": True}
