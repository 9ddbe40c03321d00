"""The search pool: how many attempts each goal gets when many goals want to search at once.

    python bench/search_pool.py [--goals 40] [--services 2 8] [--speed 60]

Goals are scored in the same minute, each wants ten searches, a minute apart, and has an hour. A service takes one
search at a time (8 s of a browser's time) and has 40 searches in 15 minutes, as an account has. Time runs `speed`
times faster than on the wall; figures are in the product's own time. The limit is what the budgets allow; the peer is
the same pool whose line is first come, first served.
"""

import argparse
import asyncio
import socket
import statistics
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from found_footy.discovery.sources.base import SourceRequest
from found_footy.discovery.sources.priority import SearchPriority
from found_footy.discovery.sources.x_service import XSearchPool
from found_footy.platform.errors import ExternalSystemError, RateLimited
from found_footy.platform.http.client import SafeHttpClient

WANTED, SPACING, PATIENCE, REST = 10, 60.0, 40.0, 30.0
SEARCH_SECONDS, BUDGET, WINDOW, DEADLINE = 8.0, 40, 900.0, 3600.0


@dataclass
class Account:
    """One browser with one account: a search at a time, and a sliding budget."""

    speed: float
    spent: list[float] = field(default_factory=list)

    def app(self) -> Starlette:
        self._turn = asyncio.Lock()
        return Starlette(routes=[Route("/search", self.search, methods=["POST"]), Route("/health", self.health)])

    def left(self) -> int:
        now = time.monotonic() * self.speed
        self.spent = [at for at in self.spent if now - at < WINDOW]
        return BUDGET - len(self.spent)

    async def search(self, _: Request) -> Response:
        async with self._turn:
            if self.left() < 1:
                wait = self.spent[0] + WINDOW - time.monotonic() * self.speed
                return JSONResponse({"error": "rate_limited", "retry_after": max(wait, 1.0)}, 429)
            self.spent.append(time.monotonic() * self.speed)
            await asyncio.sleep(SEARCH_SECONDS / self.speed)
        return JSONResponse({"videos": []})

    async def health(self, _: Request) -> Response:
        return JSONResponse({"status": "ok", "budget": {"left": self.left(), "limit": BUDGET}})


@contextmanager
def served(app: Starlette) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, lifespan="off", ws="none", log_level="critical"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join()


async def goal(pool: XSearchPool, number: int, speed: float, fair: bool) -> int:
    """Search as TwitterWorkflow does; the attempts made before the deadline."""
    began = time.monotonic()
    first_seen = datetime.now(UTC) + timedelta(seconds=number)
    attempts = 0
    while attempts < WANTED and (time.monotonic() - began) * speed < DEADLINE:
        started, reported = time.monotonic(), 0.0
        turn = SearchPriority.for_goal(attempts, first_seen) if fair else SearchPriority()
        try:
            await pool.find_candidates(SourceRequest("q", (), (), 3, 30, priority=turn))
            attempts += 1
        except RateLimited as error:
            reported = min(error.retry_after or 0.0, 900.0)
        except ExternalSystemError as error:
            print(f"  goal {number}: {error}")
        passed = (time.monotonic() - started) * speed
        await asyncio.sleep(max(SPACING - passed, 10.0, reported) / speed)
    return attempts


async def run(services: int, goals: int, speed: float, fair: bool) -> Sequence[int]:
    with ExitStack() as stack:
        bases = [stack.enter_context(served(Account(speed).app())) for _ in range(services)]
        hosts = [base.removeprefix("http://") for base in bases]
        http = SafeHttpClient(system="bench", allowed_hosts=hosts, trusted_private=hosts)
        pool = XSearchPool(
            http,
            bases,
            cooldown=timedelta(seconds=REST / speed),
            max_wait=timedelta(seconds=PATIENCE / speed),
            clock=lambda: time.monotonic() * speed,
        )
        made = await asyncio.gather(*(goal(pool, number, speed, fair) for number in range(goals)))
        await http.aclose()
    return made


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--goals", type=int, default=40)
    parser.add_argument("--services", type=int, nargs="+", default=[2, 8])
    parser.add_argument("--speed", type=float, default=60.0)
    asked = parser.parse_args()
    print("services  line         attempts per goal: least  median  most   in all   budget allows")
    for services in asked.services:
        allowed = min(asked.goals * WANTED, services * BUDGET * int(DEADLINE / WINDOW))
        for fair in (True, False):
            made = asyncio.run(run(services, asked.goals, asked.speed, fair))
            line = "fair" if fair else "first come"
            print(
                f"{services:8}  {line:12} {min(made):23} {statistics.median(made):7.0f} {max(made):5}"
                f" {sum(made):8} {allowed:15}"
            )


if __name__ == "__main__":
    main()
