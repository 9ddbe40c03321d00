"""The simulated video host."""

from hashlib import md5
from typing import Any

import httpx
import pytest

from found_footy_sim import Simulator, parse_scenario, serve_simulator_async
from tests.support.sim.simulator_client import MakeSimulator, SimulatorClient

GOAL = 'fixture 5000\nhome "Liverpool"(40)\naway "Arsenal"(42)\nat 1 goal home "X"(1) as g1\n'
CLIP = "clip c1 of g1 1s 320x180 fps 5"
ONE = GOAL + CLIP + '\npost 1s after g1 by one shows c1 "goal"\npost 2s after g1 by two shows c1 "goal"\n'


def hosted(answer: str) -> str:
    return GOAL + f'{CLIP} host {answer}\npost 1s after g1 by one shows c1 "goal"\n'


async def addresses(sim: SimulatorClient) -> list[str]:
    sim.sim.advance(minutes=5)
    found: list[dict[str, Any]] = (await sim.search("goal")).json()["videos"]
    return [video["variants"][0]["url"] for video in found]


async def test_a_file_comes_whole_with_its_length_and_type(simulator: MakeSimulator) -> None:
    sim = simulator(ONE)
    answer = await sim.get((await addresses(sim))[0])
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "video/mp4"
    assert answer.headers["accept-ranges"] == "bytes"
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert answer.content[4:8] == b"ftyp"


async def test_two_posts_of_one_file_have_two_addresses_and_the_same_bytes(simulator: MakeSimulator) -> None:
    sim = simulator(ONE)
    first, second = await addresses(sim)
    assert first != second
    digests = {md5((await sim.get(url)).content, usedforsecurity=False).hexdigest() for url in (first, second)}
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [("bytes=0-99", 0, 100), ("bytes=100-149", 100, 150), ("bytes=500-", 500, None), ("bytes=-100", -100, None)],
)
async def test_parts_of_a_file(simulator: MakeSimulator, asked: str, start: int, end: int | None) -> None:
    sim = simulator(ONE)
    (url, _) = await addresses(sim)
    whole = (await sim.get(url)).content
    part = await sim.get(url, headers={"range": asked})
    assert part.status_code == 206
    assert part.content == whole[start:end]
    assert part.headers["content-range"].endswith(f"/{len(whole)}")
    assert int(part.headers["content-length"]) == len(part.content)


async def test_a_part_beyond_the_end_cannot_be_had(simulator: MakeSimulator) -> None:
    sim = simulator(ONE)
    (url, _) = await addresses(sim)
    assert (await sim.get(url, headers={"range": "bytes=99999999-"})).status_code == 416


async def test_only_the_offered_sizes_of_posts_that_are_out_exist(simulator: MakeSimulator) -> None:
    sim = simulator(ONE)
    (url, _) = await addresses(sim)
    assert (await sim.get(url.replace("320x180", "640x360"))).status_code == 404
    assert (await sim.get("/video/123/320x180/c1.mp4")).status_code == 404


@pytest.mark.parametrize(("answer", "status"), [("404", 404), ("403", 403), ("429 30s", 429)])
async def test_the_host_refuses_videos(simulator: MakeSimulator, answer: str, status: int) -> None:
    sim = simulator(hosted(answer))
    assert (await sim.get((await addresses(sim))[0])).status_code == status


@pytest.mark.parametrize("answer", ["html", "empty", "garbage", "truncated"])
async def test_files_that_are_no_videos_still_call_themselves_so(simulator: MakeSimulator, answer: str) -> None:
    sim = simulator(hosted(answer))
    reported = await sim.get((await addresses(sim))[0])
    assert (reported.status_code, reported.headers["content-type"].split(";")[0]) == (200, "video/mp4")


async def test_a_truncated_file_is_half_of_the_whole(simulator: MakeSimulator) -> None:
    torn, good = simulator(hosted("truncated")), simulator(ONE)
    half = (await torn.get((await addresses(torn))[0])).content
    whole = (await good.get((await addresses(good))[0])).content
    assert half == whole[: len(whole) // 2]


@pytest.mark.parametrize(("answer", "length"), [("oversize", "5000000000"), ("endless", None)])
async def test_bodies_without_end_can_be_left(answer: str, length: str | None) -> None:
    simulator = Simulator(parse_scenario("test", hosted(answer)), clock="manual")
    simulator.advance(minutes=5)
    async with (
        serve_simulator_async(simulator) as url,
        httpx.AsyncClient(base_url=url) as client,
        client.stream("GET", await _first(client)) as response,
    ):
        received = 0
        async for part in response.aiter_bytes():
            received += len(part)
            if received > 200_000:
                break
    assert response.headers.get("content-length") == length
    assert received > 200_000


async def test_a_connection_that_is_cut_is_not_a_whole_file(tmp_path: Any) -> None:
    simulator = Simulator(parse_scenario("test", hosted("cut")), clock="manual", media_dir=tmp_path)
    simulator.advance(minutes=5)
    async with serve_simulator_async(simulator) as url, httpx.AsyncClient(base_url=url) as client:
        with pytest.raises(httpx.RemoteProtocolError):
            await client.get(await _first(client))


async def _first(client: httpx.AsyncClient) -> str:
    answer = await client.post("/x/search", json={"query": "goal", "max_age_minutes": 60})
    url: str = answer.json()["videos"][0]["variants"][0]["url"]
    return url
