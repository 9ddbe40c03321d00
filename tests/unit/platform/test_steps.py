"""Steps of a policy table, and how their messages travel."""

from dataclasses import dataclass
from datetime import timedelta

import pytest

from found_footy.platform.temporal import ActivityCall, MessagePayloadConverter

SECOND = timedelta(seconds=1)


@dataclass(frozen=True)
class Note:
    text: str
    wait: timedelta


def test_a_step_at_hand_is_too_short_for_heartbeats() -> None:
    with pytest.raises(ValueError, match="too short to need heartbeats"):
        ActivityCall(
            "look", str, str, "for the test", SECOND, maximum_attempts=1, heartbeat_timeout=SECOND, is_local=True
        )


def test_a_message_arrives_as_it_was_sent() -> None:
    note = Note("Grüße", 90 * SECOND)
    assert MessagePayloadConverter().from_payloads(MessagePayloadConverter().to_payloads([note]), [Note]) == [note]


def test_every_run_of_a_workflow_reads_with_the_same_reader() -> None:
    one, other = (MessagePayloadConverter().converters[b"json/plain"] for _ in range(2))
    assert one is other
