"""However batches are repeated and mixed, the archive of a goal ends the same."""

import asyncio
from collections import defaultdict
from datetime import UTC, datetime

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from found_footy.archive.dedup.decide import plan_by_md5
from found_footy.archive.messages import SaveClips, UploadedClip
from found_footy.archive.store import ArchiveStore
from found_footy.domain.messages import ClipBatch, ScreenedClip, TaskQueues
from found_footy.platform.mongo import Database, Document
from tests.support.pipeline.batches import make_batch, make_clip
from tests.support.pipeline.goals import event_of, make_goal, make_pace, store_goals

NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)

_finds = st.lists(st.tuples(st.integers(1, 4), st.sampled_from("abcde")), max_size=4)
_batches = st.lists(_finds, min_size=1, max_size=4)


@st.composite
def deliveries(draw: st.DrawFn) -> tuple[list[list[tuple[int, str]]], list[int]]:
    """Batches, and an order in which each of them arrives at least once."""
    batches = draw(_batches)
    repeats = draw(st.lists(st.integers(0, len(batches) - 1), max_size=5))
    return batches, draw(st.permutations([*range(len(batches)), *repeats]))


async def deliver(store: ArchiveStore, batch: ClipBatch) -> None:
    plan = plan_by_md5(batch.clips, (await store.load_summary(batch.goal)).clips)
    uploaded = tuple(UploadedClip(clip, f"{clip.md5}.mp4", "", NOW) for clip in plan.uploads)
    await store.save_clips(SaveClips(batch.goal, batch.download_id, uploaded, plan.extra_sources))
    await store.record_delivery(batch, NOW)


def assert_true_to_finds(event: Document, clips: list[ScreenedClip]) -> None:
    sources = defaultdict(set)
    for clip in clips:
        sources[clip.md5].add(clip.source_url)
    stored = event["_s3_videos"]
    assert {clip["md5"]: set(clip["_sources"]) for clip in stored} == sources
    assert all(clip["popularity"] == len(clip["_sources"]) for clip in stored)
    assert [clip["rank"] for clip in stored] == list(range(1, len(stored) + 1))
    order = [(-clip["popularity"], -clip["file_size"], clip["md5"]) for clip in stored]
    assert order == sorted(order)


@given(deliveries())
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
async def test_the_archive_depends_on_what_was_found_not_on_how_it_arrived(
    database: Database, delivered: tuple[list[list[tuple[int, str]]], list[int]]
) -> None:
    finds, order = delivered
    store, goal = ArchiveStore(database, "footy"), make_goal()
    pace = make_pace(TaskQueues(), attempts_wanted=len(finds))
    clips = [[make_clip(goal, number, source) for number, source in batch] for batch in finds]
    batches = [make_batch(goal, pace, number, batch) for number, batch in enumerate(clips)]
    await store_goals(database, goal, _download_workflows=[batch.download_id for batch in batches])
    half = len(order) // 2
    for index in order[:half]:
        await deliver(store, batches[index])
    await asyncio.gather(*(deliver(store, batches[index]) for index in order[half:]))
    event = await event_of(database, goal)
    assert_true_to_finds(event, [clip for batch in clips for clip in batch])
    assert event["_download_complete"]
    assert set(event["_delivered_workflows"]) == set(event["_download_workflows"])
