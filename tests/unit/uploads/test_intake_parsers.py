"""Every dialect becomes the same event; noise is ignored, and a bad record hides no other."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.domain.uploads import split_object_key
from found_footy.platform.errors import BadInput
from found_footy.uploads.intake.notification_parser import MAX_NOTIFICATION_BYTES, parse_notification
from found_footy.uploads.intake.object_event import ObjectAction, ObjectEvent
from found_footy.uploads.intake.records import ParsedNotification
from tests.support.uploads.notifications import (
    BUCKET,
    ETAG,
    aws_record,
    eventbridge_body,
    minio_body,
    r2_body,
    seaweedfs_body,
    seaweedfs_entry,
    seaweedfs_rename,
)

Json = dict[str, Any]
KEY = "acme/café one+two %41.jpg"


def parse(body: Any) -> ParsedNotification:
    return parse_notification(json.dumps(body).encode(), BUCKET)


def parse_one(body: Any) -> ObjectEvent:
    found = parse(body)
    assert not found.faults
    (event,) = found.events
    return event


CREATED: dict[str, Callable[[str], Json]] = {
    "aws": lambda key: {"Records": [aws_record(key)]},
    "minio": minio_body,
    "eventbridge": eventbridge_body,
    "r2": r2_body,
    "seaweedfs": seaweedfs_body,
}
REMOVED: dict[str, Callable[[str], Json]] = {
    "aws": lambda key: {"Records": [aws_record(key, event="ObjectRemoved:Delete")]},
    "minio": lambda key: minio_body(key, event="s3:ObjectRemoved:DeleteMarkerCreated"),
    "eventbridge": lambda key: eventbridge_body(key, kind="Object Deleted"),
    "r2": lambda key: r2_body(key, action="LifecycleDeletion"),
    "seaweedfs": lambda key: seaweedfs_body(key, kind="delete"),
}


@pytest.mark.parametrize("dialect", CREATED)
def test_a_stored_object_is_the_same_event_in_every_dialect(dialect: str) -> None:
    event = parse_one(CREATED[dialect](KEY))
    assert (event.bucket, event.key, event.action, event.dialect) == (BUCKET, KEY, ObjectAction.CREATED, dialect)
    assert (event.etag, event.size) == (ETAG, 1024)
    assert event.event_time is not None
    assert event.event_time.replace(microsecond=0) == datetime(2026, 11, 15, 15, 42, 10, tzinfo=UTC)


@pytest.mark.parametrize("dialect", REMOVED)
def test_a_removed_object_is_the_same_event_in_every_dialect(dialect: str) -> None:
    event = parse_one(REMOVED[dialect](KEY))
    assert (event.bucket, event.key, event.action, event.dialect) == (BUCKET, KEY, ObjectAction.REMOVED, dialect)


@pytest.mark.parametrize("dialect", CREATED)
@given(name=st.text(min_size=1, max_size=80))
def test_any_name_arrives_unchanged_or_not_at_all(dialect: str, name: str) -> None:
    key = f"acme/{name}"
    found = parse(CREATED[dialect](key))
    assert [event.key for event in found.events] == ([key] if split_object_key(key) else [])
    assert not found.faults


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda part: (
            st.lists(part, max_size=4)
            | st.dictionaries(st.sampled_from(["Records", "s3", "bucket", "object", "key", "message", "action"]), part)
        ),
        max_leaves=12,
    )
)
def test_garbage_is_an_error_or_a_fault_and_nothing_else(value: Any) -> None:
    try:
        found = parse(value)
    except BadInput:
        return
    assert not found.events


@given(st.binary(max_size=60))
def test_any_bytes_are_bad_input(body: bytes) -> None:
    with pytest.raises(BadInput):
        parse_notification(b"\x00" + body, BUCKET)


@pytest.mark.parametrize("etag", [f'"{ETAG}"', ETAG])
def test_quotes_around_an_etag_are_removed(etag: str) -> None:
    assert parse_one({"Records": [aws_record(KEY, eTag=etag)]}).etag == ETAG


def test_minio_with_other_field_names_and_without_what_is_zero() -> None:
    body = minio_body(KEY, versionId="v1")
    told = body["Records"][0]["s3"]["object"]
    told["etag"] = told.pop("eTag")
    del told["size"]
    event = parse_one(body)
    assert (event.etag, event.size, event.version_id) == (ETAG, None, "v1")


def test_a_message_of_a_topic_is_unwrapped_once() -> None:
    inner = json.dumps({"Records": [aws_record(KEY)]})
    assert parse_one({"Type": "Notification", "MessageId": "x", "Message": inner}).key == KEY
    with pytest.raises(BadInput, match="no known store"):
        parse({"Type": "Notification", "Message": json.dumps({"Type": "Notification", "Message": inner})})


@pytest.mark.parametrize("envelope", [{"Type": "SubscriptionConfirmation"}, {}, {"Type": "Notification", "Message": 7}])
def test_only_the_notification_of_a_topic_is_unwrapped(envelope: Json) -> None:
    with pytest.raises(BadInput, match="no known store"):
        parse({"Message": json.dumps(minio_body(KEY)), **envelope})


@pytest.mark.parametrize("left_out", ["source", "detail-type"])
def test_an_envelope_of_another_service_is_no_notification(left_out: str) -> None:
    with pytest.raises(BadInput, match="no known store"):
        parse({name: value for name, value in eventbridge_body(KEY).items() if name != left_out})


@pytest.mark.parametrize("told", [{"eTag": "e" * 5000}, {"sequencer": "A" * 5000}, {"versionId": "v" * 5000}])
def test_what_is_told_of_a_version_has_a_bounded_length(told: Json) -> None:
    (fault,) = parse({"Records": [aws_record(KEY, **told)]}).faults
    assert "too long" in fault.reason


def test_a_size_below_zero_is_no_size() -> None:
    assert parse_one({"Records": [aws_record(KEY, size=-1)]}).size is None


def test_a_test_event_of_aws_is_accepted_as_nothing() -> None:
    assert parse({"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": BUCKET}) == ParsedNotification(ignored=1)


def test_a_batch_of_a_forwarder_holds_one_notification_per_item() -> None:
    found = parse([r2_body("acme/a.jpg"), {"what": "is this"}, eventbridge_body("acme/b.jpg")])
    assert [event.key for event in found.events] == ["acme/a.jpg", "acme/b.jpg"]
    assert [fault.record for fault in found.faults] == [{"what": "is this"}]


BAD_RECORDS: dict[str, Json] = {
    "no object": {**aws_record(KEY), "s3": {"bucket": {"name": BUCKET}}},
    "another major version": {**aws_record(KEY), "eventVersion": "3.0"},
    "another source": {**aws_record(KEY), "eventSource": "ceph:s3"},
    "a key that is not UTF-8": aws_record(KEY, key="acme/%ff%fe"),
    "half a surrogate pair": aws_record(KEY, key="acme/\ud800"),
    "an empty key": aws_record(KEY, key=""),
    "a key that is too long": aws_record(KEY, key="acme/" + "x" * 1024),
    "a number as a key": aws_record(KEY, key=7),
}


@pytest.mark.parametrize("bad", BAD_RECORDS)
def test_one_bad_record_does_not_hide_the_others(bad: str) -> None:
    found = parse({"Records": [aws_record("acme/1"), BAD_RECORDS[bad], aws_record("acme/2")]})
    assert [event.key for event in found.events] == ["acme/1", "acme/2"]
    (fault,) = found.faults
    assert fault.reason
    assert fault.record == {"Records": [BAD_RECORDS[bad]]}


NOISE: dict[str, Json] = {
    "another bucket": {"Records": [aws_record(KEY, bucket="clips")]},
    "a tag": {"Records": [aws_record(KEY, event="ObjectTagging:Put")]},
    "a key of no organization": r2_body("photo.jpg"),
    "a key below a folder of an organization": r2_body("acme/2026/photo.jpg"),
    "our own preview": r2_body(".previews/abc.jpg"),
    "our own prepared image": minio_body(".prepared/abc"),
    "a directory marker": r2_body("acme/"),
    "a restored object": eventbridge_body(KEY, kind="Object Restore Completed"),
    "an action that is not known": r2_body(KEY, action="RotateObject"),
    "a directory of the filer": seaweedfs_body("acme", is_directory=True),
    "a directory of an organization": seaweedfs_body("acme/album", is_directory=True),
    "a part of a multipart upload": seaweedfs_body(".uploads/4bf9/0001.part"),
    "the end of a multipart upload": seaweedfs_body(".uploads/4bf9/0001.part", kind="delete"),
    "an old version": seaweedfs_body("acme/photo.jpg.versions/v_1"),
    "a file outside of the buckets": {
        **seaweedfs_body("x"),
        "message": {"new_entry": seaweedfs_entry("log"), "new_parent_path": "/topics/.system"},
    },
    "a file whose path only looks like that of an upload": {
        **seaweedfs_body("x"),
        "message": {"new_entry": seaweedfs_entry("a.jpg"), "new_parent_path": f"{BUCKET}/acme"},
    },
    "the bucket itself": {
        **seaweedfs_body("x"),
        "message": {"new_entry": seaweedfs_entry("footy-uploads"), "new_parent_path": "/buckets"},
    },
}


@pytest.mark.parametrize("noise", NOISE)
def test_what_concerns_no_upload_is_ignored(noise: str) -> None:
    assert parse(NOISE[noise]) == ParsedNotification(ignored=1)


def test_an_overwritten_object_of_seaweedfs_is_created() -> None:
    assert parse_one(seaweedfs_body(KEY, kind="update")).action is ObjectAction.CREATED


def test_a_renamed_object_of_seaweedfs_is_removed_and_created() -> None:
    found = parse(seaweedfs_rename("acme/old.jpg", "acme/new.jpg"))
    assert [(event.action, event.key) for event in found.events] == [
        (ObjectAction.REMOVED, "acme/old.jpg"),
        (ObjectAction.CREATED, "acme/new.jpg"),
    ]


def test_an_object_moved_to_another_bucket_is_removed() -> None:
    body = seaweedfs_rename("acme/old.jpg", "acme/old.jpg")
    body["message"]["new_parent_path"] = "/buckets/elsewhere/acme"
    found = parse(body)
    assert [(event.action, event.key) for event in found.events] == [(ObjectAction.REMOVED, "acme/old.jpg")]
    assert found.ignored == 1


def test_a_removal_of_seaweedfs_has_no_time_because_that_of_the_removed_version_is_older() -> None:
    """With it, the queue would take two removals of one version for one."""
    stored, removed = parse_one(seaweedfs_body(KEY)), parse_one(seaweedfs_body(KEY, kind="delete"))
    assert stored.sequencer == f"{1794757330123456789:016X}"
    assert (removed.event_time, removed.sequencer) == (None, None)
    assert removed.message_id != removed.message_id


def test_an_entry_of_seaweedfs_without_time_chunks_and_digest_is_an_event_without_them() -> None:
    bare = {"name": "a.jpg", "attributes": {}, "chunks": [{"size": 7}, {"modified_ts_ns": 0}]}
    event = parse_one({**seaweedfs_body("acme/a.jpg"), "message": {"new_entry": bare}})
    assert (event.key, event.etag, event.size) == ("acme/a.jpg", None, 0)
    assert (event.event_time, event.sequencer) == (None, None)


@pytest.mark.parametrize("kind", ["delete", "rename", "create"])
def test_a_change_of_seaweedfs_without_the_entry_that_it_is_about_is_no_event(kind: str) -> None:
    other = "new_entry" if kind == "delete" else "old_entry"
    found = parse({**seaweedfs_body(KEY), "event_type": kind, "message": {other: seaweedfs_entry("a.jpg")}})
    expected = [ObjectAction.REMOVED] if kind == "rename" else []
    assert [event.action for event in found.events] == expected
    assert not found.faults


def test_an_object_that_s3_did_not_write_has_the_md5_of_its_content() -> None:
    body = seaweedfs_body(KEY)
    entry = body["message"]["new_entry"]
    entry["extended"] = {}
    entry["attributes"]["md5"] = "myz1NfJ3Mcl0NDZFo5hTKA=="
    assert parse_one(body).etag == "9b2cf535f27731c974343645a3985328"


@pytest.mark.parametrize(
    "change",
    [{}, {"new_entry": {"name": 7}}, {"new_entry": "x"}, [], {"new_entry": {"name": "\ud800"}}],
)
def test_a_change_without_an_entry_is_a_fault(change: Any) -> None:
    body = {**seaweedfs_body(KEY), "message": change}
    (fault,) = parse(body).faults
    assert fault.record == body


def test_an_unknown_event_type_of_seaweedfs_is_a_fault() -> None:
    (fault,) = parse({**seaweedfs_body(KEY), "event_type": "hardlink"}).faults
    assert "hardlink" in fault.reason


def test_a_notification_that_is_too_large_or_too_deep_is_bad_input() -> None:
    with pytest.raises(BadInput, match="more than"):
        parse_notification(b" " * (MAX_NOTIFICATION_BYTES + 1), BUCKET)
    assert parse_notification(json.dumps(r2_body(KEY)).encode().ljust(MAX_NOTIFICATION_BYTES), BUCKET).events
    with pytest.raises(BadInput, match="not JSON"):
        parse_notification(b"[" * 200_000, BUCKET)
