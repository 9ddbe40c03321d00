"""The nightly sweep takes what nothing needs, and nothing else."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from temporalio.client import Client
from temporalio.worker import Worker

from found_footy.archive.maintenance.activities import SweepActivities
from found_footy.archive.maintenance.messages import SWEEP_SCHEDULE, EmptyTrash, SweepRequest, SweepResult
from found_footy.archive.maintenance.sweep import ObjectSweeper
from found_footy.archive.maintenance.sweep_workflow import SweepWorkflow
from found_footy.archive.moderation.service import ModerationRequest
from found_footy.archive.moderation.store import ModerationStore
from found_footy.archive.settings import build_sweep_request
from found_footy.domain.collections import FixtureCollection
from found_footy.domain.ids import evidence_key, scratch_key
from found_footy.domain.messages import Goal, TaskQueues
from found_footy.platform.errors import Unavailable
from found_footy.platform.objects import ObjectInfo, ObjectStore
from found_footy.platform.temporal.client import TypedErrorInterceptor
from found_footy.platform.temporal.schedules import ensure_schedule
from found_footy.schedules import build_schedules
from found_footy.settings import load_settings
from tests.support.archive.stored_clips import DAY, StoredClips, id_of, make_record, md5_of
from tests.support.histories import record
from tests.support.pipeline.recordings import copy_of

ORDER = SweepRequest(trash_retention=timedelta(seconds=1))


async def put(stored_clips: StoredClips, *keys: str) -> None:
    for key in keys:
        await stored_clips.objects.put_bytes(key, b"x", content_type="video/mp4")


async def at_night(stored_clips: StoredClips, temporal: Client, queues: TaskQueues) -> SweepResult:
    """The whole workflow, as the schedule starts it."""
    activities = SweepActivities(stored_clips.keeping.sweeper)
    worker = Worker(
        temporal,
        task_queue=queues.main,
        workflows=[SweepWorkflow],
        activities=[activities.sweep_objects, activities.settle_trash],
        interceptors=[TypedErrorInterceptor()],
    )
    async with worker:
        handle = await temporal.start_workflow(SweepWorkflow.run, ORDER, id=f"sweep-{uuid4()}", task_queue=queues.main)
        swept = await handle.result()
    await record(handle, "sweep")
    return swept


async def test_a_sweep_deletes_orphans_and_old_scratch_and_leaves_needed_and_foreign_objects(
    stored_clips: StoredClips, temporal: Client, queues: TaskQueues
) -> None:
    searching = await stored_clips.goal(1, _download_workflows=["download1"], _delivered_workflows=[])
    settled = await stored_clips.goal(2, _download_complete=True, collection=FixtureCollection.COMPLETED)
    sent_away = await stored_clips.goal(3, 4)
    await stored_clips.keeping.moderation.mark_wrong_goal(id_of(sent_away, 3), ModerationRequest("ada", "line-1"))
    kept = await stored_clips.keys()
    wanted = scratch_key(searching.event_id, md5_of(9))
    foreign = {"not-ours.txt", "1/stray.mp4", "a/b/c.mp4"}
    await put(stored_clips, wanted, *foreign, scratch_key(settled.event_id, md5_of(2)), "scratch/nobody/m.mp4")
    await put(
        stored_clips, "7/7_1_1_Goal_1/left-over.mp4", f"{settled.fixture_id}/e/orphan.jpg", "blocklist/none.print"
    )
    everything = await stored_clips.keys()
    assert await stored_clips.keeping.sweeper.sweep(ORDER, lambda _: None) == SweepResult()
    assert await stored_clips.keys() == everything
    stored_clips.clock.now += 2 * DAY
    assert await at_night(stored_clips, temporal, queues) == SweepResult(orphans=3, scratch=2, deleted=3)
    assert await stored_clips.keys() == kept | foreign | {wanted}
    stored_clips.clock.now += 8 * DAY
    assert (await stored_clips.keeping.sweeper.sweep(ORDER, lambda _: None)).scratch == 1


async def test_when_most_objects_belong_to_no_record_none_is_swept(
    stored_clips: StoredClips, caplog: pytest.LogCaptureFixture
) -> None:
    """A database of the wrong name knows nothing of what is stored."""
    for numbers in ((1, 2, 3), (4, 5)):
        await stored_clips.goal(*numbers)
    await put(stored_clips, "blocklist/some.print", "scratch/nobody/m.mp4")
    everything = await stored_clips.keys()
    for collection in FixtureCollection:
        await stored_clips.database[collection].delete_many({})
    stored_clips.clock.now += 2 * DAY
    swept = await stored_clips.keeping.sweeper.sweep(ORDER, lambda _: None)
    assert swept == SweepResult(scratch=1, held_back=26)
    assert await stored_clips.keys() == everything - {"scratch/nobody/m.mp4"}
    assert [getattr(line, "action", "") for line in caplog.records if line.levelname == "ERROR"] == ["sweep_held_back"]


async def test_the_sweep_is_on_the_schedule(temporal: Client) -> None:
    settings = load_settings({"FOOTY_DATA_DIR": "/nonexistent", "FOOTY_KEEPING__TRASH_REST": "2h"}).settings
    wanted, name = build_schedules(settings)[SWEEP_SCHEDULE], f"sweep-{uuid4()}"
    await ensure_schedule(temporal, name, wanted)
    handle = temporal.get_schedule_handle(name)
    described = await handle.describe()
    await handle.delete()
    assert {(at.hour, at.minute) for at in described.info.next_action_times} == {(3, 35)}
    assert build_sweep_request(settings.keeping) == SweepRequest(trash_retention=timedelta(hours=2))


async def recorded_late(stored_clips: StoredClips, goal: Goal) -> None:
    """An upload that found its object there already writes its record."""
    await stored_clips.change(goal, {"_s3_videos": [make_record(goal, 1, rank=1)]})


@pytest.mark.parametrize("moment", ["copy", "delete", "rest"])
async def test_an_object_that_an_upload_records_during_its_sweep_is_restored(
    stored_clips: StoredClips, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    goal = await stored_clips.goal()
    await stored_clips.put(goal, 1, b"print")
    key = make_record(goal, 1)["_s3_key"]
    stored_clips.clock.now += 2 * DAY
    if moment != "rest":
        _before(monkeypatch, moment, lambda: recorded_late(stored_clips, goal))
    await stored_clips.keeping.sweeper.sweep(ORDER, lambda _: None)
    if moment == "rest":
        assert key not in await stored_clips.keys()
        await recorded_late(stored_clips, goal)
    stored_clips.clock.now += DAY
    await stored_clips.keeping.sweeper.empty_trash(EmptyTrash(ORDER.trash_retention), lambda _: None)
    assert {make_record(goal, 1)[f"{part}_key"] for part in ("thumbnail", "preview", "fingerprint")} | {key} <= (
        await stored_clips.keys(f"{goal.fixture_id}/")
    )
    assert await stored_clips.keys("trash/") == set()


def _before(patch: pytest.MonkeyPatch, name: str, act: Callable[[], Awaitable[None]]) -> None:
    """Let something happen right before the store does what it is told."""
    really = getattr(ObjectStore, name)

    async def late(self: ObjectStore, *args: str, **named: str) -> ObjectInfo | None:
        await act()
        result: ObjectInfo | None = await really(self, *args, **named)
        return result

    patch.setattr(ObjectStore, name, late)


async def test_a_sweep_that_fails_half_way_continues_where_it_stopped(
    stored_clips: StoredClips, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(stored_clips, *(f"7/7_1_1_Goal_1/{number}.mp4" for number in range(4)))
    stored_clips.clock.now += 2 * DAY
    really, calls = ObjectStore.delete, iter(range(100))

    async def failing(self: ObjectStore, key: str) -> None:
        if next(calls) == 2:
            raise Unavailable("object store", "down")
        await really(self, key)

    with monkeypatch.context() as patched:
        patched.setattr(ObjectStore, "delete", failing)
        with pytest.raises(Unavailable):
            await stored_clips.keeping.sweeper.sweep(ORDER, lambda _: None)
    assert (await stored_clips.keeping.sweeper.sweep(ORDER, lambda _: None)).orphans == 2
    assert await stored_clips.keys("7/") == set()
    assert len(await stored_clips.keys("trash/")) == 4


async def test_scratch_and_trash_are_deleted_from_a_full_store(
    stored_clips: StoredClips, temporal: Client, queues: TaskQueues, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(stored_clips, "scratch/nobody/m.mp4", "7/7_1_1_Goal_1/orphan.mp4", "trash/7/7_1_1_Goal_1/swept.mp4")
    stored_clips.clock.now += 8 * DAY
    monkeypatch.setattr(ObjectStore, "copy", cut_short)
    swept = await at_night(stored_clips, temporal, queues)
    assert (swept.scratch, swept.orphans, swept.deleted) == (1, 0, 1)
    assert await stored_clips.keys() == {"7/7_1_1_Goal_1/orphan.mp4"}


async def cut_short(self: object, *args: object, **named: object) -> None:
    raise Unavailable("the store", "down")


async def test_the_sweep_does_not_complete_a_decision_that_was_changed(
    stored_clips: StoredClips, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal, keeper = await stored_clips.goal(1, 2, 3), stored_clips.keeping.moderation
    with monkeypatch.context() as patched:
        patched.setattr(ModerationStore, "update_goal", cut_short)
        with pytest.raises(Unavailable):
            await keeper.pin(id_of(goal, 1), ModerationRequest("ada", "line-1"))
    stored_clips.clock.now += timedelta(minutes=1)
    await keeper.pin(id_of(goal, 2), ModerationRequest("bob", "line-2"))
    stored_clips.clock.now += timedelta(minutes=11)
    assert (await stored_clips.keeping.sweeper.sweep(ORDER, lambda _: None)).resumed == 1
    assert await stored_clips.clips(goal) == [id_of(goal, number) for number in (2, 3, 1)]
    assert {line["state"] for line in await stored_clips.audit()} == {"done"}


async def test_the_sweep_takes_down_a_clip_that_has_a_better_file_by_now(
    stored_clips: StoredClips, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = await stored_clips.goal(1, 2)
    with monkeypatch.context() as patched:
        patched.setattr(ObjectStore, "copy", cut_short)
        with pytest.raises(Unavailable):
            await stored_clips.keeping.moderation.take_down(id_of(goal, 1), ModerationRequest("ada", "line-1", "asked"))
    await stored_clips.change(goal, {"_s3_videos.1": make_record(goal, 5, clip_id=id_of(goal, 1), rank=2)})
    stored_clips.clock.now += timedelta(minutes=11)
    await stored_clips.keeping.sweeper.sweep(ORDER, lambda _: None)
    assert await stored_clips.clips(goal) == [id_of(goal, 2)]
    assert (await stored_clips.keeping.moderation_store.load_moderation(goal)).find_block(md5_of(5))


async def test_the_sweep_completes_decisions_and_removes_clips_stored_during_one(
    stored_clips: StoredClips, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal, other = await stored_clips.goal(1, 2), await stored_clips.goal(3)
    with monkeypatch.context() as patched:
        patched.setattr(ObjectStore, "delete", cut_short)
        with pytest.raises(Unavailable):
            await stored_clips.keeping.moderation.take_down(id_of(goal, 1), ModerationRequest("ada", "line-1", "asked"))
    sweeper: ObjectSweeper = stored_clips.keeping.sweeper
    stored_clips.clock.now += timedelta(minutes=11)
    assert await sweeper.sweep(ORDER, lambda _: None) == SweepResult(resumed=1)
    slipped_in = await stored_clips.goal(1)
    assert await sweeper.sweep(ORDER, lambda _: None) == SweepResult(enforced=1)
    assert await stored_clips.clips(slipped_in) == []
    assert await stored_clips.clips(goal) == [id_of(goal, 2)]
    assert await stored_clips.clips(other) == [id_of(other, 3)]
    assert {key for key in await stored_clips.keys() if md5_of(1) in key} == {f"blocklist/{md5_of(1)}.print"}
    assert {line["state"] for line in await stored_clips.audit()} == {"done"}


async def test_the_sweep_removes_copies_and_remaining_objects_of_a_blocked_clip(stored_clips: StoredClips) -> None:
    """Stored or downloaded while a person was taking it down, or brought back by an old backup."""
    good, poor, other = (copy.print.to_bytes() for copy in (copy_of(1, "good"), copy_of(1, "poor"), copy_of(2)))
    goal = await stored_clips.goal(1, prints=(good,))
    await stored_clips.keeping.moderation.take_down(id_of(goal, 1), ModerationRequest("ada", "line-1", "asked"))
    slipped_in = await stored_clips.goal(2, 3, prints=(poor, other))
    left = (
        evidence_key(slipped_in.fixture_id, slipped_in.event_id, md5_of(1), 1),
        scratch_key(slipped_in.event_id, md5_of(1)),
        make_record(slipped_in, 1)["_s3_key"],
    )
    await put(stored_clips, *left)
    assert await stored_clips.keeping.sweeper.sweep(ORDER, lambda _: None) == SweepResult(enforced=1)
    assert await stored_clips.clips(slipped_in) == [id_of(slipped_in, 3)]
    blocked = {f"blocklist/{md5_of(number)}.print" for number in (1, 2)}
    assert {key for key in await stored_clips.keys() if md5_of(1) in key or md5_of(2) in key} == blocked
    assert await stored_clips.keeping.sweeper.sweep(ORDER, lambda _: None) == SweepResult()
