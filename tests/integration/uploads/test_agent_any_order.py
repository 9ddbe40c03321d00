"""Events in any order, any number of times, with crashes in between: the row ends on what is stored, with its label."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import permutations
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from temporalio.client import Client

from found_footy.domain.messages import TaskQueues
from found_footy.domain.upload_documents import UploadDocument
from found_footy.domain.uploads import UploadStatus, compute_event_id
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.uploads import activities, agent
from found_footy.uploads.intake.object_event import ObjectEvent
from found_footy.uploads.messages import IngestOutcome
from found_footy.uploads.steps import UploadSteps
from tests.support.pipeline.services import until
from tests.support.steps import change_options
from tests.support.uploads.agent_services import UploadServices, open_uploads, paint, running_uploads_worker
from tests.support.uploads.histories import (
    assert_superseded_names_the_next_version,
    assert_transitions_are_sound,
    count_requests,
)

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
INGEST_FAILPOINTS = ("uploads.before_upsert", "uploads.after_upsert", "uploads.after_start")
PERSIST_FAILPOINTS = ("uploads.before_persist", "uploads.after_persist")
BEFORE_ACK = "uploads.before_ack"
COLORS = ("red", "green", "blue")


class CrashError(Exception):
    """The process ends here, as far as the work in hand is concerned: nothing after this point happens."""


@dataclass
class Crashes:
    """The failpoints at which the next work crashes, and those at which it did."""

    planned: list[str] = field(default_factory=list)
    fired: Counter[str] = field(default_factory=Counter)

    def failpoint(self, name: str) -> None:
        if name in self.planned:
            self.planned.remove(name)
            self.fired[name] += 1
            raise CrashError(name)


@pytest.fixture
def crashes(monkeypatch: pytest.MonkeyPatch) -> Crashes:
    plan = Crashes()
    for module in (agent, activities):
        monkeypatch.setattr(module, "failpoint", plan.failpoint)
    change_options(monkeypatch, UploadSteps.persist_result, initial_interval=timedelta(milliseconds=20))
    return plan


@pytest.fixture
async def uploads(
    database: Database, objects: ObjectStore, temporal: Client, queues: TaskQueues
) -> AsyncIterator[UploadServices]:
    async with open_uploads(database, objects, temporal, queues) as services:
        yield services


@dataclass
class StoredName:
    """One name, what was stored under it so far, and the events about that."""

    uploads: UploadServices
    name: str
    events: list[ObjectEvent] = field(default_factory=list)
    current: str | None = None

    async def store(self, color: str | None) -> None:
        """Put an image of this color, or delete what is there. Events of one name may have equal times."""
        at = NOON + timedelta(seconds=len(self.events) // 2)
        sequencer = f"{len(self.events):X}"
        self.current = color
        if color is None:
            await self.uploads.objects.delete(self.uploads.key(self.name))
            self.events.append(self.uploads.removed(self.name, at=at, sequencer=sequencer))
        else:
            etag = await self.uploads.put(self.name, paint(color))
            self.events.append(self.uploads.created(self.name, etag, at=at, sequencer=sequencer))

    async def is_settled(self) -> bool:
        row = await self.uploads.store.find(self.uploads.organization_id, self.name)
        if self.current is None:
            return row is None or row["deletedAt"] is not None
        return row is not None and row["deletedAt"] is None and row["status"] == UploadStatus.CLASSIFIED

    async def check(self) -> UploadDocument | None:
        """The row shows what is stored, with the label of what is stored."""
        await until(self.is_settled)
        row = await self.uploads.store.find(self.uploads.organization_id, self.name)
        if row is None:
            assert self.current is None
            return None
        assert_transitions_are_sound(row)
        assert_superseded_names_the_next_version(row)
        if self.current is not None:
            assert row["classificationLabel"] == self.current
            assert row["eventId"] == compute_event_id(self.uploads.key(self.name), row["etag"])
            assert await self.uploads.objects.head(str(row["previewKey"])) is not None
        return row


async def deliver(uploads: UploadServices, event: ObjectEvent, crashes: Crashes, crash: str | None) -> bool:
    """Deliver an event to a consumer that may crash. True if it was acknowledged."""
    crashes.planned = [crash] if crash in INGEST_FAILPOINTS else []
    try:
        await uploads.tell(event)
    except CrashError:
        return False
    crashes.planned.clear()
    return crash != BEFORE_ACK


# What is stored, one after another, and after each of them the events that are delivered then: by number among those
# of before, so that they come early, late, several times or never until the end. Each may meet a crash.
_DELIVERIES = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from([None, None, BEFORE_ACK, *INGEST_FAILPOINTS])), max_size=3
)
_STEPS = st.lists(st.tuples(st.sampled_from([*COLORS, *COLORS, None]), _DELIVERIES), min_size=3, max_size=5)


@given(_STEPS, st.permutations(range(5)), st.lists(st.sampled_from(PERSIST_FAILPOINTS), max_size=2))
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
async def test_i11_i12_the_row_converges_to_what_is_stored_and_each_request_is_classified_once(
    database: Database,
    objects: ObjectStore,
    temporal: Client,
    crashes: Crashes,
    steps: list[tuple[str | None, list[tuple[int, str | None]]]],
    order: list[int],
    persist_crashes: list[str],
) -> None:
    own_queues = TaskQueues(f"main-{uuid4().hex}", f"media-{uuid4().hex}")
    async with open_uploads(database, objects, temporal, own_queues) as uploads, running_uploads_worker(uploads):
        name = StoredName(uploads, "hero.png")
        unacknowledged: set[int] = set()
        for color, deliveries in steps:
            await name.store(color)
            unacknowledged.add(len(name.events) - 1)
            for number, crash in deliveries:
                index = number % len(name.events)
                if await deliver(uploads, name.events[index], crashes, crash):
                    unacknowledged.discard(index)
        crashes.planned = list(persist_crashes)
        for index in (each for each in order if each in unacknowledged):
            await uploads.tell(name.events[index])
        row = await name.check()
    requests = sum(count_requests(row).values()) if row else 0
    assert len(uploads.classifier.asked) <= requests


async def test_every_order_of_put_put_delete_put_ends_on_the_last_put(uploads: UploadServices) -> None:
    """All 24, delivered when everything is over, each event twice; and the same again without the last PUT."""
    names: list[StoredName] = []
    for number, order in enumerate(permutations(range(4))):
        name = StoredName(uploads, f"{number}.png")
        for color in ("red", "green", None, "blue" if number % 4 else "red"):  # some are A, B, deleted, A
            await name.store(color)
        for index in (*order, *reversed(order)):
            await uploads.tell(name.events[index])
        names.append(name)
    for number, order in enumerate(permutations(range(3))):
        name = StoredName(uploads, f"gone-{number}.png")
        for color in ("red", "green", None):
            await name.store(color)
        for index in (*order, *order):
            await uploads.tell(name.events[index])
        names.append(name)
    async with running_uploads_worker(uploads):
        rows = [await name.check() for name in names]
    assert [row is not None for row in rows] == [True] * 24 + [False] * 6  # what was never seen leaves no tombstone
    assert len(uploads.classifier.asked) == 24
    for row in rows[:24]:
        assert row is not None
        assert await uploads.run_count(row["workflowId"], 1) == 1


@pytest.mark.parametrize("crash", INGEST_FAILPOINTS)
async def test_criterion_4_a_crash_before_the_acknowledgement_recovers_by_redelivery(
    uploads: UploadServices, crashes: Crashes, crash: str
) -> None:
    """Crash after the upsert and before the acknowledgement: one workflow, one result."""
    name = StoredName(uploads, "hero.png")
    await name.store("red")
    assert not await deliver(uploads, name.events[0], crashes, crash)
    assert crashes.fired[crash] == 1
    async with running_uploads_worker(uploads):
        await uploads.tell(name.events[0])
        row = await name.check()
    assert row is not None
    assert uploads.classifier.asked == ["red"]
    assert await uploads.run_count(row["workflowId"], 1) == 1


@pytest.mark.parametrize("crash", PERSIST_FAILPOINTS)
async def test_a_crash_around_the_last_write_neither_loses_nor_doubles_the_result(
    uploads: UploadServices, crashes: Crashes, crash: str
) -> None:
    name = StoredName(uploads, "hero.png")
    await name.store("red")
    crashes.planned = [crash]
    async with running_uploads_worker(uploads):
        outcome = await uploads.tell(name.events[0])
        row = await name.check()
        result = await uploads.temporal.get_workflow_handle(outcome.workflow_id).result()
    assert crashes.fired[crash] == 1
    assert result == "classified"  # not stale: it is the same result, reported again
    assert row is not None
    assert [entry["what"] for entry in row["history"]] == ["stored", "started", "classified"]
    assert uploads.classifier.asked == ["red"]


async def test_a_row_whose_run_was_lost_with_temporal_is_classified_by_the_next_event_or_reconciliation(
    uploads: UploadServices,
) -> None:
    name = StoredName(uploads, "hero.png")
    await name.store("red")
    outcome = await uploads.tell(name.events[0])
    await uploads.temporal.get_workflow_handle(outcome.workflow_id).terminate()
    async with running_uploads_worker(uploads):
        await uploads.agent().restart(await uploads.row("hero.png"))
        await name.check()


async def test_concurrent_events_about_one_name_leave_one_row_that_is_right(uploads: UploadServices) -> None:
    name = StoredName(uploads, "hero.png")
    tasks: list[asyncio.Task[IngestOutcome]] = []
    async with running_uploads_worker(uploads):
        for color in ("red", None, "green", "red", "blue"):
            await name.store(color)
            # Not waited for: the next version is stored meanwhile.
            tasks += [asyncio.create_task(uploads.tell(event)) for event in name.events for _ in range(2)]
        await asyncio.gather(*tasks)
        await name.check()
