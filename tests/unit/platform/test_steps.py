"""Steps of a policy table, and how their messages travel."""

from dataclasses import dataclass
from datetime import timedelta

import pytest

from found_footy.platform.temporal import Payloads, Step

SECOND = timedelta(seconds=1)


@dataclass(frozen=True)
class Note:
    text: str
    wait: timedelta


def test_a_step_at_hand_is_too_short_for_heartbeats() -> None:
    with pytest.raises(ValueError, match="too short to need heartbeats"):
        Step("look", str, str, "for the test", SECOND, attempts=1, heartbeat=SECOND, at_hand=True)


def test_a_message_arrives_as_it_was_sent() -> None:
    note = Note("Grüße", 90 * SECOND)
    assert Payloads().from_payloads(Payloads().to_payloads([note]), [Note]) == [note]


def test_every_run_of_a_workflow_reads_with_the_same_reader() -> None:
    one, other = (Payloads().converters[b"json/plain"] for _ in range(2))
    assert one is other
