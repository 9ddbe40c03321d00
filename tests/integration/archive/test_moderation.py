"""What people decide about clips sticks, is written down, and survives a crash at any point."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest

from found_footy.app import INDEXES
from found_footy.archive.moderation.fingerprints import BlockedFingerprints
from found_footy.archive.moderation.model import BlockScope
from found_footy.archive.moderation.objects import ClipObjectStore, FingerprintedFile
from found_footy.archive.moderation.service import ModerationRequest
from found_footy.archive.moderation.store import ModerationStore
from found_footy.domain.clip_files import CLIP_OBJECTS, PREVIEW, THUMBNAIL
from found_footy.domain.collections import FixtureCollection
from found_footy.domain.ids import scratch_key
from found_footy.fingerprint import Fingerprint, compute_fingerprint
from found_footy.fixtures.goals.changes import ReattributeGoal
from found_footy.fixtures.goals.reattribution import build_reattribution_pipeline
from found_footy.platform.errors import BadInput, NotFound, Unavailable
from found_footy.platform.mongo import ensure_indexes
from found_footy.platform.objects import ObjectStore
from found_footy.web.app import create_app
from found_footy.web.deps import WebDeps
from found_footy.web.settings import WebSettings
from tests.support.archive.stored_clips import StoredClips, id_of, make_record, md5_of
from tests.support.fingerprint.scenes import Scene, trimmed, write
from tests.support.pipeline.goals import event_document, remove_goal


def word(number: int = 1, reason: str = "because") -> ModerationRequest:
    return ModerationRequest("ada", f"line-{number}", reason)


@pytest.fixture
async def page(stored_clips: StoredClips) -> AsyncIterator[httpx.AsyncClient]:
    async def well() -> list[object]:
        return []

    deps = WebDeps(
        database=stored_clips.database,
        objects=stored_clips.objects,
        probes=well,  # type: ignore[arg-type]
        version="1",
        commit="0",
        clock=stored_clips.clock,
        settings=WebSettings(port=0),
    )
    transport = httpx.ASGITransport(create_app(deps))
    async with httpx.AsyncClient(transport=transport, base_url="http://footy.test") as client:
        yield client


async def test_a_decision_on_a_fixture_that_was_moved_back_uses_its_current_copy(stored_clips: StoredClips) -> None:
    goal = await stored_clips.goal(1)
    store, active = ModerationStore(stored_clips.database), stored_clips.database[FixtureCollection.ACTIVE]
    stored = await active.find_one({"_id": goal.fixture_id})
    assert stored is not None
    old = {**stored, "events": [{**event, "_slug": "old"} for event in stored["events"]]}
    await stored_clips.database[FixtureCollection.COMPLETED].insert_one(old)
    await active.update_one({"_id": goal.fixture_id}, {"$set": {"_returned_at": stored_clips.clock()}})
    held = await store.find_clip(id_of(goal, 1))
    assert held is not None
    assert held.event["_slug"] != "old"
    assert [event["_slug"] for _, event in await store.find_goals(goal.event_id)] == [held.event["_slug"]]


async def test_a_pinned_clip_is_the_best_until_another_is_pinned(stored_clips: StoredClips) -> None:
    goal = await stored_clips.goal(1, 2, 3)
    keeper = stored_clips.keeping.moderation
    assert await stored_clips.clips(goal) == [id_of(goal, number) for number in (3, 2, 1)]
    assert (await keeper.pin(id_of(goal, 1), word(1))).changed
    assert await stored_clips.clips(goal) == [id_of(goal, number) for number in (1, 3, 2)]
    reported = await keeper.pin(f"https://footy.test/clips/{id_of(goal, 2)}.mp4", word(2))
    assert id_of(goal, 1) in reported.words[0]
    assert await stored_clips.clips(goal) == [id_of(goal, number) for number in (2, 3, 1)]
    assert not (await keeper.pin(id_of(goal, 2), word(3))).changed
    assert (await keeper.unpin(id_of(goal, 2), word(4))).changed
    assert not (await keeper.unpin(id_of(goal, 2), word(5))).changed
    assert await stored_clips.clips(goal) == [id_of(goal, number) for number in (3, 2, 1)]
    assert not any("pinned" in clip for clip in (await stored_clips.event(goal))["_s3_videos"])
    lines = [(line["what"], line["by"], line["reason"], line["state"]) for line in await stored_clips.audit()]
    assert sorted(lines) == sorted([(what, "ada", "because", "done") for what in ("pin", "pin", "unpin")])


async def test_a_decision_reaches_every_copy_of_the_fixture(stored_clips: StoredClips) -> None:
    goal = await stored_clips.goal(1, 2, collection=FixtureCollection.COMPLETED)
    document = await stored_clips.database[FixtureCollection.COMPLETED].find_one()
    assert document
    await stored_clips.database[FixtureCollection.ACTIVE].insert_one(document)
    await stored_clips.keeping.moderation.pin(id_of(goal, 1), word())
    for collection in (FixtureCollection.ACTIVE, FixtureCollection.COMPLETED):
        assert await stored_clips.clips(goal, collection) == [id_of(goal, 1), id_of(goal, 2)]


async def test_a_clip_of_the_wrong_goal_is_removed_with_its_objects_and_recognized_when_found_again(
    stored_clips: StoredClips, page: httpx.AsyncClient
) -> None:
    goal = await stored_clips.goal(1, 2, collection=FixtureCollection.COMPLETED)
    clip, md5 = id_of(goal, 2), md5_of(2)
    assert (await page.get(f"/clips/{clip}.mp4")).status_code == 302
    await stored_clips.keeping.moderation.mark_wrong_goal(clip, word())
    assert await stored_clips.clips(goal, FixtureCollection.COMPLETED) == [id_of(goal, 1)]
    assert (await page.get(f"/clips/{clip}.mp4")).status_code == 410
    assert (await page.get(f"/media/{make_record(goal, 2)['_s3_key']}")).status_code == 410
    kept = f"{goal.fixture_id}/{goal.event_id}/wrong/{md5}.print"
    assert {key for key in await stored_clips.keys() if md5 in key} == {kept}
    await stored_clips.database[FixtureCollection.ACTIVE].insert_one(
        await stored_clips.database[FixtureCollection.COMPLETED].find_one() or {}
    )
    refusal = (await stored_clips.keeping.moderation_store.load_moderation(goal)).find_block(md5)
    assert refusal
    assert (refusal.scope, refusal.fingerprint_key) == (BlockScope.WRONG_GOAL, kept)
    again = await stored_clips.keeping.moderation.mark_wrong_goal(clip, word(2))
    assert (again.changed, again.words) == (False, ("It is removed already.",))
    [line] = await stored_clips.audit()
    assert line["before"]["clip"]["md5"] == md5


@pytest.fixture(scope="module")
def prints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """An original, a trimmed copy at lower quality, and something else."""
    folder = tmp_path_factory.mktemp("films")
    original, other = Scene(31).film(), Scene(32).film()
    films = {"original": (original, 20), "copy": (trimmed(original, 0.5, 5.5), 32), "other": (other, 20)}
    made = {
        name: compute_fingerprint(write(film, folder / f"{name}.mp4", crf=crf)) for name, (film, crf) in films.items()
    }
    return {name: one.to_bytes() for name, one in made.items()}


async def test_a_takedown_removes_every_copy_everywhere_and_blocks_them(
    stored_clips: StoredClips, page: httpx.AsyncClient, prints: dict[str, bytes]
) -> None:
    goal = await stored_clips.goal(1, 2, prints=(prints["original"], prints["other"]))
    archived = await stored_clips.goal(1, collection=FixtureCollection.COMPLETED, prints=(prints["original"],))
    trimmed_copy = await stored_clips.goal(3, prints=(prints["copy"],))
    bystander = await stored_clips.goal(4, prints=(prints["other"],))
    reported = await stored_clips.keeping.moderation.take_down(id_of(goal, 1), word(reason="the league asked"))
    assert set(reported.clips) == {id_of(goal, 1), id_of(archived, 1), id_of(trimmed_copy, 3)}
    for clip in reported.clips:
        assert (await page.get(f"/clips/{clip}.mp4")).status_code == 410
    assert await stored_clips.clips(goal) == [id_of(goal, 2)]
    assert await stored_clips.clips(bystander) == [id_of(bystander, 4)]
    gone = {md5_of(1), md5_of(3)}
    left = {key for key in await stored_clips.keys() if any(md5 in key for md5 in gone)}
    assert left == {f"blocklist/{md5}.print" for md5 in gone}
    judgements = await stored_clips.keeping.moderation_store.load_moderation(bystander)
    assert {md5 for refusal in judgements.blocks for md5 in refusal.md5s} == gone
    found = await BlockedFingerprints(stored_clips.objects).find_matches(
        judgements.blocks, {name: Fingerprint.from_bytes(data) for name, data in prints.items()}
    )
    assert found.keys() == {"original", "copy"}
    assert {entry["reason"] for entry in await stored_clips.keeping.moderation_store.list_blocked()} == {
        "the league asked",
        f"same content as {id_of(goal, 1)}: the league asked",
    }
    await stored_clips.keeping.moderation.unblock(md5_of(1), word(2))
    await stored_clips.keeping.moderation.unblock(id_of(trimmed_copy, 3), word(3))
    assert not (await stored_clips.keeping.moderation_store.load_moderation(goal)).blocks
    assert (await page.get(f"/clips/{id_of(goal, 1)}.mp4")).status_code == 410
    assert not (await stored_clips.keeping.moderation.unblock(id_of(goal, 1), word(4))).changed


async def test_a_takedown_follows_old_addresses_and_reaches_replaced_files(
    stored_clips: StoredClips, page: httpx.AsyncClient
) -> None:
    goal = await stored_clips.goal(1, 2)
    lost = {
        "md5": md5_of(7),
        "fingerprint_key": f"{goal.fixture_id}/{goal.event_id}/{md5_of(7)}.print",
        "hash_version": "motion:0.125",
    }
    await stored_clips.put(goal, 7, b"print")
    for number in (2, 7):
        scratch, picture = scratch_key(goal.event_id, md5_of(number)), make_record(goal, number)["thumbnail_key"]
        for key in (scratch, THUMBNAIL.key_beside(scratch), PREVIEW.key_beside(scratch), f"trash/{picture}"):
            await stored_clips.objects.put_bytes(key, b"left over", content_type="video/mp4")
    await stored_clips.change(goal, {"_s3_videos.0._members": [lost], "_s3_videos.0._md5s": [md5_of(2), md5_of(7)]})
    await stored_clips.database["clip_redirects"].insert_one({"_id": "older", "to": id_of(goal, 2)})
    reported = await stored_clips.keeping.moderation.take_down("older", word())
    assert reported.words[0] == f"older is {id_of(goal, 2)} now."
    assert (await page.get("/clips/older.mp4")).status_code == 410
    assert await stored_clips.keys("blocklist/") == {f"blocklist/{md5_of(number)}.print" for number in (2, 7)}
    assert (await stored_clips.keeping.moderation_store.load_moderation(goal)).find_block(md5_of(7))
    left = {key for key in await stored_clips.keys() if md5_of(2) in key or md5_of(7) in key}
    assert left == await stored_clips.keys("blocklist/")
    assert {key for key in await stored_clips.keys() if md5_of(1) in key}


async def test_a_removed_clip_leaves_the_files_that_another_clip_names(stored_clips: StoredClips) -> None:
    """They were one clip once, so that each was found as the other's file."""
    goal = await stored_clips.goal(1, 2)
    await stored_clips.change(goal, {"_s3_videos.0._md5s": [md5_of(1), md5_of(2)]})
    assert await stored_clips.clips(goal) == [id_of(goal, 2), id_of(goal, 1)]
    await stored_clips.keeping.moderation.mark_wrong_goal(id_of(goal, 2), word())
    record = make_record(goal, 1)
    assert {record[kind.key_field] for kind in CLIP_OBJECTS} <= await stored_clips.keys()


async def test_a_clip_of_the_wrong_goal_leaves_its_files_to_another_goal_that_names_the_same(
    stored_clips: StoredClips,
) -> None:
    goal = await stored_clips.goal(1)
    record = make_record(goal, 1)
    other = replace(goal, event_id=f"{goal.fixture_id}_40_99_Goal_1")
    event = event_document(other, _s3_videos=[{**record, "clip_id": "theirs"}])
    await stored_clips.database[FixtureCollection.ACTIVE].update_one(
        {"_id": goal.fixture_id}, {"$push": {"events": event}}
    )
    await stored_clips.keeping.moderation.mark_wrong_goal(id_of(goal, 1), word())
    assert {record[kind.key_field] for kind in CLIP_OBJECTS} <= await stored_clips.keys()


async def test_a_clip_that_was_only_removed_from_its_goal_can_still_be_taken_down(
    stored_clips: StoredClips, page: httpx.AsyncClient
) -> None:
    goal, other = await stored_clips.goal(1, 2), await stored_clips.goal(1)
    keeper = stored_clips.keeping.moderation
    await keeper.mark_wrong_goal(id_of(goal, 1), word(1))
    assert await stored_clips.clips(other) == [id_of(other, 1)]
    reported = await keeper.take_down(id_of(goal, 1), word(2))
    assert reported.clips == (id_of(goal, 1), id_of(other, 1))
    assert await stored_clips.clips(other) == []
    [refusal] = (await stored_clips.event(goal))["_judgements"]["refused"]
    assert (refusal["scope"], refusal["print_key"]) == ("taken_down", f"blocklist/{md5_of(1)}.print")
    assert {key for key in await stored_clips.keys() if md5_of(1) in key} == {refusal["print_key"]}
    assert (await page.get(f"/clips/{id_of(goal, 1)}.mp4")).status_code == 410


async def test_a_file_that_is_replaced_during_its_takedown_is_removed_with_its_replacement(
    stored_clips: StoredClips, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = await stored_clips.goal(1, 2)
    await stored_clips.put(goal, 5, b"print")
    better = make_record(goal, 5, clip_id=id_of(goal, 1), rank=2, _md5s=[md5_of(1), md5_of(5)])
    really, calls = ClipObjectStore.preserve_fingerprint, iter(range(10))

    async def slow(self: ClipObjectStore, file: FingerprintedFile, target: str) -> str:
        if next(calls) == 0:
            await stored_clips.change(goal, {"_s3_videos.1": better})
        return await really(self, file, target)

    monkeypatch.setattr(ClipObjectStore, "preserve_fingerprint", slow)
    await stored_clips.keeping.moderation.take_down(id_of(goal, 1), word())
    assert await stored_clips.clips(goal) == [id_of(goal, 2)]
    refused = (await stored_clips.keeping.moderation_store.load_moderation(goal)).blocks
    assert {md5_of(1), md5_of(5)} == {md5 for refusal in refused for md5 in refusal.md5s}
    assert {key for key in await stored_clips.keys() if md5_of(5) in key} == {f"blocklist/{md5_of(5)}.print"}


async def test_a_takedown_interrupted_between_two_copies_is_completed_for_all_of_them(
    stored_clips: StoredClips, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal, other = await stored_clips.goal(1, 2), await stored_clips.goal(1)

    async def broken(self: ModerationStore, md5s: object) -> None:
        raise Unavailable("MongoDB", "down")

    with monkeypatch.context() as patched:
        patched.setattr(ModerationStore, "find_by_md5", broken)
        with pytest.raises(Unavailable):
            await stored_clips.keeping.moderation.take_down(id_of(goal, 1), word(1))
    assert await stored_clips.clips(other) == [id_of(other, 1)]
    await stored_clips.keeping.moderation.take_down(id_of(goal, 1), word(2))
    assert await stored_clips.clips(other) == []
    assert [line["state"] for line in await stored_clips.audit()] == ["done", "done"]


async def test_two_clips_are_kept_apart_by_every_name_they_have(stored_clips: StoredClips) -> None:
    goal = await stored_clips.goal(1, 2)
    one, other, lost = id_of(goal, 1), id_of(goal, 2), id_of(goal, 5)
    keeper = stored_clips.keeping.moderation
    assert (await keeper.keep_apart(one, other, word(1))).changed
    await keeper.keep_apart(other, one, word(2))
    assert len((await stored_clips.event(goal))["_judgements"]["apart"]) == 1
    await stored_clips.change(goal, {"_s3_videos.1._members": [{"md5": md5_of(5)}]})
    await stored_clips.database["clip_redirects"].insert_one({"_id": lost, "to": one})
    reported = await keeper.keep_apart(lost, one, word(3))
    assert f"The file of {lost} is deleted" in reported.words[1]
    judgements = await stored_clips.keeping.moderation_store.load_moderation(goal)
    assert judgements.are_kept_apart([md5_of(1)], [md5_of(2), other])
    assert judgements.are_kept_apart([md5_of(5)], [md5_of(1)])
    assert not judgements.are_kept_apart([md5_of(5)], [md5_of(2)])
    elsewhere = await stored_clips.goal(3)
    assert not (await keeper.keep_apart(one, id_of(elsewhere, 3), word(4))).changed
    with pytest.raises(BadInput):
        await keeper.keep_apart(one, one, word(5))


async def test_taking_down_again_what_was_kept_apart_leaves_the_other_clip(
    stored_clips: StoredClips, page: httpx.AsyncClient
) -> None:
    """It was one with the other clip once, and its old address still says so."""
    goal = await stored_clips.goal(1, 2)
    one, other = id_of(goal, 1), id_of(goal, 2)
    await stored_clips.database["clip_redirects"].insert_one({"_id": one, "to": other})
    assert (await stored_clips.keeping.moderation.take_down(one, word(1))).clips == (one,)
    for number, decide in enumerate(
        (stored_clips.keeping.moderation.take_down, stored_clips.keeping.moderation.mark_wrong_goal), 2
    ):
        again = await decide(one, word(number))
        assert (again.changed, again.clips) == (False, (one,))
    assert await stored_clips.clips(goal) == [other]
    assert (await page.get(f"/clips/{one}.mp4")).status_code == 410
    assert (await page.get(f"/clips/{other}.mp4")).status_code == 302


async def test_clips_of_a_removed_goal_can_be_taken_down(stored_clips: StoredClips) -> None:
    goal = await stored_clips.goal(1)
    await remove_goal(stored_clips.database, goal)
    assert (await stored_clips.keeping.moderation.take_down(id_of(goal, 1), word())).changed
    row = await stored_clips.database[FixtureCollection.ACTIVE].find_one({"_id": goal.fixture_id})
    assert row
    assert row["removed_events"][0]["_s3_videos"] == []


async def test_a_reattributed_goal_keeps_the_decisions_of_people(stored_clips: StoredClips) -> None:
    goal = await stored_clips.goal(1, 2, 3)
    keeper = stored_clips.keeping.moderation
    await keeper.pin(id_of(goal, 1), word(1))
    await keeper.mark_wrong_goal(id_of(goal, 3), word(2))
    await keeper.keep_apart(id_of(goal, 1), id_of(goal, 2), word(3))
    heir = replace(goal, event_id=f"{goal.fixture_id}_40_99_Goal_1")
    collections = stored_clips.database[FixtureCollection.ACTIVE]
    await collections.update_one({"_id": goal.fixture_id}, {"$push": {"events": event_document(heir)}})
    given = ReattributeGoal(goal.event_id, heir.event_id, False, 3, stored_clips.clock())
    await collections.update_one({"_id": goal.fixture_id}, build_reattribution_pipeline(given))
    assert await stored_clips.clips(heir) == [id_of(goal, 1), id_of(goal, 2)]
    judgements = await stored_clips.keeping.moderation_store.load_moderation(heir)
    assert judgements.pinned == {id_of(goal, 1)}
    assert judgements.find_block(md5_of(3))
    assert judgements.are_kept_apart([md5_of(1)], [md5_of(2)])


async def test_an_unknown_clip_is_an_error_that_names_the_nearest(stored_clips: StoredClips) -> None:
    await ensure_indexes(stored_clips.database, INDEXES)
    goal = await stored_clips.goal(1)
    await stored_clips.goal()
    clip = id_of(goal, 1)
    with pytest.raises(NotFound, match=f"did you mean {clip}"):
        await stored_clips.keeping.moderation.pin(clip[:-1] + ("0" if clip[-1] != "0" else "1"), word())
    with pytest.raises(NotFound, match=r"there is no clip zzz$"):
        await stored_clips.keeping.moderation.unblock("zzz", word())
    assert not (await stored_clips.keeping.moderation.unblock(clip, word())).changed
    assert await stored_clips.audit() == []


@pytest.mark.parametrize("fails", ["head", "copy", "delete"])
async def test_an_interrupted_takedown_is_recorded_and_completed_later(
    stored_clips: StoredClips, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    goal = await stored_clips.goal(1, 2)

    async def broken(self: ObjectStore, *args: object, **named: object) -> None:
        raise Unavailable("object store", "down")

    with monkeypatch.context() as patched:
        patched.setattr(ObjectStore, fails, broken)
        with pytest.raises(Unavailable):
            await stored_clips.keeping.moderation.take_down(id_of(goal, 1), word())
    [line] = await stored_clips.audit()
    assert (line["state"], line["what"], line["reason"]) == ("intended", "take-down", "because")
    if fails == "delete":
        assert await stored_clips.clips(goal) == [id_of(goal, 2)]
    reported = await stored_clips.keeping.moderation.take_down(id_of(goal, 1), word(2))
    assert "finished now" in reported.words[0]
    [line] = await stored_clips.audit()
    assert line["state"] == "done"
    assert {key for key in await stored_clips.keys() if md5_of(1) in key} == {f"blocklist/{md5_of(1)}.print"}


async def test_two_decisions_at_once_are_both_kept(stored_clips: StoredClips) -> None:
    goal = await stored_clips.goal(1, 2, 3, 4)
    keeper = stored_clips.keeping.moderation
    await asyncio.gather(
        keeper.pin(id_of(goal, 1), word(1)),
        keeper.mark_wrong_goal(id_of(goal, 3), word(2)),
        keeper.take_down(id_of(goal, 4), word(3)),
        keeper.keep_apart(id_of(goal, 1), id_of(goal, 2), word(4)),
    )
    assert await stored_clips.clips(goal) == [id_of(goal, 1), id_of(goal, 2)]
    judged = (await stored_clips.event(goal))["_judgements"]
    assert (len(judged["refused"]), len(judged["apart"])) == (2, 1)


async def test_names_that_look_like_expressions_are_taken_literally(stored_clips: StoredClips) -> None:
    goal = await stored_clips.goal(1)
    await stored_clips.change(goal, {"_s3_videos.0.clip_id": "$$ROOT"})
    assert (await stored_clips.keeping.moderation.pin("$$ROOT", word(1))).changed
    assert (await stored_clips.event(goal))["_s3_videos"][0]["pinned"] is True
