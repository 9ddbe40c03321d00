"""Containers through a proxy of Docker's API: only the three allowed requests are made."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from found_footy.platform.errors import Malformed, NotFound, Unavailable
from found_footy.scaler.docker_pool import ComposeService, DockerPool
from tests.support.loopback_services import served
from tests.support.scaler.docker_api import SimulatedContainer, SimulatedDocker

SERVICE = ComposeService("found-footy", "worker", timedelta(seconds=10))


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[DockerPool]:
    pool = DockerPool(url, SERVICE)
    try:
        yield pool
    finally:
        await pool.aclose()


def created(count: int) -> list[SimulatedContainer]:
    return [SimulatedContainer("worker", number) for number in range(count, 0, -1)]


async def test_containers_are_started_and_stopped_in_their_order() -> None:
    docker = SimulatedDocker(created(4))
    with served(docker.app) as url:
        async with opened(url) as pool:
            assert (await pool.count_running(), await pool.count_places()) == (0, 4)
            await pool.resize(3)
            assert sorted(docker.running("worker")) == [1, 2, 3]
            await pool.resize(1)
            assert docker.running("worker") == [1]
            await pool.resize(2)
            assert sorted(docker.running("worker")) == [1, 2]
            assert await pool.count_running() == 2
    assert set(docker.graces) == {"10"}
    assert not [call for call in docker.calls if call.startswith("forbidden")]


async def test_containers_of_others_are_left_alone() -> None:
    others = [
        SimulatedContainer("web", 1, "running"),
        SimulatedContainer("worker", 1, "running", project="another"),
        SimulatedContainer("worker", 7, "running", one_off=True),
    ]
    docker = SimulatedDocker([*others, *created(2)])
    with served(docker.app) as url:
        async with opened(url) as pool:
            await pool.resize(2)
            await pool.resize(0)
    assert {call.split()[1] for call in docker.calls} == {"worker-1", "worker-2"}
    assert [one.state for one in others] == ["running"] * 3


async def test_what_is_wrong_is_said() -> None:
    docker = SimulatedDocker([])
    with served(docker.app) as url:
        async with opened(url) as pool:
            with pytest.raises(NotFound, match="docker compose --profile managed create"):
                await pool.count_running()
            docker.broken = True
            with pytest.raises(Unavailable, match=r"status 500 .*does not answer"):
                await pool.count_running()
    async with opened(url) as pool:
        with pytest.raises(Unavailable):
            await pool.count_running()


@pytest.mark.parametrize("body", ["<html>", "{}", '[{"Id": "../../x", "State": "running", "Labels": {}}]'])
async def test_an_answer_that_is_no_list_of_containers_is_refused(body: str) -> None:
    async def answer(_: object) -> Response:
        return Response(body)

    with served(Starlette(routes=[Route("/containers/json", answer)])) as url:
        async with opened(url) as pool:
            with pytest.raises(Malformed):
                await pool.resize(1)


async def test_a_refused_change_is_an_error() -> None:
    docker = SimulatedDocker(created(1))

    async def forbid(_: object) -> Response:
        return Response("Forbidden", 403)

    routes = [Route("/containers/json", docker.list_containers), Route("/{path:path}", forbid, methods=["POST"])]
    with served(Starlette(routes=routes)) as url:
        async with opened(url) as pool:
            with pytest.raises(Unavailable, match="status 403"):
                await pool.resize(1)
