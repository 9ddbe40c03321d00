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
from found_footy.platform.temporal import TypedErrorInterceptor
from found_footy.platform.temporal_schedules import ensure_schedule
from found_footy.schedules import build_schedules
from found_footy.settings import load_settings
from tests.support.archive.stored_clips import DAY, Shelves, a_record, id_of, md5_of
from tests.support.histories import record
from tests.support.pipeline.recordings import copy_of

ORDER = SweepRequest(trash_retention=timedelta(seconds=1))


async def put(shelves: Shelves, *keys: str) -> None:
    for key in keys:
        await shelves.objects.put_bytes(key, b"x", content_type="video/mp4")


async def at_night(shelves: Shelves, temporal: Client, queues: TaskQueues) -> SweepResult:
    """The whole workflow, as the schedule starts it."""
    activities = SweepActivities(shelves.keeping.sweeper)
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


async def test_a_night_takes_orphans_and_old_scratch_and_leaves_what_is_needed_or_foreign(
    shelves: Shelves, temporal: Client, queues: TaskQueues
) -> None:
    searching = await shelves.goal(1, _download_workflows=["download1"], _delivered_workflows=[])
    settled = await shelves.goal(2, _download_complete=True, room=FixtureCollection.COMPLETED)
    sent_away = await shelves.goal(3, 4)
    await shelves.keeping.moderation.mark_wrong_goal(id_of(sent_away, 3), ModerationRequest("ada", "line-1"))
    kept = await shelves.keys()
    wanted = scratch_key(searching.event_id, md5_of(9))
    foreign = {"not-ours.txt", "1/stray.mp4", "a/b/c.mp4"}
    await put(shelves, wanted, *foreign, scratch_key(settled.event_id, md5_of(2)), "scratch/nobody/m.mp4")
    await put(shelves, "7/7_1_1_Goal_1/left-over.mp4", f"{settled.fixture_id}/e/orphan.jpg", "blocklist/none.print")
    everything = await shelves.keys()
    assert await shelves.keeping.sweeper.sweep(ORDER, lambda _: None) == SweepResult()
    assert await shelves.keys() == everything
    shelves.clock.now += 2 * DAY
    assert await at_night(shelves, temporal, queues) == SweepResult(orphans=3, scratch=2, deleted=3)
    assert await shelves.keys() == kept | foreign | {wanted}
    shelves.clock.now += 8 * DAY
    assert (await shelves.keeping.sweeper.sweep(ORDER, lambda _: None)).scratch == 1


async def test_when_most_objects_belong_to_no_record_none_is_swept(
    shelves: Shelves, caplog: pytest.LogCaptureFixture
) -> None:
    """A database of the wrong name knows nothing of what is stored."""
    for numbers in ((1, 2, 3), (4, 5)):
        await shelves.goal(*numbers)
    await put(shelves, "blocklist/some.print", "scratch/nobody/m.mp4")
    everything = await shelves.keys()
    for room in FixtureCollection:
        await shelves.database[room].delete_many({})
    shelves.clock.now += 2 * DAY
    swept = await shelves.keeping.sweeper.sweep(ORDER, lambda _: None)
    assert swept == SweepResult(scratch=1, held_back=26)
    assert await shelves.keys() == everything - {"scratch/nobody/m.mp4"}
    assert [getattr(line, "action", "") for line in caplog.records if line.levelname == "ERROR"] == ["sweep_held_back"]


async def test_the_night_is_on_the_schedule(temporal: Client) -> None:
    settings = load_settings({"FOOTY_DATA_DIR": "/nonexistent", "FOOTY_KEEPING__TRASH_REST": "2h"}).settings
    wanted, name = build_schedules(settings)[SWEEP_SCHEDULE], f"sweep-{uuid4()}"
    await ensure_schedule(temporal, name, wanted)
    handle = temporal.get_schedule_handle(name)
    described = await handle.describe()
    await handle.delete()
    assert {(at.hour, at.minute) for at in described.info.next_action_times} == {(3, 35)}
    assert build_sweep_request(settings.keeping) == SweepRequest(trash_retention=timedelta(hours=2))


async def recorded_late(shelves: Shelves, goal: Goal) -> None:
    """An upload that found its object there already writes its record."""
    await shelves.change(goal, {"_s3_videos": [a_record(goal, 1, rank=1)]})


@pytest.mark.parametrize("moment", ["copy", "delete", "rest"])
async def test_an_upload_that_records_an_object_while_it_is_swept_gets_it_back(
    shelves: Shelves, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    goal = await shelves.goal()
    await shelves.put(goal, 1, b"print")
    key = a_record(goal, 1)["_s3_key"]
    shelves.clock.now += 2 * DAY
    if moment != "rest":
        _before(monkeypatch, moment, lambda: recorded_late(shelves, goal))
    await shelves.keeping.sweeper.sweep(ORDER, lambda _: None)
    if moment == "rest":
        assert key not in await shelves.keys()
        await recorded_late(shelves, goal)
    shelves.clock.now += DAY
    await shelves.keeping.sweeper.empty_trash(EmptyTrash(ORDER.trash_retention), lambda _: None)
    assert {a_record(goal, 1)[f"{part}_key"] for part in ("thumbnail", "preview", "fingerprint")} | {key} <= (
        await shelves.keys(f"{goal.fixture_id}/")
    )
    assert await shelves.keys("trash/") == set()


def _before(patch: pytest.MonkeyPatch, name: str, act: Callable[[], Awaitable[None]]) -> None:
    """Let something happen right before the store does what it is told."""
    really = getattr(ObjectStore, name)

    async def late(self: ObjectStore, *args: str, **named: str) -> ObjectInfo | None:
        await act()
        result: ObjectInfo | None = await really(self, *args, **named)
        return result

    patch.setattr(ObjectStore, name, late)


async def test_a_sweep_that_fails_half_way_goes_on_where_it_was(
    shelves: Shelves, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(shelves, *(f"7/7_1_1_Goal_1/{number}.mp4" for number in range(4)))
    shelves.clock.now += 2 * DAY
    really, calls = ObjectStore.delete, iter(range(100))

    async def failing(self: ObjectStore, key: str) -> None:
        if next(calls) == 2:
            raise Unavailable("object store", "down")
        await really(self, key)

    with monkeypatch.context() as patched:
        patched.setattr(ObjectStore, "delete", failing)
        with pytest.raises(Unavailable):
            await shelves.keeping.sweeper.sweep(ORDER, lambda _: None)
    assert (await shelves.keeping.sweeper.sweep(ORDER, lambda _: None)).orphans == 2
    assert await shelves.keys("7/") == set()
    assert len(await shelves.keys("trash/")) == 4


async def test_a_store_that_takes_no_more_is_still_freed_of_scratch_and_trash(
    shelves: Shelves, temporal: Client, queues: TaskQueues, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(shelves, "scratch/nobody/m.mp4", "7/7_1_1_Goal_1/orphan.mp4", "trash/7/7_1_1_Goal_1/swept.mp4")
    shelves.clock.now += 8 * DAY
    monkeypatch.setattr(ObjectStore, "copy", cut_short)
    swept = await at_night(shelves, temporal, queues)
    assert (swept.scratch, swept.orphans, swept.deleted) == (1, 0, 1)
    assert await shelves.keys() == {"7/7_1_1_Goal_1/orphan.mp4"}


async def cut_short(self: object, *args: object, **named: object) -> None:
    raise Unavailable("the store", "down")


async def test_the_night_does_not_finish_what_was_decided_anew(
    shelves: Shelves, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal, keeper = await shelves.goal(1, 2, 3), shelves.keeping.moderation
    with monkeypatch.context() as patched:
        patched.setattr(ModerationStore, "update_goal", cut_short)
        with pytest.raises(Unavailable):
            await keeper.pin(id_of(goal, 1), ModerationRequest("ada", "line-1"))
    shelves.clock.now += timedelta(minutes=1)
    await keeper.pin(id_of(goal, 2), ModerationRequest("bob", "line-2"))
    shelves.clock.now += timedelta(minutes=11)
    assert (await shelves.keeping.sweeper.sweep(ORDER, lambda _: None)).resumed == 1
    assert await shelves.clips(goal) == [id_of(goal, number) for number in (2, 3, 1)]
    assert {line["state"] for line in await shelves.audit()} == {"done"}


async def test_the_night_takes_down_what_has_a_better_file_by_now(
    shelves: Shelves, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = await shelves.goal(1, 2)
    with monkeypatch.context() as patched:
        patched.setattr(ObjectStore, "copy", cut_short)
        with pytest.raises(Unavailable):
            await shelves.keeping.moderation.take_down(id_of(goal, 1), ModerationRequest("ada", "line-1", "asked"))
    await shelves.change(goal, {"_s3_videos.1": a_record(goal, 5, clip_id=id_of(goal, 1), rank=2)})
    shelves.clock.now += timedelta(minutes=11)
    await shelves.keeping.sweeper.sweep(ORDER, lambda _: None)
    assert await shelves.clips(goal) == [id_of(goal, 2)]
    assert (await shelves.keeping.moderation_store.load_moderation(goal)).find_block(md5_of(5))


async def test_the_night_finishes_decisions_and_removes_what_slipped_in_beside_one(
    shelves: Shelves, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal, other = await shelves.goal(1, 2), await shelves.goal(3)
    with monkeypatch.context() as patched:
        patched.setattr(ObjectStore, "delete", cut_short)
        with pytest.raises(Unavailable):
            await shelves.keeping.moderation.take_down(id_of(goal, 1), ModerationRequest("ada", "line-1", "asked"))
    sweeper: ObjectSweeper = shelves.keeping.sweeper
    shelves.clock.now += timedelta(minutes=11)
    assert await sweeper.sweep(ORDER, lambda _: None) == SweepResult(resumed=1)
    slipped_in = await shelves.goal(1)
    assert await sweeper.sweep(ORDER, lambda _: None) == SweepResult(enforced=1)
    assert await shelves.clips(slipped_in) == []
    assert await shelves.clips(goal) == [id_of(goal, 2)]
    assert await shelves.clips(other) == [id_of(other, 3)]
    assert {key for key in await shelves.keys() if md5_of(1) in key} == {f"blocklist/{md5_of(1)}.print"}
    assert {line["state"] for line in await shelves.audit()} == {"done"}


async def test_the_night_removes_what_looks_like_a_blocked_clip_and_what_is_left_of_one(shelves: Shelves) -> None:
    """Stored or downloaded while a person was taking it down, or brought back by an old backup."""
    good, poor, other = (copy.print.to_bytes() for copy in (copy_of(1, "good"), copy_of(1, "poor"), copy_of(2)))
    goal = await shelves.goal(1, prints=(good,))
    await shelves.keeping.moderation.take_down(id_of(goal, 1), ModerationRequest("ada", "line-1", "asked"))
    slipped_in = await shelves.goal(2, 3, prints=(poor, other))
    left = (
        evidence_key(slipped_in.fixture_id, slipped_in.event_id, md5_of(1), 1),
        scratch_key(slipped_in.event_id, md5_of(1)),
        a_record(slipped_in, 1)["_s3_key"],
    )
    await put(shelves, *left)
    assert await shelves.keeping.sweeper.sweep(ORDER, lambda _: None) == SweepResult(enforced=1)
    assert await shelves.clips(slipped_in) == [id_of(slipped_in, 3)]
    blocked = {f"blocklist/{md5_of(number)}.print" for number in (1, 2)}
    assert {key for key in await shelves.keys() if md5_of(1) in key or md5_of(2) in key} == blocked
    assert await shelves.keeping.sweeper.sweep(ORDER, lambda _: None) == SweepResult()
