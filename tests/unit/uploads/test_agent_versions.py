"""Which version a row shows: what `head` says now decides, then event time and sequencer."""

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.domain.upload_documents import UploadDocument
from found_footy.domain.uploads import HistoryKind, UploadStatus, compute_event_id
from found_footy.uploads.rows import WriteMark, build_new_row, build_stored_version, build_tombstone
from found_footy.uploads.versions import (
    ObjectAnnouncement,
    RowChange,
    StoredVersion,
    decide_change,
    is_stale,
    is_waiting,
    order_of,
)

KEY = "acme/hero.jpg"
NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def stored(etag: str) -> StoredVersion:
    return StoredVersion(etag, 10, "image/jpeg", NOON)


def row_of(etag: str, status: str = "classified", **more: Any) -> UploadDocument:
    row: Any = {
        "organizationId": "acme",
        "name": "hero.jpg",
        "key": KEY,
        "eventId": compute_event_id(KEY, etag),
        "status": status,
        "requestId": "r1",
        "eventTime": NOON,
        "sequencer": "0A",
        "completedAt": NOON + timedelta(seconds=5),
        "deletedAt": None,
        **more,
    }
    document: UploadDocument = row
    return document


def put(etag: str | None, seconds: float = 0, sequencer: str | None = None) -> ObjectAnnouncement:
    return ObjectAnnouncement(False, etag, NOON + timedelta(seconds=seconds), sequencer, "aws")


REMOVAL = ObjectAnnouncement(is_removal=True, event_time=NOON)
TOMB = {"deletedAt": NOON}

CASES = [
    # row, what is stored, the event, change
    (None, "A", put("A"), RowChange.STORE),
    (None, "B", put("A"), RowChange.STORE),  # a late event still leads to what is stored now
    (None, None, put("A"), RowChange.NONE),
    (None, None, REMOVAL, RowChange.NONE),
    (None, "A", REMOVAL, RowChange.STORE),  # a late removal of an object that exists again
    (row_of("A", "queued"), "A", put("A"), RowChange.START),
    (row_of("A", "running"), "A", put("A"), RowChange.KEEP),
    (row_of("A", "classified"), "A", put("A"), RowChange.KEEP),
    (row_of("A", "failed"), "A", put("A"), RowChange.KEEP),
    (row_of("A", "failed"), "A", put("A", 60), RowChange.REQUEUE),  # the same bytes again, after the failure
    (row_of("A", "failed"), "A", put("A", 3, "FF"), RowChange.KEEP),  # before the failure: another event of that PUT
    (row_of("A", "failed"), "A", put("B", 60), RowChange.KEEP),
    (row_of("A", "failed"), "A", REMOVAL, RowChange.KEEP),
    (row_of("A", "failed"), "A", ObjectAnnouncement(True, None, NOON + timedelta(minutes=1)), RowChange.KEEP),
    (row_of("A", "failed"), "A", ObjectAnnouncement(False, "A"), RowChange.KEEP),  # an event without a time
    (row_of("A", "failed"), "A", put("A", 5, "FF"), RowChange.KEEP),  # at the very time of the failure
    (row_of("A", "failed", completedAt=None), "A", put("A", 60), RowChange.KEEP),
    (row_of("A", "classified"), "A", put("A", 60), RowChange.KEEP),  # the same bytes have the same label
    (row_of("A", "classified"), "B", put("B"), RowChange.STORE),
    (row_of("A", "running"), "B", put("A"), RowChange.STORE),
    (row_of("B", "classified"), "B", put("A", 60), RowChange.KEEP),  # overwritten since
    (row_of("B", "classified"), "B", REMOVAL, RowChange.KEEP),
    (row_of("A", "classified"), None, REMOVAL, RowChange.ENTOMB),
    (row_of("A", "running"), None, put("A"), RowChange.ENTOMB),
    (row_of("A", "classified", **TOMB), None, put("A", 60), RowChange.NONE),  # a late event revives nothing
    (row_of("A", "queued", **TOMB), None, REMOVAL, RowChange.NONE),
    (row_of("A", "classified", **TOMB), "A", put("A"), RowChange.STORE),  # it exists, so it is shown
    (row_of("A", "classified", **TOMB), "B", REMOVAL, RowChange.STORE),
]


@pytest.mark.parametrize(("row", "etag", "announced", "change"), CASES)
def test_what_is_stored_now_decides(
    row: UploadDocument | None, etag: str | None, announced: ObjectAnnouncement, change: RowChange
) -> None:
    found = stored(etag) if etag else None
    assert decide_change(row, KEY, found, announced) is change


@pytest.mark.parametrize(
    ("etag", "announced", "stale"),
    [
        ("A", put("A"), False),
        ("A", put(None), False),
        ("B", put("A"), True),
        (None, put("A"), True),
        (None, put(None), True),
        (None, REMOVAL, False),
        ("A", REMOVAL, True),
    ],
)
def test_an_event_is_stale_if_it_is_about_what_is_no_longer_so(
    etag: str | None, announced: ObjectAnnouncement, stale: bool
) -> None:
    assert is_stale(stored(etag) if etag else None, announced) is stale


def test_equal_times_are_ordered_by_sequencers_of_any_length() -> None:
    assert order_of(NOON, "0055AED6DCD90281E5") < order_of(NOON, "0055aed6dcd90281e6")
    assert order_of(NOON, "FF") < order_of(NOON, "100")
    assert order_of(NOON, None) < order_of(NOON, "1")
    assert order_of(None, "FF") < order_of(NOON, None) < order_of(NOON + timedelta(milliseconds=1), None)


def test_a_repeated_event_has_the_place_that_the_row_has_though_the_database_keeps_milliseconds() -> None:
    """The store's clock is ahead of ours, so that the event seems to come after the failure."""
    told, kept = NOON + timedelta(microseconds=123_456), NOON + timedelta(microseconds=123_000)
    row = row_of("A", "failed", eventTime=kept, sequencer=None, completedAt=NOON - timedelta(seconds=1))
    event = ObjectAnnouncement(False, "A", told, None, "minio")
    assert decide_change(row, KEY, stored("A"), event) is RowChange.KEEP


def test_a_failed_version_that_is_stored_again_at_the_same_time_is_told_by_its_sequencer() -> None:
    row = row_of("A", "failed", completedAt=NOON - timedelta(seconds=1))
    assert decide_change(row, KEY, stored("A"), put("A", 0, "0A")) is RowChange.KEEP
    assert decide_change(row, KEY, stored("A"), put("A", 0, "0B")) is RowChange.REQUEUE


@pytest.mark.parametrize(
    ("row", "waits"),
    [
        (None, False),
        (row_of("A", "queued"), True),
        (row_of("A", "running"), True),
        (row_of("A", "classified"), False),
        (row_of("A", "failed"), False),
        (row_of("A", "running", requestId="r2"), False),
        (row_of("A", "running", deletedAt=NOON), False),
    ],
)
def test_a_row_waits_for_the_request_that_it_names(row: UploadDocument | None, waits: bool) -> None:
    assert is_waiting(row, "r1") is waits


# The history of an object: each element is what is stored after a PUT or a deletion.
ETAGS = st.sampled_from(["A", "B", "C", None])


@given(st.lists(ETAGS, min_size=1, max_size=8), st.data())
def test_the_row_follows_the_object_for_any_order_and_number_of_events(
    states: list[str | None], data: st.DataObject
) -> None:
    """The object changes while events about any of its states, early or late, are handled; the last one is handled
    after the last change. The row ends on what is stored, and "superseded by" always names a later version.
    """
    row: UploadDocument | None = None
    shown: list[str] = []
    last = len(states) - 1
    looks = [*sorted(data.draw(st.lists(st.integers(0, last), max_size=12))), last]
    for number, state in enumerate(looks):
        etag = states[state]
        announced = data.draw(st.sampled_from([REMOVAL, put(None), *(put(each) for each in states if each)]))
        mark = WriteMark(NOON + timedelta(seconds=number), f"v{number}", f"r{number}")
        row = apply(row, stored(etag) if etag else None, announced, mark)
        if row is not None and row.get("deletedAt") is None and (not shown or shown[-1] != row["eventId"]):
            shown.append(row["eventId"])
    final = states[-1]
    if final is None:
        assert row is None or row.get("deletedAt") is not None
        return
    assert row is not None
    assert row.get("deletedAt") is None
    assert row["eventId"] == compute_event_id(KEY, final)
    followers: set[tuple[str, str | None]] = set(itertools.pairwise(shown))
    superseded = [entry for entry in row["history"] if entry["what"] == HistoryKind.SUPERSEDED]
    assert {(entry["eventId"], entry["supersededBy"]) for entry in superseded} <= followers


def apply(
    row: UploadDocument | None, found: StoredVersion | None, announced: ObjectAnnouncement, mark: WriteMark
) -> UploadDocument | None:
    change = decide_change(row, KEY, found, announced)
    if change is RowChange.STORE and found is not None:
        update = build_stored_version(row, "acme", "hero.jpg", found, announced, mark)
        if row is None:
            return build_new_row("acme", "hero.jpg", update, mark)
    elif change is RowChange.ENTOMB and row is not None:
        update = build_tombstone(row, mark)
    else:
        return row
    assert row is not None
    changed: Any = {**row, **update.fields, "history": [*row["history"], *update.history]}
    document: UploadDocument = changed
    return document


def test_a_new_version_begins_at_queued_without_the_results_of_the_old_one() -> None:
    mark = WriteMark(NOON, "v1", "r2")
    row = row_of("A", classificationLabel="cat", classificationScore=0.9, error=None, previewKey="p", history=[])
    update = build_stored_version(row, "acme", "hero.jpg", stored("B"), put("B", 7, "0C"), mark)
    fields = update.fields
    assert fields["status"] == UploadStatus.QUEUED
    emptied = ("classificationLabel", "classificationScore", "error", "previewKey", "completedAt", "modelName", "width")
    assert {fields[name] for name in emptied} == {None}
    assert (fields["eventTime"], fields["sequencer"]) == (NOON + timedelta(seconds=7), "0C")
    assert (fields["requestId"], fields["revision"]) == ("r2", "v1")
    superseded, new = update.history
    assert superseded["supersededBy"] == new["eventId"] == fields["eventId"] == compute_event_id(KEY, "B")
    assert superseded["label"] == "cat"


def test_a_version_that_the_event_does_not_name_has_the_time_at_which_it_was_stored() -> None:
    update = build_stored_version(None, "acme", "hero.jpg", stored("B"), put("A", 99, "FF"), WriteMark(NOON, "v", "r"))
    assert (update.fields["eventTime"], update.fields["sequencer"]) == (NOON, None)
