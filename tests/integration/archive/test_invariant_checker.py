"""The checker of the archive's invariants finds each kind of fault."""

from typing import Any

import pytest

from found_footy.domain.messages import Goal
from found_footy_sim.demo.archive_invariants import find_archive_faults
from tests.support.archive.stored_clips import StoredClips, id_of, make_record
from tests.support.pipeline.recordings import copy_of

FIRST, SECOND = "_s3_videos.0", "_s3_videos.1"


async def sound_goal(stored_clips: StoredClips, *, same_recording: bool = False) -> Goal:
    """A goal with two clips that have everything, of two recordings unless told otherwise."""
    prints = [copy_of(1, "best").print.to_bytes(), copy_of(1 if same_recording else 2, "best").print.to_bytes()]
    goal = await stored_clips.goal(1, 2, prints=prints)
    fields = {f"{clip}.timestamp_status": "unverified" for clip in (FIRST, SECOND)}
    await stored_clips.change(goal, fields)
    return goal


async def faults(stored_clips: StoredClips, **options: bool) -> list[str]:
    return await find_archive_faults(stored_clips.database, stored_clips.objects, **options)


async def test_a_sound_archive_has_no_faults(stored_clips: StoredClips) -> None:
    await sound_goal(stored_clips)
    assert await faults(stored_clips) == []


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({f"{SECOND}.rank": 3}, "ranks have gaps"),
        ({f"{FIRST}.file_size": 1}, "clips are not in their order"),
        ({f"{FIRST}.popularity": 2}, "is not the number of its sources"),
        ({f"{FIRST}._sources": ["a", "a"]}, "is counted twice"),
        ({f"{FIRST}.timestamp_status": "rejected"}, "was rejected and is shown"),
        ({f"{FIRST}.file_size": 10**6}, "is not what it was"),
    ],
)
async def test_a_record_that_is_not_sound_is_a_fault(
    fields: dict[str, Any], fault: str, stored_clips: StoredClips
) -> None:
    goal = await sound_goal(stored_clips)
    await stored_clips.change(goal, fields)
    found = await faults(stored_clips)
    assert any(line.startswith(goal.event_id) and fault in line for line in found), found


async def test_the_order_is_that_of_the_archive(stored_clips: StoredClips) -> None:
    """A popular clip whose post speaks against it stands behind another."""
    goal = await sound_goal(stored_clips)
    doubtful = {"post_doubts": 1, "popularity": 2, "_sources": ["a", "b"]}
    await stored_clips.change(goal, {f"{SECOND}.{name}": value for name, value in doubtful.items()})
    assert not [fault for fault in await faults(stored_clips) if "order" in fault]


@pytest.mark.parametrize("name", ["_s3_key", "thumbnail_key", "preview_key", "fingerprint_key"])
async def test_an_object_that_is_missing_is_a_fault(name: str, stored_clips: StoredClips) -> None:
    goal = await sound_goal(stored_clips)
    key = make_record(goal, 1)[name]
    await stored_clips.objects.delete(key)
    assert f"{goal.event_id}: {key} is missing" in await faults(stored_clips)


async def test_one_recording_as_two_clips_is_a_fault(stored_clips: StoredClips) -> None:
    goal = await sound_goal(stored_clips, same_recording=True)
    (fault,) = await faults(stored_clips)
    assert "are one recording" in fault
    assert id_of(goal, 1) in fault


async def test_an_object_that_nothing_refers_to_is_a_fault_unless_somebody_was_killed(
    stored_clips: StoredClips,
) -> None:
    goal = await sound_goal(stored_clips)
    stray = f"{goal.fixture_id}/{goal.event_id}/stray.mp4"
    await stored_clips.objects.put_bytes(stray, b"left", content_type="video/mp4")
    assert await faults(stored_clips) == [f"nothing refers to {stray}"]
    assert await faults(stored_clips, with_leftovers=False) == []


async def test_a_redirect_that_leads_nowhere_is_a_fault(stored_clips: StoredClips) -> None:
    goal = await sound_goal(stored_clips)
    redirects = [{"_id": "older", "to": id_of(goal, 1)}, {"_id": "lost", "to": "nowhere"}]
    await stored_clips.database["clip_redirects"].insert_many(redirects)
    assert await faults(stored_clips) == ["the redirect of clip lost leads nowhere"]
