"""A worker killed between any two steps of a replacement: the archive ends where it would have ended anyway."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from found_footy.domain.messages import Goal, TaskQueues
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.mongo import Document
from tests.support.patience import PATIENCE_SECONDS
from tests.support.pipeline.batches import make_batch
from tests.support.pipeline.deliveries import archive_of, archived, deliver, register_goal
from tests.support.pipeline.goals import event_of, make_pace
from tests.support.pipeline.recordings import copy_of, put_copies
from tests.support.pipeline.services import PipelineServices, running_worker

ROOT = Path(__file__).parents[3]
WORKER = ROOT / "tests" / "support" / "archive" / "killable_worker.py"

# Where the worker dies, and whether Temporal's own retry is waited for. Without it, the run is ended and the batch
# delivered again, which is the harder case: nobody remembers what was done.
PLOTS = {
    "archive.copied": False,  # the new file is in its place, no record names it
    "archive.switched": True,  # the record names the new file, the old one is still there, nobody was told
    "archive.replacing": True,  # the same, and the step is over
    "archive.concluded": False,  # the delivery is recorded, nobody was told
}


async def test_the_archive_after_a_kill_is_what_it_would_have_been(
    pipeline: PipelineServices, platform: PlatformEndpoints, tmp_path: Path
) -> None:
    """All kills at once, each in a goal and a process of its own: what takes long is waiting for the dead."""
    await asyncio.gather(
        *(replaced_by_the_dying(pipeline, platform, tmp_path, place, waits) for place, waits in PLOTS.items())
    )


async def replaced_by_the_dying(
    pipeline: PipelineServices, platform: PlatformEndpoints, folder: Path, place: str, waits: bool
) -> None:
    mine = replace(pipeline, queues=TaskQueues(*(f"{kind}-{uuid4().hex}" for kind in ("main", "media", "vision"))))
    goal = await register_goal(mine, attempts=2)
    pace = make_pace(mine.queues, attempts_wanted=2)
    poor, best = copy_of(1, "poor"), copy_of(1, "best")
    await put_copies(mine.objects, goal, poor, best)
    async with running_worker(mine):
        event = await archived(mine, make_batch(goal, pace, 1, [poor.found(goal, "a")]))
        [before] = event["_s3_videos"]
    batch = make_batch(goal, pace, 2, [best.found(goal, "b"), poor.found(goal, "c")])
    async with dying(mine, platform, place, folder / place) as process:
        await deliver(mine, batch)
        assert await asyncio.wait_for(process.wait(), PATIENCE_SECONDS) == -signal.SIGKILL
    assert (folder / place).exists(), "the worker died, but not where it was meant to"
    await assert_playable(mine, goal)
    if not waits:
        await archive_of(mine, goal).terminate()
        await deliver(mine, batch)
    async with running_worker(mine):
        await asyncio.wait_for(archive_of(mine, goal).result(), PATIENCE_SECONDS)
    event = await event_of(mine.database, goal)
    [after] = event["_s3_videos"]
    assert (after["clip_id"], after["md5"], after["popularity"], after["rank"]) == (before["clip_id"], best.md5, 3, 1)
    assert event["_download_complete"]


async def assert_playable(pipeline: PipelineServices, goal: Goal) -> None:
    """There is no moment without a clip that plays."""
    event: Document = await event_of(pipeline.database, goal)
    for clip in event["_s3_videos"]:
        stored = await pipeline.objects.head(clip["_s3_key"])
        assert stored is not None
        assert stored.etag == clip["md5"]


@asynccontextmanager
async def dying(
    pipeline: PipelineServices, platform: PlatformEndpoints, place: str, marker: Path
) -> AsyncIterator[asyncio.subprocess.Process]:
    order = {
        "mongo": platform.mongodb_uri,
        "database": pipeline.database.name,
        "temporal": platform.temporal_address,
        "s3": platform.s3_endpoint,
        "s3_access": platform.s3_access_key,
        "s3_secret": platform.s3_secret_key,
        "bucket": pipeline.objects.bucket,
        "main": pipeline.queues.main,
        "media": pipeline.queues.media,
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(WORKER),
        json.dumps(order),
        env={**os.environ, "FOOTY_FAILPOINT": place, "FOOTY_FAILPOINT_MARKER": str(marker), "PYTHONPATH": str(ROOT)},
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
