"""An address that was ever given out plays the clip, its successor, or says that it is gone."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import httpx
import pytest

from found_footy.web.deps import WebDeps
from tests.support.pipeline.batches import make_batch
from tests.support.pipeline.deliveries import archived, register_goal
from tests.support.pipeline.goals import make_pace, remove_goal
from tests.support.pipeline.recordings import copy_of, put_copies
from tests.support.pipeline.services import PipelineServices, running_worker
from tests.support.web.page import open_client, report_all_ok

pytestmark = pytest.mark.usefixtures("sound_records")


@pytest.fixture
async def visitor(pipeline: PipelineServices) -> AsyncIterator[httpx.AsyncClient]:
    deps = WebDeps(
        database=pipeline.database,
        objects=pipeline.objects,
        probes=report_all_ok,
        version="1",
        commit="0",
        clock=lambda: datetime(2026, 11, 15, 20, 0, tzinfo=UTC),
    )
    async with open_client(deps) as client:
        yield client


async def played(visitor: httpx.AsyncClient, address: str) -> bytes:
    answer = await visitor.get(address, follow_redirects=True)
    assert answer.status_code == 200, address
    return answer.content


async def test_old_addresses_of_replaced_and_joined_clips_play_the_winner(
    pipeline: PipelineServices, visitor: httpx.AsyncClient
) -> None:
    goal = await register_goal(pipeline)
    pace = make_pace(pipeline.queues)
    start, end, whole = (copy_of(1, kind) for kind in ("start", "end", "best"))
    await put_copies(pipeline.objects, goal, start, end, whole)
    async with running_worker(pipeline):
        event = await archived(pipeline, make_batch(goal, pace, 1, [start.found(goal, "a"), end.found(goal, "b")]))
        old = event["_s3_videos"]
        assert {clip["md5"] for clip in old} == {start.md5, end.md5}
        [winner] = (await archived(pipeline, make_batch(goal, pace, 2, [whole.found(goal, "c")])))["_s3_videos"]
    for clip in (*old, winner):
        assert await played(visitor, f"/clips/{clip['clip_id']}.mp4") == whole.content
        assert await played(visitor, f"/media/{clip['_s3_key']}") == whole.content
        assert await played(visitor, f"/media/{clip['thumbnail_key']}") == b"jpeg " + whole.md5.encode()
        assert await played(visitor, f"/media/{clip['preview_key']}") == b"loop " + whole.md5.encode()
    assert (await visitor.get(f"/media/{winner['fingerprint_key']}")).status_code == 404
    shown = (await visitor.get(f"/media/{winner['preview_key']}")).headers
    assert (shown["content-type"], shown["cache-control"]) == ("video/mp4", "public, max-age=300, must-revalidate")

    await remove_goal(pipeline.database, goal)
    for clip in (*old, winner):
        for address in (f"/clips/{clip['clip_id']}.mp4", f"/media/{clip['_s3_key']}", f"/media/{clip['preview_key']}"):
            answer = await visitor.get(address)
            assert answer.status_code == 410, address
            assert "no longer a goal" in answer.json()["detail"]
