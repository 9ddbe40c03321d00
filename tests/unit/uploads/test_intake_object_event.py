"""An event survives its way through the queue, and its id tells duplicates from repetitions."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.platform.errors import BadInput
from found_footy.uploads.intake.object_event import ObjectAction, ObjectEvent

EVENT = ObjectEvent(
    bucket="footy-uploads",
    key="acme/a.jpg",
    action=ObjectAction.CREATED,
    etag="e1",
    size=7,
    event_time=datetime(2026, 11, 15, 15, 42, 10, 123_000, tzinfo=UTC),
    sequencer=None,
    version_id=None,
    dialect="r2",
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(
    st.builds(
        ObjectEvent,
        bucket=TEXT,
        key=TEXT,
        action=st.sampled_from(ObjectAction),
        etag=st.none() | TEXT,
        size=st.none() | st.integers(0, 2**63),
        event_time=st.none() | st.datetimes(timezones=st.just(UTC)),
        sequencer=st.none() | TEXT,
        version_id=st.none() | TEXT,
        dialect=TEXT,
    )
)
def test_an_event_is_read_as_it_was_written(event: ObjectEvent) -> None:
    assert ObjectEvent.from_bytes(event.to_bytes()) == event


@pytest.mark.parametrize("data", [b"", b"null", b"[]", b"{}", b"\xff", b"[" * 100_000, b'{"bucket": 1}'])
def test_other_bytes_are_bad_input(data: bytes) -> None:
    with pytest.raises(BadInput, match="not an object event"):
        ObjectEvent.from_bytes(data)


def test_a_second_delivery_of_an_event_has_the_same_id() -> None:
    assert EVENT.message_id == replace(EVENT).message_id


def test_the_same_bytes_stored_again_later_are_another_event() -> None:
    again = replace(EVENT, event_time=datetime(2026, 11, 15, 15, 43, 10, 123_000, tzinfo=UTC))
    assert again.message_id != EVENT.message_id


@pytest.mark.parametrize("time", [None, datetime(2026, 11, 15, 15, 42, 10, tzinfo=UTC)])
def test_an_event_that_cannot_be_told_from_another_never_counts_as_its_duplicate(time: datetime | None) -> None:
    removed = replace(EVENT, action=ObjectAction.REMOVED, etag=None, event_time=time)
    assert removed.message_id != removed.message_id


@pytest.mark.parametrize(("sequencer", "version_id"), [("0A", None), (None, "v1")])
def test_a_sequencer_or_a_version_tells_duplicates_where_the_time_does_not(
    sequencer: str | None, version_id: str | None
) -> None:
    event = replace(EVENT, event_time=None, sequencer=sequencer, version_id=version_id)
    assert event.message_id == replace(event).message_id
