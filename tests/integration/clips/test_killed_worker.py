"""A worker killed at any step of an attempt: another one ends it as it would have ended anyway."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from temporalio.client import Client

from found_footy.domain.messages import Goal
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from tests.support.clips.download_runs import Handle, delivered, start
from tests.support.clips.worker_factory import WorkerFactory, queues_of
from tests.support.media.small_videos import mp4
from tests.support.patience import PATIENCE_SECONDS
from tests.support.pipeline.goals import event_of, make_goal, store_goals
from tests.support.pipeline.outside import OutsideServices
from tests.support.pipeline.services import until

UNDISTURBED = ""
STEPS = ("registered", "fetched", "looked", "printed", "noted", "queued", "cleaned")


@dataclass
class DownloadScene:
    worker_factory: WorkerFactory
    temporal: Client
    database: Database
    objects: ObjectStore
    outside: OutsideServices
    folder: Path


@pytest.fixture
def stage(
    worker_factory: WorkerFactory,
    temporal: Client,
    database: Database,
    objects: ObjectStore,
    outside: OutsideServices,
    tmp_path: Path,
) -> DownloadScene:
    outside.files = {"/1.mp4": mp4(1)}
    return DownloadScene(worker_factory, temporal, database, objects, outside, tmp_path)


async def test_the_attempt_ends_the_same_whichever_worker_is_killed_when(stage: DownloadScene) -> None:
    ends = await asyncio.gather(*(attempt(stage, step) for step in (UNDISTURBED, *STEPS)))
    expected = ends[0]
    assert expected["outcomes"] == {"fan1": None, "fan2": "download_deleted"}
    [(_, version, minute)] = expected["clips"]
    assert (version, minute) == ("motion:0.125", 23)
    for step, end in zip(STEPS, ends[1:], strict=True):
        assert end == expected, f"killed when {step}"


async def attempt(stage: DownloadScene, step: str) -> Any:
    """One attempt from its start to its end, by a worker that dies at this step and another after it."""
    name, goal = f"{step}-{uuid4().hex}", make_goal()
    queues, marker = queues_of(name), stage.folder / name
    every = (queues.main, queues.media, queues.vision)
    await store_goals(stage.database, goal)
    doom = {"failpoint": f"clips.{step}", "marker": str(marker)} if step else {}
    await stage.worker_factory.worker(*every, orders=queues.main, folder=str(stage.folder / "one"), **doom)
    handle = await start(stage.temporal, queues, goal, stage.outside, 1, 2)
    if step:
        await until(lambda: asyncio.to_thread(marker.exists))
        await stage.worker_factory.worker(*every, orders=queues.main, folder=str(stage.folder / "two"))
    return await end(stage, goal, handle)


async def end(stage: DownloadScene, goal: Goal, handle: Handle) -> Any:
    ended = await asyncio.wait_for(handle.result(), PATIENCE_SECONDS)
    event = await event_of(stage.database, goal)
    clips = event["_telemetry"]["attempts"][handle.id]["clips"].values()
    [batch] = await delivered(stage.temporal, goal)
    found = {
        "ended": [ended.found, ended.accepted],
        "registered": event["_download_workflows"],
        "outcomes": {clip["url"].split("/")[3]: clip.get("outcome") for clip in clips},
        "reasons": sorted(clip["reason"] for clip in clips),
        "clips": sorted((clip.md5, clip.hash_version, clip.extracted_minute) for clip in batch.clips),
        "keys": sorted([info.key async for info in stage.objects.list() if goal.event_id in info.key]),
    }
    return json.loads(json.dumps(found).replace(str(goal.fixture_id), "FIXTURE"))
