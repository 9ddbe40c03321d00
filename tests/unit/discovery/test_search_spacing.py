"""Goals that compete for one account, at the settings that the product ships with, in virtual time."""

import asyncio
import json
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from found_footy.discovery.settings import DiscoverySettings
from found_footy.discovery.sources.priority import SearchPriority
from found_footy.discovery.sources.x_service import HEALTH_TIMEOUT_SECONDS, XSearchPool
from found_footy.discovery.steps import DiscoverySteps
from found_footy.domain.messages import PipelinePace
from found_footy.platform.errors import RateLimited
from found_footy.platform.heartbeat import MAX_HEARTBEAT_THROTTLE
from found_footy.platform.http.client import HttpResponse, SafeHttpClient
from found_footy.platform.temporal.steps import get_step_options
from found_footy.xsearch import wire
from found_footy.xsearch.browser.timeouts import STEP_TIMEOUT_SECONDS
from found_footy.xsearch.errors import SearchFailed
from found_footy.xsearch.settings import XSearchSettings
from found_footy.xsearch.throttle import SearchThrottle
from tests.support.virtual_time import in_virtual_time

X, DISCOVERY, PACE = XSearchSettings(), DiscoverySettings(), PipelinePace()
KICK_OFF = datetime(2026, 11, 14, 15, tzinfo=UTC)
LONGEST_DISTANCE = X.spacing.total_seconds() * (1 + X.jitter)


@dataclass
class Service:
    """`POST /search` as the service does it: a turn, then a search that takes between `takes` seconds."""

    dice: random.Random
    takes: tuple[float, float]
    began: list[tuple[str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.turns = SearchThrottle(self._distance, X.spacing, X.patience, self._now)

    async def request(self, _: str, url: str, json: Any = None) -> HttpResponse:
        if url.endswith("/health"):
            return _answer(200, {"status": "ok"})
        try:
            async with self.turns.acquire_search():
                self.began.append((json["query"], asyncio.get_running_loop().time()))
                await asyncio.sleep(self.dice.uniform(*self.takes))
        except SearchFailed as failure:
            return _answer(failure.status, wire.failure_response(failure, self._now()))
        return _answer(200, {"videos": []})

    def first_of(self, goal: str) -> float:
        return next(at for name, at in self.began if name == goal)

    def _distance(self) -> float:
        return X.spacing.total_seconds() * (1 + X.jitter * self.dice.random())

    def _now(self) -> datetime:
        return KICK_OFF + timedelta(seconds=asyncio.get_running_loop().time())


def _answer(status: int, body: dict[str, Any]) -> HttpResponse:
    return HttpResponse(status, {}, json.dumps(body).encode())


async def search_for(name: str, begins: float, pool: XSearchPool, dice: random.Random) -> int:
    """What TwitterWorkflow does: an answer is an attempt, a refusal a pause; then it waits. Returns the pauses."""
    clock = asyncio.get_running_loop().time
    await asyncio.sleep(begins)
    attempts = pauses = 0
    while attempts < PACE.attempts_wanted:
        started, reported = clock(), 0.0
        try:
            turn = SearchPriority.for_goal(attempts, KICK_OFF + timedelta(seconds=begins))
            await pool.search(name, max_age_minutes=3, limit=30, exclude=(), priority=turn)
            attempts += 1
        except RateLimited as refused:
            pauses += 1
            reported = refused.retry_after or 0.0
        await asyncio.sleep(dice.uniform(0.1, 1.0))
        rest = started + PACE.attempt_spacing.total_seconds() - clock()
        await asyncio.sleep(max(rest, PACE.attempt_min_wait.total_seconds(), reported))
    return pauses


@dataclass
class SimulatedAfternoon:
    service: Service
    fell: dict[str, float]
    pauses: list[int]

    def waits(self) -> list[float]:
        """How long after each goal its first search began."""
        return [self.service.first_of(goal) - at for goal, at in self.fell.items()]


async def _afternoon(
    goals: int, within: float, takes: tuple[float, float], seed: int, workers: int
) -> SimulatedAfternoon:
    dice = random.Random(seed)
    service = Service(dice, takes)
    clock = asyncio.get_running_loop().time
    pools = [
        XSearchPool(
            cast("SafeHttpClient", service),
            ["http://x"],
            cooldown=DISCOVERY.search_rest,
            max_wait=DISCOVERY.search_patience,
            answer_timeout=DISCOVERY.search_timeout,
            clock=clock,
        )
        for _ in range(workers)
    ]
    fell = {f"goal {number}": dice.uniform(0, within) for number in range(goals)}
    searches = [search_for(name, at, pools[n % workers], dice) for n, (name, at) in enumerate(fell.items())]
    return SimulatedAfternoon(service, fell, list(await asyncio.gather(*searches)))


def afternoon(goals: int, within: float, takes: tuple[float, float], seed: int, workers: int = 1) -> SimulatedAfternoon:
    return in_virtual_time(_afternoon(goals, within, takes, seed, workers))


TAKES = pytest.mark.parametrize("takes", [(2, 4), (4, 9), (10, 16), (20, 28)])


@TAKES
def test_of_two_goals_in_one_minute_the_second_is_searched_for_one_distance_after_the_first(
    takes: tuple[float, float],
) -> None:
    for seed in range(10):
        day = afternoon(2, 5, takes, seed)
        first, second = sorted(map(day.service.first_of, day.fell))
        assert second - first <= LONGEST_DISTANCE
        assert day.pauses == [0, 0]


@TAKES
def test_six_goals_in_one_minute_are_searched_for_one_after_the_other(takes: tuple[float, float]) -> None:
    for seed in range(5):
        day = afternoon(6, 60, takes, seed)
        assert max(day.waits()) <= 6 * LONGEST_DISTANCE
        before_all_had_one = day.service.began[: max(map(_index_in(day.service), day.fell))]
        assert all(sum(name == goal for name, _ in before_all_had_one) <= 2 for goal in day.fell)


@TAKES
def test_goals_of_two_worker_processes_share_the_account(takes: tuple[float, float]) -> None:
    """Each process knows its own goals only, so nobody sees to the order between the two."""
    for seed in range(5):
        day = afternoon(6, 60, takes, seed, workers=2)
        assert max(day.waits()) <= 9 * LONGEST_DISTANCE


def _index_in(service: Service) -> Any:
    names = [name for name, _ in service.began]
    return names.index


def test_twelve_goals_at_once_all_get_their_attempts_within_the_hour_that_the_account_needs() -> None:
    day = afternoon(12, 120, (4, 9), 1)
    assert len(day.service.began) == 12 * PACE.attempts_wanted
    assert max(at for _, at in day.service.began) <= 12 * PACE.attempts_wanted * LONGEST_DISTANCE
    assert max(day.pauses) < 60


def test_the_waits_fit_into_each_other() -> None:
    """Each limit is above all that happens within it; whoever changes one has to change what encloses it."""
    one_turn = timedelta(seconds=LONGEST_DISTANCE) + X.time_limit
    assert one_turn < X.patience <= one_turn + timedelta(seconds=10)
    at_the_service = X.patience + X.page_timeout + timedelta(seconds=STEP_TIMEOUT_SECONDS) + X.time_limit
    assert at_the_service < DISCOVERY.search_timeout <= at_the_service + timedelta(seconds=15)
    assert PACE.attempt_spacing + PACE.attempt_min_wait < DISCOVERY.search_patience
    in_the_activity = timedelta(seconds=HEALTH_TIMEOUT_SECONDS) + DISCOVERY.search_patience + DISCOVERY.search_timeout
    options = get_step_options(DiscoverySteps.execute_twitter_search)
    assert in_the_activity < options.start_to_close_timeout
    assert options.heartbeat_timeout is not None
    assert options.heartbeat_timeout > 2 * MAX_HEARTBEAT_THROTTLE
