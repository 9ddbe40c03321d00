"""However many workers there are, the vision server is asked by two at once."""

import asyncio
import contextlib
import hashlib
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from temporalio import workflow
from temporalio.client import Client
from temporalio.worker import Worker

from found_footy.clips.check.lease import LEASE_COLLECTION, VisionLease
from found_footy.clips.messages import CheckClip, CheckResult, ClipFile
from found_footy.clips.steps import ClipSteps
from found_footy.domain.ids import scratch_key
from found_footy.platform.errors import Unavailable
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.platform.temporal.steps import run_step
from tests.support.clips.worker_factory import WorkerFactory, queues_of
from tests.support.media.small_videos import mp4
from tests.support.patience import PATIENCE_SECONDS
from tests.support.pipeline.goals import make_goal

WORKERS = 4


@workflow.defn(sandboxed=False)
class ConcurrentChecks:
    """Many clips to check, all at the same time."""

    @workflow.run
    async def run(self, queue: str, looks: list[CheckClip]) -> list[CheckResult]:
        check = ClipSteps.validate_video_is_soccer
        return await asyncio.gather(*(run_step(check, look, task_queue=queue) for look in looks))


async def test_four_worker_processes_make_two_calls_at_once(
    worker_factory: WorkerFactory, temporal: Client, objects: ObjectStore, tmp_path: Path
) -> None:
    worker_factory.vision.delay = 0.4
    queues = queues_of(uuid4().hex)
    looks = [await a_look(objects) for _ in range(8)]
    for number in range(WORKERS):
        await worker_factory.worker(queues.vision, folder=str(tmp_path / str(number)), at_once=2)
    async with Worker(temporal, task_queue=queues.main, workflows=[ConcurrentChecks]):
        seen = await temporal.execute_workflow(
            ConcurrentChecks.run,
            args=[queues.vision, looks],
            id=queues.main,
            task_queue=queues.main,
            execution_timeout=timedelta(minutes=2),
        )
    assert [one.timestamp_status for one in seen] == ["verified"] * len(looks)
    assert worker_factory.vision.tally.questions == len(looks)
    assert worker_factory.vision.tally.most_at_once == 2


async def a_look(objects: ObjectStore) -> CheckClip:
    """A clip in the scratch area, as if it had just been fetched."""
    goal, content = make_goal(), mp4(1)
    md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
    key = scratch_key(goal.event_id, md5)
    await objects.put_bytes(key, content, content_type="video/mp4")
    return CheckClip(goal, ClipFile(md5, key, "https://x.com/1", 320, 180, 4.0, len(content), 1, 10.0))


async def test_leases_are_acquired_by_name_and_released(database: Database) -> None:
    turns = VisionLease(database, 2, max_wait=timedelta(milliseconds=300))
    async with turns.acquire(), turns.acquire():
        held = [row["holder"] async for row in database[LEASE_COLLECTION].find()]
        assert len(set(held)) == 2
        with pytest.raises(Unavailable, match="no lease"):
            async with turns.acquire():
                pass
    async with turns.acquire():
        assert await database[LEASE_COLLECTION].count_documents({"holder": ""}) == 1


class UncancellableLease(VisionLease):
    """Asks through a driver that takes being cancelled for the end of its own wait, as happens."""

    async def _try_acquire(self, holder: str) -> str | None:
        del holder
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        return None


async def test_waiting_for_a_lease_ends_even_if_the_timeout_is_suppressed(database: Database) -> None:
    with pytest.raises(Unavailable, match="no lease"):
        async with (
            asyncio.timeout(PATIENCE_SECONDS),
            UncancellableLease(database, 1, max_wait=timedelta(milliseconds=50)).acquire(),
        ):
            pass


async def test_a_lease_whose_holder_died_expires(database: Database) -> None:
    short = VisionLease(database, 1, duration=timedelta(seconds=4), margin=timedelta(seconds=1))
    assert await short._try_acquire("somebody who dies") is not None
    assert await short._try_acquire("too early") is None
    async with asyncio.timeout(PATIENCE_SECONDS), short.acquire():
        [row] = [row async for row in database[LEASE_COLLECTION].find()]
    assert row["holder"] != "somebody who dies"


async def test_a_lease_is_renewed_for_as_long_as_it_is_used(database: Database) -> None:
    short = VisionLease(database, 1, duration=timedelta(seconds=6), margin=timedelta(seconds=1))
    other = VisionLease(database, 1, max_wait=timedelta(seconds=8))
    async with short.acquire():
        with pytest.raises(Unavailable):
            async with other.acquire():
                pass


async def test_a_holder_that_lost_its_lease_stops_calling_before_the_next_begins(database: Database) -> None:
    short = VisionLease(database, 1, duration=timedelta(milliseconds=900), margin=timedelta(milliseconds=300))

    async def ask_for_ever() -> None:
        async with short.acquire():
            await database[LEASE_COLLECTION].update_many({}, {"$set": {"holder": "a thief"}})
            await asyncio.Event().wait()

    with pytest.raises(Unavailable, match="lost"):
        await ask_for_ever()
    assert (await database[LEASE_COLLECTION].find_one() or {})["holder"] == "a thief"
