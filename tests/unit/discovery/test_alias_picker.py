"""A language model may choose among aliases, add nothing, and cost nothing when it fails."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from found_footy.discovery.aliases.llm_picker import LlmAliasPicker
from found_footy.domain.messages import ResolveAliases
from found_footy.platform.http.client import SafeHttpClient
from tests.support.loopback_services import host_of, served

TEAM = ResolveAliases(40, "Liverpool", "England")
CANDIDATES = ("LFC", "Reds", "Everton Athletic")


def said(content: Any) -> Response:
    return JSONResponse({"choices": [{"message": {"role": "assistant", "content": content}}]})


class Model:
    def __init__(self, answer: Response) -> None:
        self.asked: list[dict[str, Any]] = []

        async def complete(request: Request) -> Response:
            self.asked.append(await request.json())
            return answer

        self.app = Starlette(routes=[Route("/v1/chat/completions", complete, methods=["POST"])])


@asynccontextmanager
async def picking(model: Model, suffix: str = "") -> AsyncIterator[LlmAliasPicker]:
    with served(model.app) as base:
        hosts = [host_of(base)]
        http = SafeHttpClient(
            system="model", allowed_hosts=hosts, trusted_private=hosts, timeout=timedelta(seconds=5), max_bytes=10_000
        )
        yield LlmAliasPicker(http, base + suffix, "small")
        await http.aclose()


@pytest.mark.parametrize("suffix", ["", "/", "/v1"])
async def test_the_choice_is_kept_in_the_order_of_the_candidates(suffix: str) -> None:
    model = Model(said(json.dumps({"keep": [2, 1]})))
    async with picking(model, suffix) as picker:
        assert await picker.pick_aliases(TEAM, CANDIDATES) == ("LFC", "Reds")
    [asked] = model.asked
    assert "3. Everton Athletic" in asked["messages"][1]["content"]
    assert asked["model"] == "small"
    assert asked["response_format"]["type"] == "json_schema"


async def test_what_was_not_offered_cannot_be_chosen() -> None:
    async with picking(Model(said(json.dumps({"keep": [0, 1, 99, "Spurs", True]})))) as picker:
        assert await picker.pick_aliases(TEAM, CANDIDATES) == ("LFC",)


@pytest.mark.parametrize(
    "answer",
    [
        said("not JSON"),
        said(json.dumps({"keep": "LFC"})),
        said(json.dumps({"names": ["LFC"]})),
        said(json.dumps([1])),
        said(json.dumps({"keep": []})),
        said(None),
        JSONResponse({"choices": []}),
        JSONResponse(["?"]),
        PlainTextResponse("loading model", 503),
        PlainTextResponse("x" * 20_000),
    ],
)
async def test_a_failing_model_changes_nothing(answer: Response) -> None:
    async with picking(Model(answer)) as picker:
        assert await picker.pick_aliases(TEAM, CANDIDATES) == CANDIDATES


async def test_without_candidates_the_model_is_not_called() -> None:
    model = Model(said("{}"))
    async with picking(model) as picker:
        assert await picker.pick_aliases(TEAM, ()) == ()
    assert model.asked == []
