"""What the web process reads from MongoDB."""

from itertools import pairwise

from found_footy.domain.collections import FixtureCollection
from found_footy.platform.mongo import ensure_indexes
from found_footy.views.store import INDEXES, ReadStore
from tests.support.web import matchday
from tests.support.web.matchday import Document
from tests.support.web.page import PageData

EVENT = "5000_40_234_Goal_1"


async def test_a_clip_is_found_by_an_index_in_every_list_of_goals(page_data: PageData) -> None:
    await ensure_indexes(page_data.database, INDEXES)
    await ensure_indexes(page_data.database, INDEXES)
    await page_data.store_playable()
    query = {
        "$or": [
            *({f"{events}._s3_videos.clip_id": "x"} for events in ("events", "removed_events")),
            {"removed_events._gone_clips": "x"},
        ]
    }
    for collection in (FixtureCollection.ACTIVE, FixtureCollection.COMPLETED):
        plan = await page_data.database[collection].find(query).explain()
        assert "COLLSCAN" not in str(plan["queryPlanner"]["winningPlan"])


async def test_what_a_viewer_has_no_use_for_is_not_read(page_data: PageData) -> None:
    heavy: Document = {"_telemetry": {"x": 1}, "_discovered_videos": [{"url": "u"}]}
    clip = matchday.clip(EVENT, perceptual_hash="f" * 1000)
    await page_data.store_fixture(matchday.fixture(events=[matchday.goal(_s3_videos=[clip], **heavy)]))
    found = await ReadStore(page_data.database).get_fixture(5000)
    assert found is not None
    (event,) = found.document["events"]
    assert not {"_telemetry", "_discovered_videos"} & set(event)
    assert "perceptual_hash" not in event["_s3_videos"][0]
    assert event["_s3_videos"][0]["clip_id"] == clip["clip_id"]


async def test_a_fixture_is_found_at_every_step_of_a_move(page_data: PageData) -> None:
    """The target of a move is written before the source is deleted, and the later collection counts."""
    store = ReadStore(page_data.database)
    collections = list(FixtureCollection)
    document: Document = matchday.fixture()
    await page_data.store_fixture(document, collections[0])
    for here, there in pairwise(collections):
        await page_data.store_fixture(document, there)
        both = await store.get_fixture(5000)
        await page_data.database[here].delete_one({"_id": 5000})
        moved = await store.get_fixture(5000)
        assert both is not None
        assert moved is not None
        assert (both.collection, moved.collection) == (there, there)
    assert await store.get_fixture(5001) is None
