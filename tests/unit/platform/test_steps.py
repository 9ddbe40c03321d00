"""Steps and their options, and how their messages travel."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

import pytest
from temporalio.common import RetryPolicy

from found_footy.platform.temporal.client import MessagePayloadConverter
from found_footy.platform.temporal.steps import StepOptions, get_step_options, step

SECOND = timedelta(seconds=1)


@dataclass(frozen=True)
class Note:
    text: str
    wait: timedelta


class NoteSteps(Protocol):
    @step(reason="for the test", start_to_close_timeout=SECOND, maximum_attempts=3, heartbeat_timeout=SECOND)
    async def write_note(self, note: Note) -> bool: ...


def test_a_local_step_is_too_short_for_heartbeats() -> None:
    with pytest.raises(ValueError, match="too short to need heartbeats"):
        step(
            reason="for the test",
            start_to_close_timeout=SECOND,
            maximum_attempts=1,
            heartbeat_timeout=SECOND,
            local=True,
        )


def test_a_step_that_would_be_tried_for_ever_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one attempt"):
        step(reason="for the test", start_to_close_timeout=SECOND, maximum_attempts=0)


def test_a_declared_step_keeps_its_options_and_its_name() -> None:
    assert get_step_options(NoteSteps.write_note) == StepOptions(
        reason="for the test", start_to_close_timeout=SECOND, maximum_attempts=3, heartbeat_timeout=SECOND
    )
    assert NoteSteps.write_note.__name__ == "write_note"


def test_the_retry_policy_is_temporals_own() -> None:
    options = StepOptions(
        reason="for the test",
        start_to_close_timeout=SECOND,
        maximum_attempts=4,
        initial_interval=2 * SECOND,
        backoff_coefficient=1.5,
        maximum_interval=9 * SECOND,
    )
    assert options.retry_policy == RetryPolicy(
        initial_interval=2 * SECOND, backoff_coefficient=1.5, maximum_interval=9 * SECOND, maximum_attempts=4
    )


def test_a_message_arrives_as_it_was_sent() -> None:
    note = Note("Grüße", 90 * SECOND)
    assert MessagePayloadConverter().from_payloads(MessagePayloadConverter().to_payloads([note]), [Note]) == [note]


def test_every_run_of_a_workflow_reads_with_the_same_reader() -> None:
    one, other = (MessagePayloadConverter().converters[b"json/plain"] for _ in range(2))
    assert one is other
