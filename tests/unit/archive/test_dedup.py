"""A batch is sorted into clips to keep and finds to join."""

from dataclasses import replace

from found_footy.archive.dedup.decide import plan_by_md5
from found_footy.archive.dedup.records import build_clip_record, make_clip_id, object_metadata
from found_footy.archive.messages import ExtraSource, StoredClip, UploadedClip
from found_footy.domain.clip_files import THUMBNAIL
from found_footy.domain.messages import ScreenedClip
from found_footy.domain.outcomes import Finding, TimestampStatus
from found_footy.domain.proof import ClipProof
from tests.support.pipeline.goals import make_goal


def make_clip(md5: str, source: str, status: TimestampStatus = TimestampStatus.UNVERIFIED) -> ScreenedClip:
    return ScreenedClip(md5, f"scratch/e/{md5}.mp4", source, 1280, 720, 10.0, 1000, 800, 25.0, status)


def test_a_new_clip_is_kept() -> None:
    plan = plan_by_md5([make_clip("x", "1")], [])
    assert [clip.md5 for clip in plan.uploads] == ["x"]
    assert plan.extra_sources == ()


def test_a_stored_clip_gains_a_source() -> None:
    plan = plan_by_md5([make_clip("x", "1")], [StoredClip("id", "x")])
    assert plan.uploads == ()
    assert plan.extra_sources == (ExtraSource("x", "1"),)


def test_of_equal_clips_in_a_batch_one_is_kept_and_the_others_add_sources() -> None:
    plan = plan_by_md5([make_clip("x", "2"), make_clip("y", "3"), make_clip("x", "1")], [])
    assert [(clip.md5, clip.source_url) for clip in plan.uploads] == [("x", "1"), ("y", "3")]
    assert plan.extra_sources == (ExtraSource("x", "2"),)


def test_a_verified_clip_is_preferred_to_an_equal_one_that_is_not() -> None:
    plan = plan_by_md5([make_clip("x", "1"), make_clip("x", "2", TimestampStatus.VERIFIED)], [])
    assert [clip.source_url for clip in plan.uploads] == ["2"]


def test_an_empty_batch_needs_nothing() -> None:
    plan = plan_by_md5([], [StoredClip("id", "x")])
    assert (plan.uploads, plan.extra_sources) == ((), ())


def test_a_record_has_the_facts_of_the_clip() -> None:
    goal = make_goal()
    clip = replace(make_clip("x", "1", TimestampStatus.VERIFIED), extracted_minute=23)
    record = build_clip_record(goal, UploadedClip(clip, "key.mp4", "key.jpg"), "footy")
    assert record["clip_id"] == make_clip_id(goal.event_id, "x")
    assert (record["s3_url"], record["_s3_key"], record["thumbnail_key"]) == (
        "s3://footy/key.mp4",
        "key.mp4",
        "key.jpg",
    )
    assert (record["timestamp_verified"], record["extracted_minute"]) == (True, 23)
    assert (record["aspect_ratio"], record["resolution_score"]) == (1.7778, 921_600)
    assert (record["proof"], record["post_doubts"]) == (None, 0)


def test_a_record_has_what_the_picture_proves() -> None:
    proof = ClipProof("66:28", "", "SEV–MCI", "0–2", Finding.CONFIRMED)
    clip = replace(make_clip("x", "1"), proof=proof, post_doubts=2)
    record = build_clip_record(make_goal(), UploadedClip(clip, "key.mp4"), "footy")
    assert record["post_doubts"] == 2
    assert record["proof"] == {
        "clock": "66:28",
        "half": "",
        "teams": "SEV–MCI",
        "score": "0–2",
        "minute_finding": "confirmed",
        "half_finding": "unknown",
        "teams_finding": "unknown",
        "score_finding": "unknown",
    }


def test_clips_of_different_goals_have_different_ids() -> None:
    assert make_clip_id("1_2_3_Goal_1", "x") != make_clip_id("1_2_3_Goal_2", "x")
    assert make_clip_id("1_2_3_Goal_1", "x") == make_clip_id("1_2_3_Goal_1", "x")


def test_an_object_names_its_goal() -> None:
    goal = replace(make_goal(), player_name="Martin Ødegaard", elapsed=45, extra=2)
    reported = object_metadata(goal)
    assert (reported["player"], reported["minute"], reported["event-id"]) == (
        "Martin Ødegaard",
        "45+2min",
        goal.event_id,
    )


def test_the_thumbnail_is_stored_beside_the_clip() -> None:
    assert THUMBNAIL.key_beside("scratch/e/x.mp4") == "scratch/e/x.jpg"
