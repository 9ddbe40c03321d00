"""What an object is needed by, for every shape that records and objects can have."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from found_footy.archive.maintenance.integrity import (
    IntegrityIssue,
    IssueKind,
    RequiredObjects,
    StoredFixtureCopy,
    check_foreign_object,
    find_issues,
    parse_fixture_id,
)
from found_footy.domain.clip_files import list_object_keys
from found_footy.domain.collections import FixtureCollection
from found_footy.platform.objects import ObjectInfo

NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)
OLD, YOUNG = NOW - timedelta(days=3), NOW

MD5S = st.sampled_from([letter * 32 for letter in "abcd"])
EVENTS = st.sampled_from([f"7_40_{player}_Goal_1" for player in (1, 2, 3)])
ENDS = (".mp4", ".jpg", ".preview.mp4", ".print")


def info(key: str, modified: datetime = OLD, **changes: Any) -> ObjectInfo:
    given = {"size": 5, "etag": key.rpartition("/")[2][:32], **changes}
    return ObjectInfo(key, given["size"], given["etag"], "", {}, modified)


@st.composite
def clips(draw: st.DrawFn) -> dict[str, Any]:
    """A clip as any build may have written it: sides named or not, under its own goal's keys or another's."""
    md5, folder = draw(MD5S), f"7/{draw(EVENTS)}"
    sides = {"thumbnail_key": ".jpg", "preview_key": ".preview.mp4", "fingerprint_key": ".print"}
    named = {name: f"{folder}/{md5}{end}" for name, end in sides.items() if draw(st.booleans())}
    lost = [{"md5": other, "fingerprint_key": f"7/{draw(EVENTS)}/{other}.print"} for other in draw(st.lists(MD5S))]
    return {
        "clip_id": md5[:4],
        "md5": md5,
        "_s3_key": f"{folder}/{md5}.mp4",
        "file_size": 5,
        "_sources": ["x"],
        "popularity": 1,
        "rank": 1,
        "_members": lost,
        **named,
    }


@st.composite
def goals(draw: st.DrawFn) -> dict[str, Any]:
    refused = [
        {"md5s": [md5], "scope": "wrong_goal", "clip_id": "x", "print_key": f"7/e/wrong/{md5}.print"}
        for md5 in draw(st.lists(MD5S, max_size=2))
    ]
    return {
        "_event_id": draw(EVENTS),
        "_s3_videos": draw(st.lists(clips(), max_size=3)),
        "_judgements": {"refused": refused},
    }


@st.composite
def copies(draw: st.DrawFn) -> list[StoredFixtureCopy]:
    documents = st.fixed_dictionaries(
        {"events": st.lists(goals(), max_size=2), "removed_events": st.none() | st.lists(goals(), max_size=2)}
    )
    return [
        StoredFixtureCopy(collection, draw(documents))
        for collection in draw(st.sets(st.sampled_from(list(FixtureCollection)))) or ()
    ]


KEYS = st.builds(lambda event, md5, end: f"7/{event}/{md5}{end}", EVENTS, MD5S, st.sampled_from(ENDS))


@settings(max_examples=50)
@given(copies(), st.sets(KEYS))
def test_nothing_that_a_record_of_any_copy_needs_is_ever_called_untracked(
    found: list[StoredFixtureCopy], others: set[str]
) -> None:
    recorded = [clip for copy in found for goal in copy.iter_goals() for clip in goal["_s3_videos"]]
    needed = {key for clip in recorded for key in list_object_keys(clip)}
    remembered = {
        row["print_key"] for copy in found for goal in copy.iter_goals() for row in goal["_judgements"]["refused"]
    }
    events = {goal["_event_id"] for copy in found for goal in copy.iter_goals()}
    evidence = {f"7/{event}/evidence/x-1.jpg" for event in events}
    listed = {key: info(key) for key in needed | remembered | evidence | others}
    untracked = {one.key for one in find_issues(7, found, listed, NOW) if one.kind is IssueKind.UNTRACKED_OBJECT}
    assert not untracked & (needed | remembered | evidence)
    assert untracked == {key for key in others if key not in RequiredObjects(found)}


@settings(max_examples=50)
@given(copies(), st.sets(KEYS))
def test_recent_objects_are_never_called_untracked(found: list[StoredFixtureCopy], others: set[str]) -> None:
    listed = {key: info(key, YOUNG) for key in others}
    assert not [one for one in find_issues(7, found, listed, NOW) if one.kind is IssueKind.UNTRACKED_OBJECT]


def test_the_evidence_of_a_deleted_goal_is_untracked() -> None:
    assert "7/7_40_1_Goal_1/evidence/x-1.jpg" not in RequiredObjects([])


def test_keys_belong_to_fixtures_by_their_shape() -> None:
    assert [parse_fixture_id(key) for key in ("7/e/a.mp4", "70/e/x/b.jpg", "7/a.mp4", "scratch/e/a.mp4", "x/e/a")] == [
        7,
        70,
        None,
        None,
        None,
    ]
    assert check_foreign_object(info("readme")) == IntegrityIssue(
        IssueKind.FOREIGN_OBJECT, key="readme", detail="not created by Found Footy"
    )
    assert not any(
        check_foreign_object(info(key)) for key in ("7/e/a.mp4", "scratch/e/a", "trash/7/e/a.mp4", "blocklist/a.print")
    )


def test_of_two_copies_of_a_fixture_the_current_one_is_examined() -> None:
    clip = {
        "clip_id": "c",
        "md5": "a" * 32,
        "_s3_key": "7/e/a.mp4",
        "file_size": 5,
        "_sources": [],
        "popularity": 0,
        "rank": 1,
    }
    archived = StoredFixtureCopy(FixtureCollection.COMPLETED, {"events": [{"_event_id": "e", "_s3_videos": [clip]}]})
    revived = StoredFixtureCopy(FixtureCollection.ACTIVE, {"events": [], "_returned_at": NOW})
    assert [one.kind for one in find_issues(7, [revived, archived], {}, NOW) if one.is_error] == [
        IssueKind.TWO_COLLECTIONS
    ]


def test_without_checksums_of_the_store_sizes_are_compared() -> None:
    clip = {
        "clip_id": "c",
        "md5": "a" * 32,
        "_s3_key": "7/e/a.mp4",
        "file_size": 5,
        "_sources": [],
        "popularity": 0,
        "rank": 1,
    }
    found = [StoredFixtureCopy(FixtureCollection.ACTIVE, {"events": [{"_event_id": "e", "_s3_videos": [clip]}]})]
    by_parts = {"7/e/a.mp4": info("7/e/a.mp4", etag="abc-2")}
    assert [one.kind for one in find_issues(7, found, by_parts, NOW) if one.is_error] == []
    other = {"7/e/a.mp4": info("7/e/a.mp4", etag="b" * 32)}
    assert [one.kind for one in find_issues(7, found, other, NOW) if one.is_error] == [IssueKind.WRONG_CHECKSUM]
