"""The integrity job names what is wrong, repairs what it safely can, and drops nothing that a record needs."""

import json
from datetime import timedelta

import pytest

from found_footy.archive.integrity import Kind
from found_footy.archive.integrity_walk import Extent, Tally
from found_footy.archive.judgement_keeper import Word
from found_footy.cli import integrity
from found_footy.embedded.endpoints import Endpoints
from found_footy.model.fixture import Room
from found_footy.platform.errors import NotFound
from tests.pipeline.batches import content
from tests.workflows.keeper.shelves import DAY, Shelves, a_record, id_of, md5_of, settings_for

EVERYTHING = Extent(grace=timedelta(0))


async def found(shelves: Shelves, extent: Extent = EVERYTHING) -> list[tuple[Kind, str]]:
    findings = shelves.keeping.inspector().findings(extent)
    return sorted([(one.kind, one.clip_id or one.event_id or one.key) async for one in findings])


async def repaired(shelves: Shelves) -> dict[Kind, list[tuple[bool, str]]]:
    inspector = shelves.keeping.inspector()
    repairer = shelves.keeping.repairer("ada", timedelta(0))
    done: dict[Kind, list[tuple[bool, str]]] = {}
    async for one in repairer.repair(inspector.findings(EVERYTHING), lambda: inspector.tally):
        done.setdefault(one.finding.kind, []).append((one.done, one.words))
    return done


async def test_a_sound_house_has_no_findings_and_everything_in_it_is_counted(shelves: Shelves) -> None:
    goal = await shelves.goal(1, 2)
    await shelves.goal(3, room=Room.COMPLETED)
    await shelves.database["clip_redirects"].insert_many(
        [{"_id": "older", "to": id_of(goal, 1)}, {"_id": "oldest", "to": "older"}]
    )
    shelves.clock.now += DAY
    assert await found(shelves, Extent(grace=timedelta(0), deep=True)) == []
    inspector = shelves.keeping.inspector()
    assert [one async for one in inspector.findings(EVERYTHING)] == []
    size = sum(len(content(number)) for number in (1, 2, 3)) + 3 * len(
        b"jpeg" + b"preview" + b"not a fingerprint" + b"jpeg"
    )
    assert inspector.tally == Tally(fixtures=2, clips=3, objects=15, bytes=size)


async def broken_house(shelves: Shelves) -> tuple[str, str]:
    """Everything that can be wrong, once. Returns the ids of a clip without a file, and of one with another's bytes."""
    goal = await shelves.goal(1, 2, 3)
    await shelves.objects.delete(a_record(goal, 1)["_s3_key"])
    await shelves.objects.put_bytes(a_record(goal, 2)["_s3_key"], content(2)[::-1], content_type="video/mp4")
    await shelves.objects.put_bytes(a_record(goal, 3)["_s3_key"], b"cut", content_type="video/mp4")
    await shelves.objects.delete(a_record(goal, 3)["thumbnail_key"])
    await shelves.objects.delete(a_record(goal, 3)["fingerprint_key"])
    counted = await shelves.goal(4, 5)
    await shelves.change(counted, {"_s3_videos.0.rank": 2, "_s3_videos.1.popularity": 7})
    twice = await shelves.goal(6, room=Room.COMPLETED)
    await shelves.database[Room.ACTIVE].insert_one(await shelves.database[Room.COMPLETED].find_one() or {})
    for key in (
        f"{twice.fixture_id}/x/untracked.mp4",
        "77/77_1_1_Goal_1/orphan.print",
        "scratch/nobody/m.mp4",
        "readme",
    ):
        await shelves.objects.put_bytes(key, b"x", content_type="text/plain")
    await shelves.database["clip_redirects"].insert_one({"_id": "lost", "to": "nobody"})
    return id_of(goal, 1), id_of(goal, 2)


async def test_everything_that_is_wrong_is_found(shelves: Shelves) -> None:
    missing, other_bytes = await broken_house(shelves)
    shelves.clock.now += timedelta(minutes=1)
    kinds = [kind for kind, _ in await found(shelves)]
    assert sorted(kinds) == sorted([
        Kind.MISSING_OBJECT, Kind.WRONG_CHECKSUM, Kind.WRONG_SIZE, Kind.MISSING_SIDE, Kind.MISSING_SIDE,
        Kind.POPULARITY, Kind.RANKS, Kind.TWO_ROOMS, Kind.UNTRACKED_OBJECT, Kind.UNTRACKED_OBJECT, Kind.OLD_SCRATCH,
        Kind.FOREIGN_OBJECT, Kind.DANGLING_REDIRECT,
    ])  # fmt: skip
    assert {(Kind.MISSING_OBJECT, missing), (Kind.WRONG_CHECKSUM, other_bytes)} <= set(await found(shelves))
    young = await found(shelves, Extent(grace=DAY))
    assert not {Kind.UNTRACKED_OBJECT, Kind.OLD_SCRATCH} & {kind for kind, _ in young}


async def test_repair_does_what_is_safe_and_says_what_it_left(shelves: Shelves) -> None:
    missing, _ = await broken_house(shelves)
    shelves.clock.now += timedelta(minutes=1)
    done = await repaired(shelves)
    assert {kind for kind, told in done.items() if any(one for one, _ in told)} == {
        Kind.MISSING_OBJECT, Kind.MISSING_SIDE, Kind.POPULARITY, Kind.RANKS, Kind.UNTRACKED_OBJECT, Kind.OLD_SCRATCH
    }  # fmt: skip
    assert all(words.startswith("left: ") for told in done.values() for one, words in told if not one)
    left = [kind for kind, _ in await found(shelves)]
    assert sorted(left) == sorted([
        Kind.WRONG_CHECKSUM, Kind.WRONG_SIZE, Kind.MISSING_SIDE, Kind.TWO_ROOMS, Kind.FOREIGN_OBJECT,
        Kind.DANGLING_REDIRECT, Kind.UNTRACKED_OBJECT, Kind.UNTRACKED_OBJECT, Kind.UNTRACKED_OBJECT, Kind.NO_SIDE,
    ])  # fmt: skip
    lines = {line["what"]: line for line in await shelves.audit()}
    assert lines.keys() == {"drop-record", "recount", "forget-side"}
    assert lines["drop-record"]["before"]["clip"]["clip_id"] == missing
    assert {line["state"] for line in lines.values()} == {"done"}


async def test_a_bucket_that_lost_everything_costs_no_record(shelves: Shelves) -> None:
    goals = [await shelves.goal(1, 2) for _ in range(4)]
    for key in await shelves.keys():
        await shelves.objects.delete(key)
    done = await repaired(shelves)
    assert all(not one for one, _ in done[Kind.MISSING_OBJECT])
    assert "wrong bucket" in done[Kind.MISSING_OBJECT][0][1]
    assert [len(await shelves.clips(goal)) for goal in goals] == [2, 2, 2, 2]


async def test_a_clip_whose_file_is_in_the_trash_gets_it_back(shelves: Shelves) -> None:
    goal = await shelves.goal(1)
    key = a_record(goal, 1)["_s3_key"]
    await shelves.objects.copy(key, f"trash/{key}")
    await shelves.objects.delete(key)
    assert (await repaired(shelves))[Kind.MISSING_OBJECT] == [(True, "brought back from the trash")]
    assert await found(shelves, Extent(grace=timedelta(0), fixture_id=goal.fixture_id, deep=True)) == []


async def test_blocked_content_and_unfinished_decisions_are_found_and_settled(shelves: Shelves) -> None:
    goal = await shelves.goal(1, 2)
    await shelves.keeping.keeper.take_down(id_of(goal, 1), Word("ada", "line-1", "asked"))
    slipped_in = await shelves.goal(1)
    await shelves.objects.delete(f"blocklist/{md5_of(1)}.print")
    await shelves.database["audit"].update_one({}, {"$set": {"state": "intended"}})
    shelves.clock.now += timedelta(minutes=11)
    names = dict(await found(shelves))
    assert names[Kind.REFUSED_CLIP] == id_of(slipped_in, 1)
    assert {Kind.MISSING_PRINT, Kind.UNFINISHED_DECISION} <= names.keys()
    await repaired(shelves)
    assert await shelves.clips(slipped_in) == []
    assert not {Kind.REFUSED_CLIP, Kind.UNFINISHED_DECISION} & dict(await found(shelves)).keys()


async def test_a_clip_that_its_goal_refuses_is_removed_there_and_nowhere_else(shelves: Shelves) -> None:
    goal, other = await shelves.goal(1, 2), await shelves.goal(1)
    await shelves.keeping.keeper.wrong_goal(id_of(goal, 1), Word("ada", "line-1"))
    await shelves.put(goal, 1, b"print")
    await shelves.change(goal, {"_s3_videos": [a_record(goal, 2, rank=1), a_record(goal, 1, rank=2)]})
    assert [told for told, _ in (await repaired(shelves))[Kind.REFUSED_CLIP]] == [True]
    assert await shelves.clips(goal) == [id_of(goal, 2)]
    assert await shelves.clips(other) == [id_of(other, 1)]
    assert await shelves.keeping.judgements.blocked() == []


async def test_a_fixture_nobody_knows_cannot_be_checked(shelves: Shelves) -> None:
    with pytest.raises(NotFound):
        await found(shelves, Extent(fixture_id=404))


async def test_the_command_ends_with_0_1_or_2(
    shelves: Shelves, platform: Endpoints, capsys: pytest.CaptureFixture[str]
) -> None:
    goal = await shelves.goal(1, 2)
    settings = settings_for(platform, shelves)

    async def code(*, repair: bool = False, as_json: bool = False, fixture: int | None = None) -> int:
        extent = Extent(timedelta(0), fixture)
        return await integrity.check(settings, extent, repair=repair, by="ada", as_json=as_json)

    assert await code() == 0
    assert "all is well" in capsys.readouterr().out
    await shelves.change(goal, {"_s3_videos.0.rank": 9})
    assert await code(as_json=True) == 1
    first, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["kind"], first["fault"], last["summary"]["faults"]) == ("ranks", True, 1)
    assert await code(repair=True) == 0
    assert await code() == 0
    assert await code(fixture=404) == 2
    nowhere = settings_for(platform, shelves, S3_ENDPOINT="http://127.0.0.1:1")
    assert await integrity.check(nowhere, EVERYTHING, repair=False, by="", as_json=False) == 2
