"""Recorder and sender over a database, with the channels of receivers, without Temporal.

As a program it does so once for each line of JSON on its input, in a child that dies at a failpoint, and answers with
how the child ended. What the children need is imported once.
"""

import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from found_footy.domain.collections import FixtureCollection
from found_footy.notify.channels.base import CallLimits
from found_footy.notify.channels.factory import build_channel
from found_footy.notify.messages import RecordedMoments, SentMessages
from found_footy.notify.recorder import MomentRecorder
from found_footy.notify.rules import NotifyRule
from found_footy.notify.sender import OutboxSender, SendingRules
from found_footy.notify.settings import parse_channels
from found_footy.notify.store import INDEXES, NotifyStore
from found_footy.platform import mongo
from found_footy.platform.clock import utc_now
from found_footy.platform.mongo import Database
from tests.support.forking import Order, fork_process

LEASE = timedelta(minutes=1)
LOOK_BACK = timedelta(days=2)


@dataclass
class ShiftedClock:
    """The time of day, and what a test adds to it."""

    ahead: timedelta = field(default_factory=timedelta)

    def __call__(self) -> datetime:
        return utc_now() + self.ahead


@dataclass(frozen=True)
class NotifyRunner:
    database: Database
    store: NotifyStore
    recorder: MomentRecorder
    sender: OutboxSender
    clock: ShiftedClock

    async def run(self) -> tuple[RecordedMoments, SentMessages]:
        return await self.recorder.record_new(LOOK_BACK), await self.sender.send_due()

    async def put(self, fixture: Any, collection: FixtureCollection = FixtureCollection.ACTIVE) -> None:
        await self.database[collection].replace_one({"_id": fixture["_id"]}, fixture, upsert=True)

    async def entry(self) -> dict[str, Any]:
        (row,) = await self.database["notify_outbox"].find({}).to_list()
        return row


@asynccontextmanager
async def open_runner(
    database: Database,
    channels: dict[str, Any],
    trusted: Sequence[str],
    *,
    resends: bool = False,
    rules: Sequence[NotifyRule] = (),
) -> AsyncIterator[NotifyRunner]:
    await mongo.ensure_indexes(database, INDEXES)
    clock, limits = ShiftedClock(), CallLimits(timedelta(seconds=30), 64 * 1024, tuple(trusted))
    async with AsyncExitStack() as stack:
        built = {
            name: build_channel(each, limits, clock) for name, each in parse_channels(json.dumps(channels)).items()
        }
        for channel in built.values():
            stack.push_async_callback(channel.aclose)
        store = NotifyStore(database)
        told = rules or (NotifyRule(channels=tuple(channels)),)
        sending = SendingRules(LEASE, timedelta(hours=12), resends, None, told)
        sender = OutboxSender(store, built, sending, clock, lambda: uuid4().hex)
        yield NotifyRunner(database, store, MomentRecorder(store, told, clock), sender, clock)


async def work(order: Order) -> None:
    async with (
        mongo.connect(order["mongo"], order["database"]) as database,
        open_runner(database, order["channels"], order["trusted"]) as runner,
    ):
        await runner.run()


def run_child(order: Order) -> int:
    """The signal that killed the child, or 0."""
    return os.WTERMSIG(os.waitpid(fork_process(order, work), 0)[1])


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(f"{run_child(json.loads(line))}\n")
        sys.stdout.flush()
