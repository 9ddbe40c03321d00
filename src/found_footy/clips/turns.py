"""Whose turn it is to ask the vision server: so many at once in the whole deployment, however many workers there are.

A turn is one of a few named documents. Who holds it, and until when, stands in it; taking one is a single operation on
MongoDB, by MongoDB's clock. A holder that dies loses its turn when the time is up; one that cannot renew it in time
stops asking before another may.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from temporalio import activity

from found_footy.platform.errors import Conflict, Unavailable
from found_footy.platform.logs import ActionLogger
from found_footy.platform.mongo import Database, Document, guarded

COLLECTION = "vision_turns"
_SYSTEM = "vision server"
# Turns come in no order, and further workers add two contenders each. With three workers and answers that take a
# minute, who waits this long is passed over five times at least.
PATIENCE = timedelta(minutes=5)
# Renewed three times before it would end; given up a little before it ends for the others.
_LASTS = timedelta(seconds=30)
_SAFETY = timedelta(seconds=5)
_ASK_AGAIN_SECONDS = 0.2
_FREE: Document = {"holder": "", "until": datetime.fromtimestamp(0, UTC)}

log = ActionLogger(__name__)


class Turns:
    """`at_once` turns. Waits at most `patience` for one, then Unavailable: the activity may try again."""

    def __init__(
        self, database: Database, at_once: int, *, patience: timedelta = PATIENCE,
        lasts: timedelta = _LASTS, safety: timedelta = _SAFETY,
    ) -> None:  # fmt: skip
        self._turns = database[COLLECTION]
        self._names = [f"turn-{number}" for number in range(1, at_once + 1)]
        self._patience = patience
        self._lasts = lasts
        self._safety = safety
        self._laid_out = False

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """A turn for the length of the block. Unavailable if none comes, or if it is lost on the way."""
        holder = _holder()
        turn = await self._awaited(holder)
        try:
            async with asyncio.timeout(self._safe_seconds) as until:
                keeper = asyncio.create_task(self._keep(turn, holder, until))
                try:
                    yield
                finally:
                    keeper.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        await keeper
        except TimeoutError as error:
            raise Unavailable(_SYSTEM, "the turn to ask was lost; it could not be renewed in time") from error
        finally:
            await self._give_back(turn, holder)

    @property
    def _safe_seconds(self) -> float:
        return (self._lasts - self._safety).total_seconds()

    async def _awaited(self, holder: str) -> str:
        clock, turn = asyncio.get_running_loop().time, None
        end = clock() + self._patience.total_seconds()
        # The clock is looked at as well, because a timeout cancels once, and the driver may take that for its own.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(end):
                while (turn := await self._take(holder)) is None and clock() < end:  # noqa: ASYNC110  held elsewhere
                    await asyncio.sleep(_ASK_AGAIN_SECONDS)
        if turn is None:
            raise Unavailable(_SYSTEM, f"no turn to ask within {self._patience.total_seconds():g} s")
        return turn

    async def _take(self, holder: str) -> str | None:
        await self._lay_out()
        free = {"_id": {"$in": self._names}, "$expr": {"$lte": ["$until", "$$NOW"]}}
        with guarded():
            found = await self._turns.find_one_and_update(free, [{"$set": self._held_by(holder)}])
        return None if found is None else str(found["_id"])

    async def _keep(self, turn: str, holder: str, until: asyncio.Timeout) -> None:
        while True:
            await asyncio.sleep(self._lasts.total_seconds() / 3)
            asked = asyncio.get_running_loop().time()
            mine = {"_id": turn, "holder": holder, "$expr": {"$gt": ["$until", "$$NOW"]}}
            try:
                with guarded():
                    kept = await self._turns.update_one(mine, [{"$set": self._held_by(holder)}])
            except Unavailable as error:
                log.warning("a turn was not renewed: %s", error, action="vision_turn_unrenewed")
                continue
            if kept.matched_count:
                until.reschedule(asked + self._safe_seconds)

    async def _give_back(self, turn: str, holder: str) -> None:
        """If that fails, the turn ends by itself; what was answered meanwhile still counts."""
        try:
            with guarded():
                await self._turns.update_one({"_id": turn, "holder": holder}, [{"$set": _FREE}])
        except Unavailable as error:
            log.warning("a turn was not given back: %s", error, action="vision_turn_kept")

    async def _lay_out(self) -> None:
        """The documents, once per process. Two processes at it at the same time do no harm."""
        if self._laid_out:
            return
        unless_there = [{"$set": {"until": {"$ifNull": ["$until", _FREE["until"]]}}}]
        for name in self._names:
            with contextlib.suppress(Conflict), guarded():
                await self._turns.update_one({"_id": name}, unless_there, upsert=True)
        self._laid_out = True

    def _held_by(self, holder: str) -> Document:
        end = {
            "$dateAdd": {
                "startDate": "$$NOW",
                "unit": "millisecond",
                "amount": self._lasts // timedelta(milliseconds=1),
            }
        }
        return {"holder": {"$literal": holder}, "until": end}


def _holder() -> str:
    """For people who look: which workflow's activity it is. The rest makes it the only one."""
    unique = uuid4().hex[:8]
    if not activity.in_activity():
        return unique
    info = activity.info()
    return f"{info.workflow_id}/{info.activity_id}/{info.attempt}/{unique}"
