"""What people decided holds for everything that comes after, through the whole upload queue."""

from datetime import UTC, datetime, timedelta

import pytest

from found_footy.archive.files import ClipUploader
from found_footy.archive.maintenance.messages import SweepRequest
from found_footy.archive.maintenance.scan import ScanScope
from found_footy.archive.maintenance.services import MaintenanceServices
from found_footy.archive.messages import UploadedClip
from found_footy.archive.moderation.service import ModerationRequest
from found_footy.archive.moderation.store import ModerationStore
from found_footy.domain.messages import Goal, ScreenedClip
from tests.support.pipeline.batches import make_batch
from tests.support.pipeline.deliveries import archived, outcomes, register_goal
from tests.support.pipeline.goals import event_of, make_pace
from tests.support.pipeline.recordings import copy_of, put_copies
from tests.support.pipeline.services import PipelineServices, running_worker

LIVE, REPLAY, CROWD = 1, 2, 3


async def faults(pipeline: PipelineServices) -> list[object]:
    """What the integrity job says of what the archive has written; nobody waits for the scratch area any more."""
    keeping = MaintenanceServices(pipeline.database, pipeline.objects, lambda: datetime.now(UTC) + timedelta(minutes=1))
    found = keeping.build_scanner().scan(ScanScope(grace=timedelta(0), deep=True))
    return [one async for one in found if one.is_error and not one.key.startswith("scratch/")]


async def test_a_blocked_clip_is_not_stored_again_and_a_pinned_one_stays_first(pipeline: PipelineServices) -> None:
    goal, pace = await register_goal(pipeline), make_pace(pipeline.queues)
    keeper = MaintenanceServices(pipeline.database, pipeline.objects, lambda: datetime.now(UTC)).moderation
    good, best, start = (copy_of(LIVE, kind) for kind in ("good", "best", "start"))
    replay, smaller, crowd = copy_of(REPLAY), copy_of(REPLAY, "small"), copy_of(CROWD)
    await put_copies(pipeline.objects, goal, good, replay, crowd)
    async with running_worker(pipeline):
        first = [good.found(goal, "a", verified=True), replay.found(goal, "b"), crowd.found(goal, "c", verified=True)]
        event = await archived(pipeline, make_batch(goal, pace, 1, first))
        ids = {clip["md5"]: clip["clip_id"] for clip in event["_s3_videos"]}
        assert await faults(pipeline) == []
        await keeper.pin(ids[replay.md5], ModerationRequest("ada", "1"))
        await keeper.take_down(ids[good.md5], ModerationRequest("ada", "2", "asked"))
        await keeper.mark_wrong_goal(ids[crowd.md5], ModerationRequest("ada", "3"))
        await put_copies(pipeline.objects, goal, good, best, start, smaller, crowd)
        again = [
            good.found(goal, "d"),
            best.found(goal, "e", verified=True),
            start.found(goal, "f"),
            smaller.found(goal, "g", verified=True),
            crowd.found(goal, "h"),
        ]
        event = await archived(pipeline, make_batch(goal, pace, 2, again))
    assert event["_s3_videos"][0]["clip_id"] == ids[replay.md5]
    assert event["_s3_videos"][0]["pinned"] is True
    shown = {clip["md5"] for clip in event["_s3_videos"]}
    assert shown <= {replay.md5, smaller.md5}
    assert {name: said for name, said in outcomes(event).items() if name in "defh"} == {
        "d": "blocked",
        "e": "blocked",
        "f": "blocked",
        "h": "wrong_minute",
    }
    assert await faults(pipeline) == []


async def test_a_copy_that_was_compared_before_a_take_down_and_is_saved_after_it_is_not_published(
    pipeline: PipelineServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal, other, pace = await register_goal(pipeline), await register_goal(pipeline), make_pace(pipeline.queues)
    keeper = MaintenanceServices(pipeline.database, pipeline.objects, lambda: datetime.now(UTC)).moderation
    good, poor = copy_of(LIVE, "good"), copy_of(LIVE, "poor")
    await put_copies(pipeline.objects, goal, good)
    await put_copies(pipeline.objects, other, poor)
    really, taken = ClipUploader.upload, list[str]()

    async def place(self: ClipUploader, to: Goal, clip: ScreenedClip, now: datetime) -> UploadedClip:
        if clip.md5 == poor.md5 and not taken:
            taken.extend((await keeper.take_down(shown["clip_id"], ModerationRequest("ada", "1", "asked"))).clips)
        return await really(self, to, clip, now)

    async with running_worker(pipeline):
        [shown] = (await archived(pipeline, make_batch(goal, pace, 1, [good.found(goal, "a")])))["_s3_videos"]
        monkeypatch.setattr(ClipUploader, "upload", place)
        event = await archived(pipeline, make_batch(other, pace, 1, [poor.found(other, "b")]))
    assert taken == [shown["clip_id"]]
    assert (event["_s3_videos"], outcomes(event)["b"]) == ([], "blocked")
    # From now on its bytes alone tell, so that it is not even fetched, and the night deletes what is left of it.
    assert await ModerationStore(pipeline.database).find_blocked([poor.md5, "none"]) == {poor.md5}
    night = MaintenanceServices(pipeline.database, pipeline.objects, lambda: datetime.now(UTC)).sweeper
    await night.sweep(SweepRequest(), lambda _: None)
    left = [info.key async for info in pipeline.objects.list() if poor.md5 in info.key]
    assert left == []


async def test_two_clips_that_people_keep_apart_are_never_joined(pipeline: PipelineServices) -> None:
    goal, pace = await register_goal(pipeline), make_pace(pipeline.queues)
    keeper = MaintenanceServices(pipeline.database, pipeline.objects, lambda: datetime.now(UTC)).moderation
    start, end, whole = (copy_of(LIVE, kind) for kind in ("start", "end", "best"))
    await put_copies(pipeline.objects, goal, start, end, whole)
    async with running_worker(pipeline):
        event = await archived(pipeline, make_batch(goal, pace, 1, [start.found(goal, "a"), end.found(goal, "b")]))
        one, other = (clip["clip_id"] for clip in event["_s3_videos"])
        await keeper.keep_apart(one, other, ModerationRequest("ada", "1"))
        event = await archived(pipeline, make_batch(goal, pace, 2, [whole.found(goal, "c")]))
    assert {clip["clip_id"] for clip in event["_s3_videos"]} >= {one, other}
    assert await faults(pipeline) == []
    # They do show the same, so that taking one of them down takes all.
    assert len((await keeper.take_down(one, ModerationRequest("ada", "2", "asked"))).clips) == len(event["_s3_videos"])
    assert (await event_of(pipeline.database, goal))["_s3_videos"] == []
