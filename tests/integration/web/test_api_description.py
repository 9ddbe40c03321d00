"""The API is what its OpenAPI document says: requests made from it get no server error, and the answers it promises."""

import asyncio
from collections.abc import Iterator
from typing import Any, cast

import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
)

from tests.support.web import matchday
from tests.support.web.page import PageData

# An operation has four type parameters, none of which matters here.
Operation = Any
EVENT = "5000_40_234_Goal_1"
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
# What is stored, so that the answers have content.
KNOWN: dict[str, dict[str, Any]] = {
    "/api/v1/matches/{fixture_id}": {"fixture_id": 5000},
    "/api/v1/goals/{event_id}": {"event_id": EVENT},
    "/api/v1/clips/{clip_id}": {"clip_id": f"{EVENT}-aaaaaaaa"},
    "/api/v1/days/{day}": {"day": "2026-11-15"},
    "/api/v1/teams/{team_id}": {"team_id": 40},
    "/api/v1/players/{player_id}": {"player_id": 234},
    "/api/v1/matches": {},
    "/api/v1/days": {},
    "/api/v1/search": {},
    "/api/v1/stats": {},
    "/api/v1/sources": {},
    "/api/v1/status": {},
    "/api/v1/health": {},
}
_EXAMPLES_PER_ROUTE = 3
_bounded = settings(
    max_examples=_EXAMPLES_PER_ROUTE, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


async def test_answers_are_those_that_the_description_promises(address: str, page_data: PageData) -> None:
    goal = matchday.goal(_telemetry={"attempts": {"d": {"searched_at": matchday.NOW, "sources": {"x": "answered"}}}})
    goal["_s3_videos"] = [matchday.clip(EVENT)]
    await page_data.store_fixture(matchday.fixture(events=[goal]))
    examined = await asyncio.to_thread(_examine_routes, address)
    assert set(KNOWN) <= examined


def _examine_routes(address: str) -> set[str]:
    schema = schemathesis.openapi.from_url(f"{address}/api/openapi.json")
    examined = set()
    for operation in _list_operations(schema):
        if operation.path in KNOWN and operation.method == "get":
            known = operation.Case(path_parameters=dict(KNOWN[operation.path]))
            response = known.call_and_validate(checks=CHECKS)
            assert response.status_code == 200, (operation.path, response.text)
            examined.add(operation.path)
        for mode in _list_modes(operation):
            _try_examples(operation, mode)
    return examined


def has_input(operation: Operation) -> bool:
    return bool(list(operation.iter_parameters()) or list(operation.body))


def _list_modes(operation: Operation) -> list[GenerationMode]:
    """Routes that only read get right and wrong requests; the others are guarded by tests of their own."""
    if not has_input(operation):
        return []
    return list(GenerationMode) if operation.path in KNOWN else [GenerationMode.POSITIVE]


def _list_operations(schema: Any) -> Iterator[Operation]:
    return (cast(Any, result).ok() for result in schema.get_all_operations())


def _try_examples(operation: Operation, mode: GenerationMode) -> None:
    checks = CHECKS if operation.path in KNOWN and operation.method == "get" else [not_a_server_error]

    @_bounded
    @given(case=operation.as_strategy(generation_mode=mode))
    def examine(case: Any) -> None:
        case.call_and_validate(checks=checks)

    examine()
