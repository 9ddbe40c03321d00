"""Dead letters are bounded, kept until they are replayed, and stored before their message is acknowledged."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.errors import Unavailable
from found_footy.platform.mongo import Database
from found_footy.platform.queue_connection import QueueConnection
from found_footy.uploads.intake.dead_letter_store import MAX_BODY_BYTES, DeadLetterStore, LetterKind
from found_footy.uploads.intake.dead_letters import DeadLetters
from found_footy.uploads.intake.object_event import ObjectEvent
from found_footy.uploads.intake.publisher import EventPublisher
from found_footy.uploads.messages import ObjectEventResult
from tests.support.uploads.intake import Intake, created, open_intake
from tests.support.uploads.notifications import BUCKET, aws_record

NOON = datetime(2026, 11, 17, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
async def intake(platform: PlatformEndpoints, database: Database) -> AsyncIterator[Intake]:
    async with open_intake(platform.nats_url, database) as opened:
        yield opened


def store_at(database: Database, moment: datetime) -> DeadLetterStore:
    return DeadLetterStore(database, lambda: moment)


async def test_of_a_message_that_is_too_large_the_beginning_is_kept_and_not_replayed(intake: Intake) -> None:
    """The part that is kept may be a whole notification by itself: here, only spaces are cut off."""
    body = json.dumps({"Records": [aws_record("acme/a.jpg")]}).encode().ljust(MAX_BODY_BYTES + 10)
    await intake.letters.park(LetterKind.NOTIFICATION, body, "because " * 1000)
    (letter,) = await intake.dead_letters.list_letters()
    assert (letter.body, letter.is_truncated, len(letter.reason)) == (body[:MAX_BODY_BYTES], True, 500)
    report = await intake.dead_letters.replay()
    assert (report.replayed, list(report.kept)) == (0, [letter.id])
    assert (await intake.read_backlog()).messages == 0


async def test_a_letter_that_was_parked_again_meanwhile_is_not_deleted(database: Database) -> None:
    await store_at(database, NOON).park(LetterKind.EVENT, b"x", "reason")
    (first,) = await DeadLetterStore(database).list_letters(10)
    await store_at(database, NOON + MINUTE).park(LetterKind.EVENT, b"x", "reason")
    assert not await DeadLetterStore(database).delete(first)
    (second,) = await DeadLetterStore(database).list_letters(10)
    assert (second.id, second.at) == (first.id, NOON + MINUTE)


async def test_a_replay_leaves_alone_what_is_parked_after_its_start(intake: Intake, database: Database) -> None:
    """Otherwise a message that fails at once would be replayed without end."""
    for at, key in ((NOON, "acme/before.jpg"), (NOON + MINUTE, "acme/after.jpg")):
        await store_at(database, at).park(LetterKind.EVENT, created(key).to_bytes(), "reason")
    letters = DeadLetters(intake.letters, intake.publisher, BUCKET, lambda: NOON)
    assert (await letters.replay()).replayed == 1
    (left,) = await letters.list_letters()
    assert ObjectEvent.from_bytes(left.body).key == "acme/after.jpg"


async def test_a_letter_whose_message_the_queue_did_not_take_stays(intake: Intake) -> None:
    await intake.letters.park(LetterKind.EVENT, created("acme/a.jpg").to_bytes(), "reason")
    away = EventPublisher(QueueConnection("nats://127.0.0.1:1"))  # not opened, so never connected
    with pytest.raises(Unavailable):
        await DeadLetters(intake.letters, away, BUCKET).replay()
    assert await intake.letters.count() == 1


async def test_a_message_is_acknowledged_only_after_its_letter_is_stored(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    park, failures = intake.letters.park, [Unavailable("MongoDB", "away")]

    async def fail_once(kind: LetterKind, body: bytes, reason: str, **more: str | None) -> None:
        if failures:
            raise failures.pop()
        await park(kind, body, reason, organization_id=more["organization_id"], origin=str(more["origin"]))

    monkeypatch.setattr(intake.letters, "park", fail_once)
    await intake.connection.publish(f"{intake.streams.name}.events.acme", b"garbage", message_id="x")
    async with intake.consume():
        await intake.wait_until_empty()
    assert (failures, await intake.letters.count()) == ([], 1)


async def test_an_ingest_that_does_not_end_is_cancelled_and_tried_again(intake: Intake) -> None:
    async def stall_once(event: ObjectEvent) -> ObjectEventResult:
        if intake.agents.calls[event.key] == 1:
            await asyncio.Event().wait()
        return ObjectEventResult.QUEUED

    intake.agents.answer = stall_once
    await intake.publish("acme/a.jpg")
    async with intake.consume(ingest_timeout=timedelta(milliseconds=200)):
        await intake.wait_until_empty()
    assert (intake.agents.calls, intake.agents.ingested) == ({"acme/a.jpg": 2}, ["acme/a.jpg"])
    assert await intake.letters.count() == 0
