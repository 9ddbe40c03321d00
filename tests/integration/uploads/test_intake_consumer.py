"""The consumer on a real JetStream: everything is ingested or parked, nothing stops it, and nobody waits for others."""

import asyncio
import json
import math
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.errors import BadInput, Unavailable
from found_footy.platform.mongo import Database
from found_footy.uploads.intake.dead_letter_store import MAX_BODY_BYTES, LetterKind
from found_footy.uploads.intake.object_event import ObjectEvent
from found_footy.uploads.intake.report import build_intake_report
from found_footy.uploads.intake.retry_rules import RetryRules
from found_footy.uploads.intake.streams import IntakeStreams
from found_footy.uploads.messages import ObjectEventResult
from tests.support.patience import PATIENCE_SECONDS, eventually
from tests.support.uploads.intake import QUICK_LIMITS, QUICK_RULES, Intake, RecordingAgents, created, open_intake
from tests.support.uploads.notifications import aws_record, minio_body


@pytest.fixture
async def intake(platform: PlatformEndpoints, database: Database) -> AsyncIterator[Intake]:
    async with open_intake(platform.nats_url, database) as opened:
        yield opened


async def test_every_event_is_ingested_and_then_deleted(intake: Intake) -> None:
    keys = [f"{organization}/{number}.jpg" for organization in ("acme", "beta") for number in range(20)]
    await intake.publish(*keys)
    async with intake.consume():
        await intake.wait_until_empty()
    assert sorted(intake.agents.ingested) == sorted(keys)
    assert intake.agents.most_running <= QUICK_LIMITS.ingests


async def test_a_second_publication_of_an_event_is_dropped(intake: Intake) -> None:
    event = created("acme/a.jpg")
    for _ in range(3):
        await intake.publisher.publish(event)
    assert (await intake.read_backlog()).messages == 1


async def test_an_event_is_acknowledged_only_after_its_ingest_returned(intake: Intake) -> None:
    going_on = asyncio.Event()

    async def wait(_event: ObjectEvent) -> ObjectEventResult:
        await going_on.wait()
        return ObjectEventResult.QUEUED

    intake.agents.answer = wait
    await intake.publish("acme/a.jpg")
    async with intake.consume():
        await eventually(lambda: intake.agents.running == 1)
        assert (await intake.read_backlog()).messages == 1
        going_on.set()
        await intake.wait_until_empty()
    assert intake.agents.ingested == ["acme/a.jpg"]


async def test_an_event_whose_consumer_died_is_delivered_again(intake: Intake) -> None:
    intake.agents.answer = _never
    await intake.publish("acme/a.jpg")
    async with intake.consume():
        await eventually(lambda: intake.agents.running == 1)
    intake.agents.answer = RecordingAgents().answer
    async with intake.consume():
        await intake.wait_until_empty()
    assert intake.agents.ingested == ["acme/a.jpg"]


async def _never(_event: ObjectEvent) -> ObjectEventResult:
    await asyncio.Event().wait()
    raise AssertionError


async def test_a_long_ingest_is_not_started_a_second_time(intake: Intake) -> None:
    limits = replace(QUICK_LIMITS, times=replace(QUICK_LIMITS.times, ack_wait=timedelta(seconds=2)))

    async def take_long(_event: ObjectEvent) -> ObjectEventResult:
        await asyncio.sleep(5)
        return ObjectEventResult.QUEUED

    intake.agents.answer = take_long
    await intake.publish("acme/a.jpg")
    async with intake.consume(limits):
        await intake.wait_until_empty()
    assert intake.agents.calls == {"acme/a.jpg": 1}


async def test_an_ingest_that_fails_for_its_own_reason_is_tried_again_and_then_parked(intake: Intake) -> None:
    async def fail(event: ObjectEvent) -> ObjectEventResult:
        if event.key == "acme/bad.jpg":
            raise RuntimeError("cannot be")
        return ObjectEventResult.QUEUED

    intake.agents.answer = fail
    await intake.publish("acme/bad.jpg", "acme/good.jpg")
    async with intake.consume():
        await intake.wait_until_empty()
    assert intake.agents.calls["acme/bad.jpg"] == QUICK_RULES.max_deliveries
    assert intake.agents.ingested == ["acme/good.jpg"]
    (letter,) = await intake.dead_letters.list_letters(organization_id="acme")
    assert letter.reason == "given up after 3 attempts; RuntimeError: cannot be"
    assert ObjectEvent.from_bytes(letter.body).key == "acme/bad.jpg"
    assert not await intake.dead_letters.list_letters(organization_id="beta")


async def test_an_outage_of_another_system_parks_nothing(intake: Intake) -> None:
    async def fail_five_times(event: ObjectEvent) -> ObjectEventResult:
        if intake.agents.calls[event.key] <= 5:
            raise Unavailable("MongoDB", "away")
        return ObjectEventResult.QUEUED

    intake.agents.answer = fail_five_times
    await intake.publish("acme/a.jpg")
    async with intake.consume():
        await intake.wait_until_empty()
    assert intake.agents.ingested == ["acme/a.jpg"]
    assert await intake.letters.count() == 0


async def test_an_event_that_found_no_room_many_times_has_all_its_attempts_left(intake: Intake) -> None:
    async def fail_once_after_waiting(event: ObjectEvent) -> ObjectEventResult:
        calls = intake.agents.calls[event.key]
        if calls == QUICK_RULES.max_deliveries + 1:
            raise RuntimeError("cannot be")
        return ObjectEventResult.POSTPONED if calls <= QUICK_RULES.max_deliveries else ObjectEventResult.QUEUED

    intake.agents.answer = fail_once_after_waiting
    await intake.publish("acme/a.jpg")
    async with intake.consume():
        await intake.wait_until_empty()
    assert intake.agents.ingested == ["acme/a.jpg"]
    assert await intake.letters.count() == 0


async def test_an_event_that_breaks_its_contract_is_parked_at_once(intake: Intake) -> None:
    await intake.connection.publish(f"{intake.streams.name}.events.acme", b"\xff garbage", message_id="x")
    await intake.publish("acme/good.jpg", "of-no-organization.jpg")

    async def refuse(event: ObjectEvent) -> ObjectEventResult:
        raise BadInput("no such bucket") if event.key == "beta/bad.jpg" else AssertionError

    async with intake.consume():
        await intake.wait_until_empty()
    intake.agents.answer = refuse
    await intake.publish("beta/bad.jpg")
    async with intake.consume():
        await intake.wait_until_empty()
    assert intake.agents.ingested == ["acme/good.jpg"]
    assert intake.agents.calls["beta/bad.jpg"] == 1
    reasons = sorted(letter.reason for letter in await intake.dead_letters.list_letters())
    assert [reason.partition(":")[2].strip()[:24] for reason in reasons] == [
        "no such bucket",
        "not an object event: : I",
        "the key belongs to no or",
    ]


async def test_postponed_events_stop_nobody(intake: Intake) -> None:
    """More than the number of places, and than any limit of unacknowledged messages that one would choose."""

    async def postpone(event: ObjectEvent) -> ObjectEventResult:
        return ObjectEventResult.POSTPONED if event.key.startswith("acme/full") else ObjectEventResult.QUEUED

    intake.agents.answer = postpone
    await intake.publish(*(f"acme/full-{number}.jpg" for number in range(60)))
    await intake.publish("beta/a.jpg")
    async with intake.consume():
        await eventually(lambda: intake.agents.ingested == ["beta/a.jpg"])
        assert (await intake.read_backlog()).messages >= 60
    assert await intake.letters.count() == 0


async def test_failed_events_stop_no_other_of_their_organization(intake: Intake) -> None:
    async def fail(event: ObjectEvent) -> ObjectEventResult:
        if event.key.startswith("acme/bad"):
            raise RuntimeError("cannot be")
        return ObjectEventResult.QUEUED

    intake.agents.answer = fail
    await intake.publish(*(f"acme/bad-{number}.jpg" for number in range(60)))
    await intake.publish("acme/a.jpg")
    async with intake.consume(rules=RetryRules(max_deliveries=1000)):
        await eventually(lambda: intake.agents.ingested == ["acme/a.jpg"])
        assert (await intake.read_backlog()).messages >= 60


async def test_an_organization_whose_places_are_taken_is_asked_seldom(intake: Intake) -> None:
    async def postpone(_event: ObjectEvent) -> ObjectEventResult:
        return ObjectEventResult.POSTPONED

    intake.agents.answer = postpone
    await intake.publish(*(f"acme/{number}.jpg" for number in range(200)))
    async with intake.consume():
        await eventually(lambda: intake.agents.calls.total() > 0)
        begun = time.monotonic()
        await asyncio.sleep(2)
    # Twice per second, and at each time as many as were on their way.
    turns = 1 + math.ceil(2 * (time.monotonic() - begun))
    assert intake.agents.calls.total() <= turns * (QUICK_LIMITS.ingests + 1)


async def test_a_long_backlog_of_one_organization_delays_no_other(intake: Intake) -> None:
    async def take_a_moment(_event: ObjectEvent) -> ObjectEventResult:
        await asyncio.sleep(0.01)
        return ObjectEventResult.QUEUED

    intake.agents.answer = take_a_moment
    await intake.publish(*(f"acme/{number}.jpg" for number in range(400)))
    await intake.publish(*(f"beta/{number}.jpg" for number in range(5)))
    async with intake.consume():
        await eventually(lambda: sum(key.startswith("beta/") for key in intake.agents.ingested) == 5)
    assert len(intake.agents.ingested) < 200


async def test_an_unexpected_failure_does_not_end_the_intake(platform: PlatformEndpoints, database: Database) -> None:
    """Of the loop itself, and of the consumer of one organization."""
    failures = iter([RuntimeError("the loop"), RuntimeError("the loop again")])

    def read_clock() -> datetime:
        for error in failures:
            raise error
        return datetime.now(UTC)

    class FailingStreams(IntakeStreams):
        def consumer_of(self, subject: str) -> str:
            for error in consumer_failures:
                raise error
            return super().consumer_of(subject)

    consumer_failures = iter([RuntimeError("the consumer")])
    streams = FailingStreams(name="T" + database.name, max_age=timedelta(hours=1))
    async with open_intake(platform.nats_url, database, streams) as intake:
        await intake.publish("acme/a.jpg")
        async with intake.consume(now=read_clock) as running:
            await intake.wait_until_empty()
            assert not running.done()
        assert intake.agents.ingested == ["acme/a.jpg"]


async def test_a_connection_that_was_closed_for_good_is_replaced(intake: Intake) -> None:
    async with intake.consume() as running:
        await intake.publish("acme/a.jpg")
        await intake.wait_until_empty()
        lost = intake.connection.get_queue()
        await lost.client.close()
        await eventually(lambda: intake.connection.is_ready)
        assert intake.connection.get_queue() is not lost
        await intake.publish("acme/b.jpg")
        await eventually(lambda: intake.agents.ingested == ["acme/a.jpg", "acme/b.jpg"])
        assert not running.done()


async def test_a_deleted_stream_is_made_again(intake: Intake) -> None:
    async with intake.consume():
        await intake.connection.get_queue().stream.delete_stream(intake.streams.name)

        async def published() -> bool:
            try:
                await intake.publish("acme/a.jpg")
            except Unavailable:
                return False
            return True

        was_published: bool = await eventually(published)
        assert was_published
        await eventually(lambda: "acme/a.jpg" in intake.agents.ingested)


async def test_a_consumer_without_messages_ends_and_leaves_no_subscription(intake: Intake) -> None:
    limits = replace(QUICK_LIMITS, times=replace(QUICK_LIMITS.times, close_after=timedelta(milliseconds=300)))
    client = intake.connection.get_queue().client
    before = client.subscription_count if hasattr(client, "subscription_count") else len(client._subs)
    async with intake.consume(limits):
        await intake.publish(*(f"org-{number}/a.jpg" for number in range(5)))
        await eventually(lambda: len(intake.agents.ingested) == 5)
        await eventually(lambda: len(client._subs) <= max(before, 1))


async def test_notifications_of_minio_in_the_stream_are_parsed(intake: Intake) -> None:
    async def send(body: bytes, number: int) -> None:
        await intake.connection.publish(intake.streams.notification_subject, body, message_id=f"raw{number}")

    several = {"Records": [aws_record("acme/b.jpg"), {"eventName": 7}, aws_record("acme/c.jpg")]}
    for number, body in enumerate([json.dumps(minio_body("acme/a b.jpg")), "garbage", json.dumps(several)]):
        await send(body.encode(), number)
    async with intake.consume():
        await intake.wait_until_empty()
    assert sorted(intake.agents.ingested) == ["acme/a b.jpg", "acme/b.jpg", "acme/c.jpg"]
    letters = await intake.dead_letters.list_letters()
    assert sorted(letter.body for letter in letters) == [
        b"garbage",
        json.dumps({"Records": [{"eventName": 7}]}).encode(),
    ]


async def test_a_replay_ingests_what_was_parked_and_keeps_what_cannot_be_read(intake: Intake) -> None:
    event = created("acme/a.jpg")
    await intake.publisher.publish(event)  # so that the queue knows its id
    too_large = b"x" * (MAX_BODY_BYTES + 1)
    for kind, body in (
        (LetterKind.EVENT, event.to_bytes()),
        (LetterKind.NOTIFICATION, too_large),
        (LetterKind.EVENT, b"garbage"),
        (LetterKind.NOTIFICATION, json.dumps({"Records": [aws_record("acme/b.jpg")]}).encode()),
        (LetterKind.NOTIFICATION, b"more garbage"),
    ):
        await intake.letters.park(kind, body, "reason")
    report = await intake.dead_letters.replay()
    assert report.replayed == 2
    assert len(report.kept) == 3
    assert (await intake.read_backlog()).messages == 3
    kept = {letter.body[:12] for letter in await intake.dead_letters.list_letters()}
    assert kept == {b"garbage", b"more garbage", too_large[:12]}
    assert (await intake.dead_letters.replay()).replayed == 0


async def test_a_message_parked_twice_is_one_letter(intake: Intake) -> None:
    for _ in range(3):
        await intake.letters.park(LetterKind.NOTIFICATION, b"x", "reason")
    assert await intake.letters.count() == 1


async def test_the_report_has_backlog_age_and_dead_letters(intake: Intake) -> None:
    await intake.publish("acme/a.jpg")
    await intake.letters.park(LetterKind.NOTIFICATION, b"x", "reason")
    report = await build_intake_report(intake.connection, intake.streams, intake.letters)
    now = datetime.now(UTC)
    assert (report.is_connected, report.backlog, report.dead_letters) == (True, 1, 1)
    assert report.oldest is not None
    assert report.is_ok(now)
    assert not report.is_ok(now + timedelta(hours=1))
    assert "1 events in the queue, the oldest for" in report.describe(now)


async def test_a_consumer_that_is_stopped_at_any_moment_ends(intake: Intake) -> None:
    """The library swallows a cancellation that arrives together with an answer."""
    limits = replace(QUICK_LIMITS, look_interval=timedelta(milliseconds=1))
    for number in range(40):
        await intake.publish(f"acme/{number}.jpg")
        async with asyncio.timeout(PATIENCE_SECONDS), intake.consume(limits):
            await asyncio.sleep(number / 2000)
