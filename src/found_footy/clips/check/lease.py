"""Distributed semaphore for the vision server: a fixed number of concurrent requests for the whole deployment.

Each slot is a document with its holder and its expiry. Acquiring a slot is a single MongoDB operation, by MongoDB's
clock. If the holder dies, its lease expires; a holder that cannot renew the lease in time stops its request before
another holder can acquire the slot.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from temporalio import activity

from found_footy.clips.metrics import LEASE_WAIT_SECONDS, LEASES_HELD, LEASES_LIMIT
from found_footy.platform.errors import Conflict, Unavailable
from found_footy.platform.logs import ActionLogger
from found_footy.platform.mongo import Database, Document, translate_mongo_errors
from found_footy.platform.tasks import cancel_and_wait

LEASE_COLLECTION = "vision_turns"
_SYSTEM = "vision server"
# Slots are granted in no order, and each further worker adds two contenders. With three workers and answers that take a
# minute, a contender that waits this long was passed over at least five times.
LEASE_MAX_WAIT = timedelta(minutes=5)
# The lease is renewed three times before it expires; the holder stops a margin before the expiry.
_LEASE_DURATION = timedelta(seconds=30)
_EXPIRY_MARGIN = timedelta(seconds=5)
_POLL_SECONDS = 0.2
_FREE_SLOT: Document = {"holder": "", "until": datetime.fromtimestamp(0, UTC)}

logger = ActionLogger(__name__)


class VisionLease:
    """`slots` leases. Waits at most `max_wait` for one, then raises Unavailable, so that the activity is retried."""

    def __init__(
        self,
        database: Database,
        slots: int,
        *,
        max_wait: timedelta = LEASE_MAX_WAIT,
        duration: timedelta = _LEASE_DURATION,
        margin: timedelta = _EXPIRY_MARGIN,
    ) -> None:
        self._slots = database[LEASE_COLLECTION]
        self._slot_names = [f"turn-{number}" for number in range(1, slots + 1)]
        self._max_wait = max_wait
        self._duration = duration
        self._margin = margin
        self._slots_created = False
        LEASES_LIMIT.set(slots)

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[None]:
        """Hold a lease for the block. Raises Unavailable if none becomes free, or if it is lost meanwhile."""
        holder = _make_holder_id()
        with LEASE_WAIT_SECONDS.time():
            slot = await self._wait_for_slot(holder)
        LEASES_HELD.inc()
        try:
            async with asyncio.timeout(self._safe_seconds) as until:
                renewal = asyncio.create_task(self._renew(slot, holder, until))
                try:
                    yield
                finally:
                    for error in await cancel_and_wait([renewal]):
                        raise error
        except TimeoutError as error:
            raise Unavailable(_SYSTEM, "the lease was lost: it could not be renewed in time") from error
        finally:
            LEASES_HELD.dec()
            await self._release(slot, holder)

    @property
    def _safe_seconds(self) -> float:
        return (self._duration - self._margin).total_seconds()

    async def _wait_for_slot(self, holder: str) -> str:
        clock, slot = asyncio.get_running_loop().time, None
        end = clock() + self._max_wait.total_seconds()
        # The loop checks the clock too, because a timeout cancels only once, and the driver may swallow that.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(end):
                while (slot := await self._try_acquire(holder)) is None and clock() < end:  # noqa: ASYNC110  held elsewhere
                    await asyncio.sleep(_POLL_SECONDS)
        if slot is None:
            raise Unavailable(_SYSTEM, f"no lease within {self._max_wait.total_seconds():g} s")
        return slot

    async def _try_acquire(self, holder: str) -> str | None:
        await self._create_slots()
        free = {"_id": {"$in": self._slot_names}, "$expr": {"$lte": ["$until", "$$NOW"]}}
        with translate_mongo_errors():
            found = await self._slots.find_one_and_update(free, [{"$set": self._lease_fields(holder)}])
        return None if found is None else str(found["_id"])

    async def _renew(self, slot: str, holder: str, deadline: asyncio.Timeout) -> None:
        while True:
            await asyncio.sleep(self._duration.total_seconds() / 3)
            asked = asyncio.get_running_loop().time()
            mine = {"_id": slot, "holder": holder, "$expr": {"$gt": ["$until", "$$NOW"]}}
            try:
                with translate_mongo_errors():
                    renewed = await self._slots.update_one(mine, [{"$set": self._lease_fields(holder)}])
            except Unavailable as error:
                logger.warning("the lease was not renewed: %s", error, action="vision_turn_unrenewed")
                continue
            if renewed.matched_count:
                deadline.reschedule(asked + self._safe_seconds)

    async def _release(self, slot: str, holder: str) -> None:
        """If this fails, the lease expires by itself; the answer is still valid."""
        try:
            with translate_mongo_errors():
                await self._slots.update_one({"_id": slot, "holder": holder}, [{"$set": _FREE_SLOT}])
        except Unavailable as error:
            logger.warning("the lease was not released: %s", error, action="vision_turn_kept")

    async def _create_slots(self) -> None:
        """Create the slot documents, once per process. Concurrent creation is harmless."""
        if self._slots_created:
            return
        unless_there = [{"$set": {"until": {"$ifNull": ["$until", _FREE_SLOT["until"]]}}}]
        for name in self._slot_names:
            with contextlib.suppress(Conflict), translate_mongo_errors():
                await self._slots.update_one({"_id": name}, unless_there, upsert=True)
        self._slots_created = True

    def _lease_fields(self, holder: str) -> Document:
        end = {
            "$dateAdd": {
                "startDate": "$$NOW",
                "unit": "millisecond",
                "amount": self._duration // timedelta(milliseconds=1),
            }
        }
        return {"holder": {"$literal": holder}, "until": end}


def _make_holder_id() -> str:
    """Names the workflow and activity for people who inspect the lease; the suffix makes it unique."""
    unique = uuid4().hex[:8]
    if not activity.in_activity():
        return unique
    info = activity.info()
    return f"{info.workflow_id}/{info.activity_id}/{info.attempt}/{unique}"
