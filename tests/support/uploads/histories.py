"""What must hold for the row of an upload, whatever happened to it. The history tells every transition: each entry was
written together with the status that it tells of."""

from collections import Counter
from itertools import pairwise

from found_footy.domain.upload_documents import UploadDocument
from found_footy.domain.uploads import HistoryKind

_ENDINGS = {HistoryKind.SUPERSEDED, HistoryKind.DELETED}
FOLLOWERS = {
    HistoryKind.STORED: {HistoryKind.STARTED, *_ENDINGS},
    HistoryKind.RETRIED: {HistoryKind.STARTED, *_ENDINGS},
    HistoryKind.STARTED: {HistoryKind.CLASSIFIED, HistoryKind.FAILED, *_ENDINGS},
    HistoryKind.CLASSIFIED: {HistoryKind.RETRIED, *_ENDINGS},
    HistoryKind.FAILED: {HistoryKind.RETRIED, *_ENDINGS},
    HistoryKind.SUPERSEDED: {HistoryKind.STORED},
    HistoryKind.DELETED: {HistoryKind.STORED},
}


def assert_transitions_are_sound(row: UploadDocument) -> None:
    """queued → running → classified or failed, and from anywhere to another version or a tombstone."""
    entries = [HistoryKind(entry["what"]) for entry in row["history"]]
    assert entries[0] is HistoryKind.STORED
    for one, next_one in pairwise(entries):
        assert next_one in FOLLOWERS[one], entries


def assert_superseded_names_the_next_version(row: UploadDocument) -> None:
    for one, next_one in pairwise(row["history"]):
        if one["what"] == HistoryKind.SUPERSEDED:
            assert next_one["what"] == HistoryKind.STORED
            assert one["supersededBy"] == next_one["eventId"] != one["eventId"]


def count_requests(row: UploadDocument) -> Counter[str]:
    """How often each version was queued for classification."""
    queued = {HistoryKind.STORED, HistoryKind.RETRIED}
    return Counter(entry["eventId"] for entry in row["history"] if entry["what"] in queued)
