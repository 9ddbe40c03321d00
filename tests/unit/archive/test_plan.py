"""What to copy, what to count, what to turn away."""

from dataclasses import replace

import pytest

from found_footy.archive.dedup.apply import compute_clip_list_update
from found_footy.archive.dedup.goal_archive import GoalArchive, parse_goal_archive, summarize_archive
from found_footy.archive.dedup.other_goals import OtherGoalClip
from found_footy.archive.dedup.plan import plan_uploads
from found_footy.archive.dedup.pools import build_pools
from found_footy.archive.dedup.records import ClipRecord, make_clip_id
from found_footy.archive.messages import ExtraSource, MatchedPair, PlanUploads, SaveClips, UploadedClip
from found_footy.archive.moderation.model import BlockScope, ContentBlock, GoalModeration
from found_footy.domain.messages import ScreenedClip
from found_footy.domain.outcomes import ClipOutcome, Finding, TimestampStatus
from found_footy.domain.proof import ClipProof
from found_footy.platform.errors import Conflict
from tests.support.pipeline.goals import make_goal

GOAL = replace(make_goal(), fixture_id=5000, event_id="5000_40_234_Goal_1", elapsed=23)
EMPTY = GoalArchive(GOAL.event_id)


def a_find(md5: str, source: str = "s", *, verified: bool = False, length: float = 10.0) -> ScreenedClip:
    status = TimestampStatus.VERIFIED if verified else TimestampStatus.UNVERIFIED
    key = f"scratch/e/{md5}.mp4"
    return ScreenedClip(md5, key, source, 1280, 720, length, 1000, 800, 25.0, status, hash_version="motion:0.125")


def saved(*finds: ScreenedClip, archive: GoalArchive = EMPTY, pairs: tuple[MatchedPair, ...] = ()) -> list[ClipRecord]:
    """The goal's records after these finds were planned, copied and saved."""
    made = plan_uploads(PlanUploads(GOAL, finds, pairs), archive)
    whole = [
        UploadedClip(clip, f"{clip.md5}.mp4", f"{clip.md5}.jpg", fingerprint_key=f"{clip.md5}.print")
        for clip in made.uploads
    ]
    prints = [UploadedClip(clip, fingerprint_key=f"{clip.md5}.print") for clip in made.fingerprint_only]
    known = {md5 for record in archive.records for md5 in record["_md5s"]} | {find.md5 for find in finds}
    message = SaveClips(GOAL, "download1", (*whole, *prints), made.extra_sources, pairs, tuple(known))
    return compute_clip_list_update(message, archive, "bucket").records


def holding(*finds: ScreenedClip, **changes: object) -> GoalArchive:
    return replace(EMPTY, records=tuple(saved(*finds)), **changes)  # type: ignore[arg-type]


def elsewhere(md5: str, *, verified: bool, minute: int) -> OtherGoalClip:
    return OtherGoalClip("5000_40_7_Goal_1", "other", md5, verified, minute, "p", "motion:0.125")


def test_the_winner_is_copied_with_all_objects_and_the_others_with_fingerprints_only() -> None:
    finds = (a_find("a", length=20.0), a_find("b", "1"), a_find("b", "2"))
    made = plan_uploads(PlanUploads(GOAL, finds, (MatchedPair("a", "b"),)), EMPTY)
    assert [clip.md5 for clip in made.uploads] == ["a"]
    assert [(clip.md5, clip.source_url) for clip in made.fingerprint_only] == [("b", "1")]
    assert [(find.md5, find.source_url) for find in made.extra_sources] == [("b", "2")]


def test_the_objects_of_a_replaced_file_are_named_before_its_record_is_gone() -> None:
    archive = holding(a_find("a"))
    made = plan_uploads(PlanUploads(GOAL, (a_find("b", length=20.0),), (MatchedPair("a", "b"),)), archive)
    assert made.obsolete_keys == ("a.mp4", "a.jpg")
    assert plan_uploads(PlanUploads(GOAL, (a_find("b"),)), archive).obsolete_keys == ()


ELSEWHERE = [
    # verified here, verified there, minute there → turned away, flagged
    (False, True, 70, True, False),
    (True, True, 70, False, True),
    (False, False, 70, False, True),
    (True, False, 70, False, True),
    (False, True, 25, False, True),
]


@pytest.mark.parametrize(("here", "there", "minute", "turned_away", "flagged"), ELSEWHERE)
@pytest.mark.parametrize("same_bytes", [True, False])
def test_a_file_that_shows_another_goal(
    here: bool, there: bool, minute: int, turned_away: bool, flagged: bool, same_bytes: bool
) -> None:
    other = elsewhere("a" if same_bytes else "z", verified=there, minute=minute)
    pairs = () if same_bytes else (MatchedPair("a", other.name),)
    made = plan_uploads(PlanUploads(GOAL, (a_find("a", verified=here),), pairs), replace(EMPTY, other_clips=(other,)))
    assert [refused.outcome for refused in made.rejected] == [ClipOutcome.WRONG_MINUTE] * turned_away
    assert [(flag.md5, flag.clip_id) for flag in made.flags] == [("a", "other")] * flagged
    assert len(made.uploads) == (not turned_away)


@pytest.mark.parametrize(("minute", "tolerance", "turned_away"), [(25, 1, True), (25, 2, False), (33, 10, False)])
def test_how_near_another_goal_may_be_is_the_clocks_tolerance(minute: int, tolerance: int, turned_away: bool) -> None:
    other = elsewhere("a", verified=True, minute=minute)
    made = plan_uploads(PlanUploads(GOAL, (a_find("a"),)), replace(EMPTY, other_clips=(other,)), tolerance)
    assert bool(made.rejected) is turned_away


@pytest.mark.parametrize(
    ("scope", "outcome"),
    [(BlockScope.TAKEN_DOWN, ClipOutcome.BLOCKED), (BlockScope.WRONG_GOAL, ClipOutcome.WRONG_MINUTE)],
)
def test_rejected_and_blocked_clips_are_not_stored_whenever_people_decided(
    scope: BlockScope, outcome: ClipOutcome
) -> None:
    word = GoalModeration(blocks=(ContentBlock(("a",), scope),))
    made = plan_uploads(PlanUploads(GOAL, (a_find("a", "1"), a_find("a", "2"))), replace(EMPTY, moderation=word))
    assert [(refused.outcome, refused.source_url) for refused in made.rejected] == [(outcome, "1"), (outcome, "2")]
    assert (made.uploads, made.fingerprint_only, made.extra_sources) == ((), (), ())
    late = SaveClips(GOAL, "download1", (UploadedClip(a_find("a"), "a.mp4"),))
    assert compute_clip_list_update(late, replace(EMPTY, moderation=word), "bucket").records == []


def test_a_clip_stored_while_a_batch_was_compared_repeats_the_comparison() -> None:
    new = UploadedClip(a_find("b"), "b.mp4", fingerprint_key="b.print")
    with pytest.raises(Conflict):
        compute_clip_list_update(
            SaveClips(GOAL, "download1", (new,), compared_md5s=("b",)), holding(a_find("a")), "bucket"
        )


def test_a_copy_whose_recording_was_removed_repeats_the_comparison() -> None:
    with pytest.raises(Conflict):
        compute_clip_list_update(SaveClips(GOAL, "download1", (UploadedClip(a_find("b")),)), EMPTY, "bucket")


def test_an_id_that_another_clip_has_is_not_given_twice() -> None:
    first = make_clip_id(GOAL.event_id, "a")
    assert make_clip_id(GOAL.event_id, "a", {first}) not in {first}


def test_each_pool_is_compared_with_everything_but_reads_only_its_own_fingerprints() -> None:
    event = summarize_archive(
        holding(a_find("s", verified=True), other_clips=(elsewhere("o", verified=True, minute=70),))
    )
    proven, rest = build_pools(GOAL, [a_find("v", verified=True), a_find("u")], event)
    assert [sample.name for sample in proven.queries] == ["v"]
    assert [sample.name for sample in rest.queries] == ["u"]
    assert {sample.name for sample in proven.corpus} == {"s", "v", "5000_40_7_Goal_1/o"}
    assert {sample.name for sample in rest.corpus} == {"s", "u", "v", "5000_40_7_Goal_1/o"}


def test_clips_that_came_from_another_goal_are_compared_as_if_they_were_new() -> None:
    [record] = saved(a_find("a"))
    event = {"_event_id": "5000_40_9_Goal_1", "_s3_videos": [record]}
    archive = parse_goal_archive("5000_40_9_Goal_1", [event], ())
    [pool] = build_pools(GOAL, [], summarize_archive(archive))
    assert [sample.name for sample in pool.queries] == ["a"]
    assert build_pools(GOAL, [], summarize_archive(holding(a_find("a")))) == ()


def test_a_clip_without_a_fingerprint_is_compared_with_nothing() -> None:
    assert build_pools(GOAL, [replace(a_find("a"), hash_version="")], summarize_archive(EMPTY)) == ()


def test_a_removed_goal_is_recognized_as_removed() -> None:
    assert parse_goal_archive("x", [{"_event_id": "y"}], ()) is None
    assert not summarize_archive(None).exists


def test_a_batch_that_was_compared_before_a_rejection_is_compared_again() -> None:
    """Its own bytes are known by nobody; it may show the same as what was sent away."""
    sent = GoalModeration(blocks=(ContentBlock(("x",), BlockScope.TAKEN_DOWN, "blocklist/x.print", "motion:0.125"),))
    new = UploadedClip(a_find("a"), "a.mp4", "a.jpg", fingerprint_key="a.print")
    batch = SaveClips(GOAL, "download1", (new,), compared_md5s=("a",))
    with pytest.raises(Conflict, match="were blocked"):
        compute_clip_list_update(batch, replace(EMPTY, moderation=sent), "bucket")
    met = replace(batch, compared_block_keys=("blocklist/x.print",))
    assert len(compute_clip_list_update(met, replace(EMPTY, moderation=sent), "bucket").records) == 1


def test_a_source_of_a_stored_clip_needs_no_new_comparison_with_rejected_clips() -> None:
    sent = GoalModeration(blocks=(ContentBlock(("x",), BlockScope.WRONG_GOAL, "wrong/x.print", "motion:0.125"),))
    again = SaveClips(
        GOAL, "download2", (UploadedClip(a_find("a"), "a.mp4", fingerprint_key="a.print"),), compared_md5s=("a",)
    )
    assert len(compute_clip_list_update(again, replace(holding(a_find("a")), moderation=sent), "bucket").records) == 1


def test_a_clip_that_another_check_verifies_has_the_proof_of_that_check() -> None:
    first = UploadedClip(a_find("a"), "key.mp4")
    [stored] = compute_clip_list_update(SaveClips(GOAL, "download1", (first,)), EMPTY, "bucket").records
    assert (stored["timestamp_verified"], stored["proof"]) == (False, None)
    proof = ClipProof("23:14", teams="LIV–ARS", minute_finding=Finding.CONFIRMED)
    again = SaveClips(GOAL, "download2", extra_sources=(ExtraSource("a", "https://x.com/2", True, 23, proof),))
    [record] = compute_clip_list_update(again, replace(EMPTY, records=(stored,)), "bucket").records
    assert (record["timestamp_verified"], record["extracted_minute"]) == (True, 23)
    assert (record["proof"]["clock"], record["proof"]["minute_finding"]) == ("23:14", "confirmed")


CONFIRMED = "confirmed: teams, score and minute agree"


def test_an_unverified_clip_from_a_confirmed_title_ranks_above_others_and_says_why() -> None:
    posts = [{"url": "r1", "witness": CONFIRMED}, {"url": "r2", "witness": "weak: teams and score agree"}, {"url": "x"}]
    archive = parse_goal_archive(GOAL.event_id, [{"_event_id": GOAL.event_id, "_discovered_videos": posts}], [])
    assert archive is not None
    stored = saved(a_find("a", "x"), a_find("a", "x2"), a_find("b", "r2"), a_find("c", "r1"), archive=archive)
    assert [(one["md5"], one.get("title_confirmed"), one.get("witness")) for one in stored] == [
        ("c", True, CONFIRMED),
        ("a", None, None),
        ("b", None, None),
    ]
    assert [one["timestamp_verified"] for one in stored] == [False] * 3


def test_a_clip_found_on_two_sources_is_one_and_keeps_the_title_of_either() -> None:
    """The same bytes, and the same recording in other bytes."""
    known = replace(holding(a_find("a", "https://x.com/1")), witnesses={"https://reddit.com/1": CONFIRMED})
    [same] = saved(a_find("a", "https://reddit.com/1"), archive=known)
    [other] = saved(a_find("b", "https://reddit.com/1"), archive=known, pairs=(MatchedPair("a", "b"),))
    for record in (same, other):
        assert record["_sources"] == ["https://reddit.com/1", "https://x.com/1"]
        assert (record["title_confirmed"], record["witness"]) == (True, CONFIRMED)
    [later] = saved(a_find("b", "x"), archive=replace(EMPTY, records=(same,)), pairs=(MatchedPair("a", "b"),))
    assert later["witness"] == CONFIRMED
