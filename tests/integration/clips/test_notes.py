"""What is kept of each try of a link: enough to understand it, and not so much that a hundred tries fill a document."""

from found_footy.clips.messages import CandidateNote
from found_footy.clips.store import ClipStore
from found_footy.domain.collections import FixtureCollection
from found_footy.domain.ids import link_field_name
from found_footy.domain.outcomes import ClipOutcome
from found_footy.platform.mongo import Database
from tests.support.pipeline.goals import event_of, make_goal, remove_goal, store_goals


async def test_a_long_reason_is_cut(database: Database) -> None:
    goal = make_goal()
    await store_goals(database, goal, _open_links=["https://x.com/1"])
    note = CandidateNote("https://x.com/1", ClipOutcome.VISION_UNAVAILABLE, "vision: " + 9_000 * "?")
    assert await ClipStore(database).record_notes(goal, "download1", [note])
    event = await event_of(database, goal)
    kept = event["_telemetry"]["attempts"]["download1"]["clips"][link_field_name("https://x.com/1")]
    assert kept["reason"].startswith("vision: ")
    assert len(kept["reason"]) == 500
    assert event["_open_links"] == ["https://x.com/1"]


async def test_clips_delivered_for_a_goal_that_is_removed_by_then_have_an_outcome(database: Database) -> None:
    goal = make_goal()
    await store_goals(database, goal)
    await remove_goal(database, goal)
    notes = [CandidateNote("https://x.com/1", md5="a"), CandidateNote("https://x.com/2", ClipOutcome.NOT_SOCCER)]
    assert await ClipStore(database).record_notes(goal, "download1", notes)
    row = await database[FixtureCollection.ACTIVE].find_one({"_id": goal.fixture_id}) or {}
    reported = row["removed_events"][0]["_telemetry"]["attempts"]["download1"]["clips"]
    assert {clip["url"]: clip["outcome"] for clip in reported.values()} == {
        "https://x.com/1": "event_removed",
        "https://x.com/2": "not_soccer",
    }
