"""The simulated vision server as those see it who steer it: over HTTP, while it serves."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from found_footy_sim.vision.loopback_server import serve_vision
from found_footy_sim.vision.server import VisionServer
from tests.support.patience import PATIENCE_SECONDS

PICTURE = "data:image/jpeg;base64," + base64.b64encode(b"\xff\xd8\xff a picture").decode()


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    with serve_vision(VisionServer()) as url:
        async with httpx.AsyncClient(base_url=url, timeout=PATIENCE_SECONDS) as client:
            yield client


async def ask(client: httpx.AsyncClient, pictures: int = 2) -> httpx.Response:
    parts = [{"type": "image_url", "image_url": {"url": PICTURE}}] * pictures
    return await client.post("/v1/chat/completions", json={"messages": [{"role": "user", "content": parts}]})


async def said(client: httpx.AsyncClient, pictures: int = 2) -> list[dict[str, Any]]:
    answer = (await ask(client, pictures)).json()
    return list(json.loads(answer["choices"][0]["message"]["content"]).values())


async def test_scripted_answers_are_given_in_order_and_then_the_usual_ones(client: httpx.AsyncClient) -> None:
    script = [{"CLOCK": "34:12"}, {"CLOCK": "34:19", "SOCCER": False}, {"SCREEN": True}]
    assert (await client.post("/sim/answers", json=script)).json()["scripted"] == 3
    assert [(one["CLOCK"], one["SOCCER"]) for one in await said(client)] == [("34:12", True), ("34:19", False)]
    assert [one["SCREEN"] for one in await said(client)] == [True, False]


async def test_a_contradicting_server_contradicts_itself_for_any_request(client: httpx.AsyncClient) -> None:
    await client.post("/sim/mode", json={"mode": "lying"})
    assert [one["SOCCER"] for one in await said(client, 3)] == [True, False, "perhaps"]
    assert [(await said(client, 1))[0]["SOCCER"] for _ in range(3)] == [True, False, "perhaps"]


async def test_an_outage_ends_after_the_given_number_of_requests(client: httpx.AsyncClient) -> None:
    await client.post("/sim/mode", json={"mode": "loading", "questions": 2})
    assert [(await ask(client)).status_code for _ in range(3)] == [503, 503, 200]


async def test_it_counts_concurrent_requests_and_can_be_reset(client: httpx.AsyncClient) -> None:
    await client.post("/sim/mode", json={"delay": 0.2})
    await asyncio.gather(*(ask(client) for _ in range(5)))
    state = (await client.get("/sim/state")).json()
    assert (state["questions"], state["pictures"], state["at_once"]) == (5, 10, 0)
    assert 2 <= state["most_at_once"] <= 5
    state = (await client.post("/sim/reset")).json()
    assert (state["questions"], state["most_at_once"], state["delay"], state["mode"]) == (0, 0, 0.0, "plain")


@pytest.mark.parametrize(
    ("path", "wrong"),
    [("/sim/mode", {"mode": "sulking"}), ("/sim/mode", {"questions": "few"}), ("/sim/answers", [{"WEATHER": "fine"}])],
)
async def test_it_refuses_what_it_does_not_know_and_stays_as_it_was(
    client: httpx.AsyncClient, path: str, wrong: Any
) -> None:
    before = (await client.get("/sim/state")).json()
    assert (await client.post(path, json=wrong)).status_code == 400
    assert (await client.get("/sim/state")).json() == before
