"""On a bucket that is encrypted with keys of a key service, tags look like MD5s and are none."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from found_footy.archive.files import ClipUploader
from found_footy.archive.maintenance.integrity import IssueKind
from found_footy.archive.maintenance.scan import ScanScope
from found_footy.domain.ids import clip_key
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from tests.support.archive.stored_clips import id_of, make_record, open_stored_clips
from tests.support.pipeline.batches import content, make_clip, put_scratch
from tests.support.pipeline.goals import make_goal
from tests.support.pipeline.s3_gateway import gateway_to

NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)
EVERYTHING = ScanScope(grace=timedelta(0))


@pytest.fixture(params=["aws:kms", "aws:kms:dsse"])
async def sealed(
    request: pytest.FixtureRequest, platform: PlatformEndpoints, objects: ObjectStore
) -> AsyncIterator[ObjectStore]:
    """The test's bucket, as if it were encrypted."""
    with gateway_to(platform.s3_endpoint, sealed=request.param) as gateway:
        store = ObjectStore(gateway.url, platform.s3_access_key, platform.s3_secret_key, objects.bucket)
        yield store
        await store.aclose()


async def test_tags_are_known_to_be_none_except_in_a_listing(sealed: ObjectStore, objects: ObjectStore) -> None:
    stored = await sealed.put_bytes("a", b"x", content_type="t/p")
    assert not stored.is_etag_md5
    assert (await objects.put_bytes("b", b"x", content_type="t/p")).is_etag_md5
    assert [info.is_etag_md5 async for info in objects.list()] == [False, False]


async def test_a_clip_is_placed_and_placed_again(sealed: ObjectStore) -> None:
    goal = make_goal()
    clip = make_clip(goal, 1, "one")
    await put_scratch(sealed, goal, 1)
    for _ in range(2):
        placed = await ClipUploader(sealed).upload(goal, clip, NOW)
        assert (placed.missing_reason, placed.key) == ("", clip_key(goal.fixture_id, goal.event_id, clip.md5))
        assert await sealed.get_bytes(placed.key, limit=10_000) == content(1)


@pytest.mark.parametrize("left", [content(2)[: len(content(1))], content(1)[:-1]], ids=["other bytes", "short"])
async def test_scratch_with_other_bytes_is_still_noticed(sealed: ObjectStore, left: bytes) -> None:
    goal = make_goal()
    clip = make_clip(goal, 1, "one")
    await sealed.put_bytes(clip.scratch_key, left, content_type="video/mp4")
    assert (await ClipUploader(sealed).upload(goal, clip, NOW)).missing_reason


async def test_an_object_with_other_bytes_under_the_same_key_is_replaced(sealed: ObjectStore) -> None:
    goal = make_goal()
    clip = make_clip(goal, 1, "one")
    key = clip_key(goal.fixture_id, goal.event_id, clip.md5)
    await put_scratch(sealed, goal, 1)
    await sealed.put_bytes(key, content(2)[: len(content(1))], content_type="video/mp4")
    assert (await ClipUploader(sealed).upload(goal, clip, NOW)).key == key
    assert await sealed.get_bytes(key, limit=10_000) == content(1)


async def test_integrity_calls_no_sound_clip_damaged_and_finds_those_that_are(
    database: Database, sealed: ObjectStore
) -> None:
    stored_clips = open_stored_clips(database, sealed)
    goal = await stored_clips.goal(1, 2)
    found = [one.kind async for one in stored_clips.keeping.build_scanner().scan(EVERYTHING)]
    assert found == []
    damaged = content(3)[: len(content(2))]
    await sealed.put_bytes(make_record(goal, 2)["_s3_key"], damaged, content_type="video/mp4")
    deep = stored_clips.keeping.build_scanner().scan(replace(EVERYTHING, deep=True))
    assert [(one.kind, one.clip_id) async for one in deep] == [(IssueKind.WRONG_CHECKSUM, id_of(goal, 2))]
