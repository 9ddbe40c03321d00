"""The integrity job names what is wrong, repairs what it safely can, and drops nothing that a record needs."""

import json
from datetime import timedelta

import pytest

from found_footy.archive.maintenance.integrity import IssueKind
from found_footy.archive.maintenance.scan import ScanScope, ScanTally
from found_footy.archive.moderation.service import ModerationRequest
from found_footy.cli import integrity
from found_footy.domain.collections import FixtureCollection
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.errors import NotFound
from tests.support.archive.stored_clips import DAY, StoredClips, id_of, make_record, md5_of, settings_for
from tests.support.pipeline.batches import content

EVERYTHING = ScanScope(grace=timedelta(0))


async def found(stored_clips: StoredClips, extent: ScanScope = EVERYTHING) -> list[tuple[IssueKind, str]]:
    findings = stored_clips.keeping.build_scanner().scan(extent)
    return sorted([(one.kind, one.clip_id or one.event_id or one.key) async for one in findings])


async def repaired(stored_clips: StoredClips) -> dict[IssueKind, list[tuple[bool, str]]]:
    inspector = stored_clips.keeping.build_scanner()
    repairer = stored_clips.keeping.build_repairer("ada", timedelta(0))
    done: dict[IssueKind, list[tuple[bool, str]]] = {}
    async for one in repairer.repair(inspector.scan(EVERYTHING), lambda: inspector.tally):
        done.setdefault(one.issue.kind, []).append((one.repaired, one.message))
    return done


async def test_a_sound_archive_has_no_issues_and_everything_in_it_is_counted(stored_clips: StoredClips) -> None:
    goal = await stored_clips.goal(1, 2)
    await stored_clips.goal(3, collection=FixtureCollection.COMPLETED)
    await stored_clips.database["clip_redirects"].insert_many(
        [{"_id": "older", "to": id_of(goal, 1)}, {"_id": "oldest", "to": "older"}]
    )
    stored_clips.clock.now += DAY
    assert await found(stored_clips, ScanScope(grace=timedelta(0), deep=True)) == []
    inspector = stored_clips.keeping.build_scanner()
    assert [one async for one in inspector.scan(EVERYTHING)] == []
    size = sum(len(content(number)) for number in (1, 2, 3)) + 3 * len(
        b"jpeg" + b"preview" + b"not a fingerprint" + b"jpeg"
    )
    assert inspector.tally == ScanTally(fixtures=2, clips=3, objects=15, bytes=size)


async def test_a_fixture_that_was_moved_back_is_counted_and_read_from_its_current_copy(
    stored_clips: StoredClips,
) -> None:
    goal = await stored_clips.goal(1, collection=FixtureCollection.COMPLETED)
    await stored_clips.goal(1, 2, goal=goal)
    returned = {"$set": {"_returned_at": stored_clips.clock()}}
    await stored_clips.database[FixtureCollection.ACTIVE].update_one({"_id": goal.fixture_id}, returned)
    await stored_clips.objects.put_bytes(make_record(goal, 2)["_s3_key"], content(2)[::-1], content_type="video/mp4")
    inspector = stored_clips.keeping.build_scanner()
    findings = [one async for one in inspector.scan(ScanScope(grace=timedelta(0), deep=True))]
    wrong = [one.clip_id for one in findings if one.kind is IssueKind.WRONG_CHECKSUM]
    assert wrong == [id_of(goal, 2)] * 2, "once by the object's tag, once by its bytes"
    assert inspector.tally.clips == 2


async def broken_house(stored_clips: StoredClips) -> tuple[str, str]:
    """Everything that can be wrong, once. Returns the ids of a clip without a file, and of one with another's bytes."""
    goal = await stored_clips.goal(1, 2, 3)
    await stored_clips.objects.delete(make_record(goal, 1)["_s3_key"])
    await stored_clips.objects.put_bytes(make_record(goal, 2)["_s3_key"], content(2)[::-1], content_type="video/mp4")
    await stored_clips.objects.put_bytes(make_record(goal, 3)["_s3_key"], b"cut", content_type="video/mp4")
    await stored_clips.objects.delete(make_record(goal, 3)["thumbnail_key"])
    await stored_clips.objects.delete(make_record(goal, 3)["fingerprint_key"])
    counted = await stored_clips.goal(4, 5)
    await stored_clips.change(counted, {"_s3_videos.0.rank": 2, "_s3_videos.1.popularity": 7})
    twice = await stored_clips.goal(6, collection=FixtureCollection.COMPLETED)
    await stored_clips.database[FixtureCollection.ACTIVE].insert_one(
        await stored_clips.database[FixtureCollection.COMPLETED].find_one() or {}
    )
    for key in (
        f"{twice.fixture_id}/x/untracked.mp4",
        "77/77_1_1_Goal_1/orphan.print",
        "scratch/nobody/m.mp4",
        "readme",
    ):
        await stored_clips.objects.put_bytes(key, b"x", content_type="text/plain")
    await stored_clips.database["clip_redirects"].insert_one({"_id": "lost", "to": "nobody"})
    return id_of(goal, 1), id_of(goal, 2)


async def test_everything_that_is_wrong_is_found(stored_clips: StoredClips) -> None:
    missing, other_bytes = await broken_house(stored_clips)
    stored_clips.clock.now += timedelta(minutes=1)
    kinds = [kind for kind, _ in await found(stored_clips)]
    assert sorted(kinds) == sorted(
        [
            IssueKind.MISSING_OBJECT,
            IssueKind.WRONG_CHECKSUM,
            IssueKind.WRONG_SIZE,
            IssueKind.MISSING_SIDE_OBJECT,
            IssueKind.MISSING_SIDE_OBJECT,
            IssueKind.POPULARITY,
            IssueKind.RANKS,
            IssueKind.TWO_COLLECTIONS,
            IssueKind.UNTRACKED_OBJECT,
            IssueKind.UNTRACKED_OBJECT,
            IssueKind.OLD_SCRATCH,
            IssueKind.FOREIGN_OBJECT,
            IssueKind.DANGLING_REDIRECT,
        ]
    )
    assert {(IssueKind.MISSING_OBJECT, missing), (IssueKind.WRONG_CHECKSUM, other_bytes)} <= set(
        await found(stored_clips)
    )
    young = await found(stored_clips, ScanScope(grace=DAY))
    assert not {IssueKind.UNTRACKED_OBJECT, IssueKind.OLD_SCRATCH} & {kind for kind, _ in young}


async def test_repair_does_what_is_safe_and_says_what_it_left(stored_clips: StoredClips) -> None:
    missing, _ = await broken_house(stored_clips)
    stored_clips.clock.now += timedelta(minutes=1)
    done = await repaired(stored_clips)
    assert {kind for kind, reported in done.items() if any(one for one, _ in reported)} == {
        IssueKind.MISSING_OBJECT,
        IssueKind.MISSING_SIDE_OBJECT,
        IssueKind.POPULARITY,
        IssueKind.RANKS,
        IssueKind.UNTRACKED_OBJECT,
        IssueKind.OLD_SCRATCH,
    }
    assert all(words.startswith("left: ") for reported in done.values() for one, words in reported if not one)
    left = [kind for kind, _ in await found(stored_clips)]
    assert sorted(left) == sorted(
        [
            IssueKind.WRONG_CHECKSUM,
            IssueKind.WRONG_SIZE,
            IssueKind.MISSING_SIDE_OBJECT,
            IssueKind.TWO_COLLECTIONS,
            IssueKind.FOREIGN_OBJECT,
            IssueKind.DANGLING_REDIRECT,
            IssueKind.UNTRACKED_OBJECT,
            IssueKind.UNTRACKED_OBJECT,
            IssueKind.UNTRACKED_OBJECT,
            IssueKind.NO_SIDE_OBJECT,
        ]
    )
    lines = {line["what"]: line for line in await stored_clips.audit()}
    assert lines.keys() == {"drop-record", "recount", "forget-side"}
    assert lines["drop-record"]["before"]["clip"]["clip_id"] == missing
    assert {line["state"] for line in lines.values()} == {"done"}


async def test_a_bucket_that_lost_everything_costs_no_record(stored_clips: StoredClips) -> None:
    goals = [await stored_clips.goal(1, 2) for _ in range(4)]
    for key in await stored_clips.keys():
        await stored_clips.objects.delete(key)
    done = await repaired(stored_clips)
    assert all(not one for one, _ in done[IssueKind.MISSING_OBJECT])
    assert "wrong bucket" in done[IssueKind.MISSING_OBJECT][0][1]
    assert [len(await stored_clips.clips(goal)) for goal in goals] == [2, 2, 2, 2]


async def test_a_clip_whose_file_is_in_the_trash_gets_it_back(stored_clips: StoredClips) -> None:
    goal = await stored_clips.goal(1)
    key = make_record(goal, 1)["_s3_key"]
    await stored_clips.objects.copy(key, f"trash/{key}")
    await stored_clips.objects.delete(key)
    assert (await repaired(stored_clips))[IssueKind.MISSING_OBJECT] == [(True, "restored from the trash")]
    assert await found(stored_clips, ScanScope(grace=timedelta(0), fixture_id=goal.fixture_id, deep=True)) == []


async def test_blocked_content_and_unfinished_decisions_are_found_and_completed(stored_clips: StoredClips) -> None:
    goal = await stored_clips.goal(1, 2)
    await stored_clips.keeping.moderation.take_down(id_of(goal, 1), ModerationRequest("ada", "line-1", "asked"))
    slipped_in = await stored_clips.goal(1)
    await stored_clips.objects.delete(f"blocklist/{md5_of(1)}.print")
    await stored_clips.database["audit"].update_one({}, {"$set": {"state": "intended"}})
    stored_clips.clock.now += timedelta(minutes=11)
    names = dict(await found(stored_clips))
    assert names[IssueKind.BLOCKED_CLIP] == id_of(slipped_in, 1)
    assert {IssueKind.MISSING_FINGERPRINT, IssueKind.UNFINISHED_ACTION} <= names.keys()
    await repaired(stored_clips)
    assert await stored_clips.clips(slipped_in) == []
    assert not {IssueKind.BLOCKED_CLIP, IssueKind.UNFINISHED_ACTION} & dict(await found(stored_clips)).keys()


async def test_a_clip_that_is_rejected_for_its_goal_is_removed_there_and_nowhere_else(
    stored_clips: StoredClips,
) -> None:
    goal, other = await stored_clips.goal(1, 2), await stored_clips.goal(1)
    await stored_clips.keeping.moderation.mark_wrong_goal(id_of(goal, 1), ModerationRequest("ada", "line-1"))
    await stored_clips.put(goal, 1, b"print")
    await stored_clips.change(goal, {"_s3_videos": [make_record(goal, 2, rank=1), make_record(goal, 1, rank=2)]})
    assert [reported for reported, _ in (await repaired(stored_clips))[IssueKind.BLOCKED_CLIP]] == [True]
    assert await stored_clips.clips(goal) == [id_of(goal, 2)]
    assert await stored_clips.clips(other) == [id_of(other, 1)]
    assert await stored_clips.keeping.moderation_store.list_blocked() == []


async def test_a_fixture_nobody_knows_cannot_be_checked(stored_clips: StoredClips) -> None:
    with pytest.raises(NotFound):
        await found(stored_clips, ScanScope(fixture_id=404))


async def test_the_command_ends_with_0_1_or_2(
    stored_clips: StoredClips, platform: PlatformEndpoints, capsys: pytest.CaptureFixture[str]
) -> None:
    goal = await stored_clips.goal(1, 2)
    settings = settings_for(platform, stored_clips)

    async def code(*, repair: bool = False, as_json: bool = False, fixture: int | None = None) -> int:
        extent = ScanScope(timedelta(0), fixture)
        return await integrity.check_integrity(settings, extent, repair=repair, by="ada", as_json=as_json)

    assert await code() == 0
    assert "no issues" in capsys.readouterr().out
    await stored_clips.change(goal, {"_s3_videos.0.rank": 9})
    assert await code(as_json=True) == 1
    first, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["kind"], first["fault"], last["summary"]["faults"]) == ("ranks", True, 1)
    assert await code(repair=True) == 0
    assert await code() == 0
    assert await code(fixture=404) == 2
    nowhere = settings_for(platform, stored_clips, S3_ENDPOINT="http://127.0.0.1:1")
    assert await integrity.check_integrity(nowhere, EVERYTHING, repair=False, by="", as_json=False) == 2
