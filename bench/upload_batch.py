"""What a batch of five clips costs when its goal has fifty: time through the workflow, and the share of comparing.

    python -m bench.upload_batch [--stored 50] [--seconds 6] [--rounds 3]

Real MongoDB, Temporal and object store on this machine, real videos with real fingerprints. Each round delivers two new
recordings, two worse copies and one better copy of stored ones, and is timed from the signal to the recorded delivery;
the shares come from the workflow's own history. The limit for comparing is the bare comparison of the same
fingerprints in this process, without reading them, without Temporal.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from functools import cache
from pathlib import Path
from uuid import uuid4

from temporalio.client import Client, WorkflowHistoryEventFilterType
from temporalio.worker import Worker

from found_footy.archive.activities import ArchiveActivities
from found_footy.archive.store import ArchiveStore
from found_footy.archive.upload_workflow import UploadWorkflow
from found_footy.domain.ids import upload_workflow_id
from found_footy.domain.messages import ADD_VIDEOS_SIGNAL, ClipBatch, PipelinePace, StartUpload, TaskQueues
from found_footy.embedded.supervisor import Supervisor
from found_footy.fingerprint import FingerprintIndex, compute_fingerprint
from found_footy.platform import mongo
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.platform.temporal.client import TypedErrorInterceptor, connect
from found_footy.worker import find_activities
from tests.support.fingerprint.scenes import Scene, write
from tests.support.pipeline.goals import event_of, make_goal, store_goals
from tests.support.pipeline.recordings import Copy, put_copies

BATCH = 5
CRFS = {"stored": 26, "worse": 32, "better": 16}


@cache
def copy(recording: int, kind: str, seconds: float) -> Copy:
    film = Scene(1000 + recording, seconds=seconds).film()
    with tempfile.TemporaryDirectory() as folder:
        path = write(film, Path(folder) / "clip.mp4", crf=CRFS[kind])
        return Copy(path.read_bytes(), compute_fingerprint(path), film.pictures.shape[2], film.pictures.shape[1])


class Bench:
    def __init__(self, database: Database, objects: ObjectStore, client: Client, queues: TaskQueues) -> None:
        self.goal = make_goal()
        self._database, self._objects, self._client = database, objects, client
        self._pace = PipelinePace(attempts_wanted=1000, upload_idle=timedelta(hours=1), queues=queues)
        self._delivered = 0

    async def deliver(self, copies: Iterable[Copy]) -> float:
        """Seconds from the signal to the recorded delivery."""
        copies = list(copies)
        await put_copies(self._objects, self.goal, *copies)
        self._delivered += 1
        name = f"download{self._delivered}"
        clips = tuple(one.found(self.goal, f"{name}-{number}") for number, one in enumerate(copies))
        start = time.perf_counter()
        await self._signal(ClipBatch(self.goal, self._pace, name, clips))
        while name not in (await event_of(self._database, self.goal))["_delivered_workflows"]:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        return time.perf_counter() - start

    async def _signal(self, batch: ClipBatch) -> None:
        await self._client.start_workflow(
            UploadWorkflow.run,
            StartUpload(self.goal, self._pace),
            id=upload_workflow_id(self.goal.event_id),
            task_queue=self._pace.queues.main,
            start_signal=ADD_VIDEOS_SIGNAL,
            start_signal_args=[batch],
        )

    async def clips(self) -> int:
        return len((await event_of(self._database, self.goal))["_s3_videos"])

    async def seconds_by_activity(self, batches: int) -> dict[str, float]:
        """Mean seconds between scheduling and completion, summed over the last batches, by activity."""
        handle = self._client.get_workflow_handle(upload_workflow_id(self.goal.event_id))
        scheduled, spent = {}, defaultdict[str, list[float]](list)
        async for event in handle.fetch_history_events(event_filter_type=WorkflowHistoryEventFilterType.ALL_EVENT):
            if event.HasField("activity_task_scheduled_event_attributes"):
                name = event.activity_task_scheduled_event_attributes.activity_type.name
                scheduled[event.event_id] = name, event.event_time.ToDatetime()
            elif event.HasField("activity_task_completed_event_attributes"):
                name, begun = scheduled[event.activity_task_completed_event_attributes.scheduled_event_id]
                spent[name].append((event.event_time.ToDatetime() - begun).total_seconds())
        return {name: statistics.mean(each[-batches:]) for name, each in spent.items()}


@asynccontextmanager
async def opened() -> AsyncIterator[Bench]:
    queues = TaskQueues(*(f"{kind}-{uuid4().hex}" for kind in ("main", "media", "vision")))
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            servers = (await stack.enter_async_context(Supervisor(Path(folder) / "data", abrupt=True))).endpoints
            objects = ObjectStore(servers.s3_endpoint, servers.s3_access_key, servers.s3_secret_key, "footy-videos")
            await objects.ensure_bucket()
            stack.push_async_callback(objects.aclose)
            database = await stack.enter_async_context(mongo.connect(servers.mongodb_uri, "bench"))
            client = await stack.enter_async_context(connect(servers.temporal_address, "default"))
            activities = find_activities(ArchiveActivities(ArchiveStore(database, "footy-videos"), objects))
            for queue, workflows in ((queues.main, [UploadWorkflow]), (queues.media, [])):
                worker = Worker(
                    client,
                    task_queue=queue,
                    workflows=workflows,
                    activities=activities,
                    interceptors=[TypedErrorInterceptor()],
                )
                await stack.enter_async_context(worker)
            bench = Bench(database, objects, client, queues)
            await store_goals(database, bench.goal)
            yield bench


def bare_seconds(stored: Sequence[Copy], batch: Sequence[Copy]) -> float:
    start = time.process_time()
    index: FingerprintIndex[str] = FingerprintIndex()
    for one in (*stored, *batch):
        index.add(one.md5, one.print)
    for one in batch:
        index.query(one.print)
    return time.process_time() - start


def make_batch(number: int, stored: int, seconds: float) -> list[Copy]:
    new = [copy(stored + 2 * number + more, "stored", seconds) for more in range(2)]
    known = [(3 * number + more) % stored for more in range(3)]
    return [*new, *(copy(one, "worse", seconds) for one in known[:2]), copy(known[2], "better", seconds)]


async def run(stored: int, seconds: float, rounds: int) -> None:
    print(f"rendering {stored} stored clips and {rounds} batches, {seconds:g} s each …")
    kept = [copy(number, "stored", seconds) for number in range(stored)]
    batches = [make_batch(number, stored, seconds) for number in range(rounds)]
    async with opened() as bench:
        for first in range(0, stored, BATCH):
            await bench.deliver(kept[first : first + BATCH])
        before = await bench.clips()
        times = [await bench.deliver(batch) for batch in batches]
        after = await bench.clips()
        spent = await bench.seconds_by_activity(rounds)
    bare = statistics.mean(bare_seconds(kept, batch) for batch in batches)
    report(times, spent, bare, (before, after), (stored, stored + 2 * rounds))


def report(
    times: Sequence[float], spent: dict[str, float], bare: float, clips: tuple[int, int], wanted: tuple[int, int]
) -> None:
    mean = statistics.mean(times)
    print(f"\nclips before and after: {clips} (right: {wanted})")
    print(f"a batch of {BATCH}: mean {mean * 1000:.0f} ms, slowest {max(times) * 1000:.0f} ms, {len(times)} rounds")
    compare = spent.get("deduplicate_videos", 0.0)
    print(
        f"comparing: {compare * 1000:.0f} ms, {compare / mean:.0%} of the batch; bare comparison {bare * 1000:.0f} ms"
    )
    for name, each in sorted(spent.items(), key=lambda item: -item[1]):
        print(f"  {name:34} {each * 1000:7.1f} ms a call")
    assert clips == wanted, "the archive is wrong, so its time means nothing"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    arguments.add_argument("--stored", type=int, default=50)
    arguments.add_argument("--seconds", type=float, default=6.0)
    arguments.add_argument("--rounds", type=int, default=3)
    chosen = arguments.parse_args()
    asyncio.run(run(chosen.stored, chosen.seconds, chosen.rounds))


if __name__ == "__main__":
    main()
