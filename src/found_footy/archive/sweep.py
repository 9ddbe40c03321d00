"""The sweep: objects that nothing needs, scratch files that nobody waits for, decisions that were cut short.

An object is not deleted at once. It moves to `trash/`, and goes for good an hour later, after one more look. An
upload that found the old object there and recorded it while it was being swept gets it back: either the sweep sees the
record right after the move, or the last look does.
"""

import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Protocol

from found_footy.archive.audit import AuditLog
from found_footy.archive.integrity import BLOCKED, EVIDENCE, SCRATCH, Copy, Needs, fixture_of
from found_footy.archive.judgement import Scope, judgements_of
from found_footy.archive.judgement_keeper import Keeper, Word
from found_footy.archive.judgement_objects import md5_named
from found_footy.archive.judgement_prints import Lookalikes
from found_footy.archive.judgement_store import Held, JudgementStore
from found_footy.archive.sweep_messages import Settle, SweepOrder, Swept
from found_footy.model.ids import TRASH
from found_footy.platform.errors import NotFound, Unavailable
from found_footy.platform.objects import ObjectInfo

_log = logging.getLogger(__name__)

Beat = Callable[[object], None]
_CUT_SHORT = timedelta(minutes=10)
# More objects than this that no record needs look like the wrong database, or a restore that is not finished.
FEW = 20
SMALL_SHARE = 0.1
# What is beyond this waits for the next night.
_MOST_AT_ONCE = 10_000
SWEEPER = "sweep"


class Shelf(Protocol):
    """What the sweep needs of the object store."""

    def list(self, prefix: str = "") -> AsyncIterator[ObjectInfo]: ...
    async def head(self, key: str) -> ObjectInfo | None: ...
    async def copy(self, source: str, target: str) -> ObjectInfo: ...
    async def delete(self, key: str) -> None: ...


class Records(Protocol):
    """What the sweep needs of the records."""

    async def copies(self, fixture_id: int) -> list[Copy]: ...
    async def keeps_print(self, key: str) -> bool: ...
    async def needs_scratch(self, event_id: str) -> bool: ...


class NotCopied(Unavailable):
    """The store does not take the copy that an object leaves in the trash; it may be full, and still delete."""


class Bin:
    def __init__(self, records: Records, objects: Shelf) -> None:
        self._records = records
        self._objects = objects

    async def needs(self, key: str) -> bool:
        """Whether a record needs the object. What is of another shape is not ours to judge, and therefore needed."""
        if (fixture_id := fixture_of(key)) is not None:
            return key in Needs(await self._records.copies(fixture_id))
        if key.startswith(SCRATCH) and key.count("/") > 1:
            return await self._records.needs_scratch(key.split("/")[1])
        if key.startswith(BLOCKED):
            return await self._records.keeps_print(key)
        return True

    async def retire(self, key: str, before: datetime) -> bool:
        """Move an old object to the trash unless it is needed. False if it stays, or has gone. NotCopied."""
        info = await self._objects.head(key)
        if info is None or info.modified >= before or await self.needs(key):
            return False
        try:
            await self._objects.copy(key, TRASH + key)
        except NotFound:
            return False
        except Unavailable as error:
            raise NotCopied(error.system, error.message) from error
        await self._objects.delete(key)
        if await self.needs(key):
            await self.restore(key)
            return False
        return True

    async def settle(self, before: datetime, beat: Beat) -> tuple[int, int]:
        """Empty the trash of what was moved there before a moment. How many went for good, and how many came back."""
        gone = back = 0
        async for info in self._objects.list(TRASH):
            if info.modified >= before:
                continue
            key = info.key.removeprefix(TRASH)
            needed = await self.needs(key)
            back += needed and await self.restore(key)
            gone += not needed
            await self._objects.delete(info.key)
            beat(gone + back)
        return gone, back

    async def restore(self, key: str) -> bool:
        """Bring an object back from the trash. False if it is in its place; NotFound if it is in neither."""
        if await self._objects.head(key) is not None:
            return False
        await self._objects.copy(TRASH + key, key)
        _log.warning("brought back what a record needs", extra={"action": "swept_restored", "key": key})
        return True


@dataclass
class Orphans:
    """Objects that no record seems to need, among all that were looked at."""

    looked_at: int = 0
    found: int = 0
    keys: list[str] = field(default_factory=list)

    def look(self, key: str, *, needless: bool) -> None:
        self.looked_at += 1
        self.found += needless
        if needless and len(self.keys) < _MOST_AT_ONCE:
            self.keys.append(key)

    @property
    def too_many(self) -> bool:
        return self.found > max(FEW, SMALL_SHARE * self.looked_at)


@dataclass(frozen=True)
class Sweeper:
    records: Records
    judgements: JudgementStore
    log: AuditLog
    keeper: Keeper
    objects: Shelf
    now: Callable[[], datetime]
    new_id: Callable[[], str]
    lookalikes: Lookalikes

    async def sweep(self, order: SweepOrder, beat: Beat) -> Swept:
        """Everything but the last look at the trash. Decisions come first: they make objects needless."""
        resumed = await self._resume(beat)
        enforced = await self._enforce(beat)
        swept = await self._objects_swept(order, beat)
        swept = replace(swept, resumed=resumed, enforced=enforced)
        _log.info("swept", extra={"action": "swept", "orphans": swept.orphans, "scratch": swept.scratch,
                                  "held_back": swept.held_back, "resumed": resumed, "enforced": enforced})  # fmt: skip
        return swept

    async def settle(self, order: Settle, beat: Beat) -> Swept:
        gone, back = await Bin(self.records, self.objects).settle(self.now() - order.rest, beat)
        return Swept(deleted=gone, restored=back)

    async def _objects_swept(self, order: SweepOrder, beat: Beat) -> Swept:
        now, orphans, scratch = self.now(), Orphans(), 0
        blocked = frozenset(md5 for row in await self.judgements.blocked() for md5 in row["md5s"])
        async for key, needless in self._ours(now, order, beat):
            if md5_named(key) in blocked and not key.startswith(BLOCKED):
                await self._drop_blocked(key)
            elif not key.startswith(SCRATCH):
                orphans.look(key, needless=needless)
            elif needless:
                scratch += await self._discard(key, order)
        if orphans.too_many:
            _held_back(orphans)
            return Swept(scratch=scratch, held_back=orphans.found)
        return Swept(orphans=await self._retired(orphans, now - order.orphan_grace, beat), scratch=scratch)

    async def _retired(self, orphans: Orphans, before: datetime, beat: Beat) -> int:
        bin_, retired = Bin(self.records, self.objects), 0
        for key in orphans.keys:
            beat(key)
            try:
                retired += await bin_.retire(key, before)
            except NotCopied as error:
                _log.warning("orphans stay until the next sweep: %s", error, extra={"action": "orphans_left"})
                break
        return retired

    async def _ours(self, now: datetime, order: SweepOrder, beat: Beat) -> AsyncIterator[tuple[str, bool]]:
        """Our objects, and whether each is old and, as far as one look per fixture can tell, needed by no record."""
        known: tuple[int, Needs | None] = (0, None)
        async for info in self.objects.list():
            beat(info.key)
            number = fixture_of(info.key)
            if number is None and not info.key.startswith((SCRATCH, BLOCKED)):
                continue
            if number is not None and (known[1] is None or known[0] != number):
                known = (number, Needs(await self.records.copies(number)))
            needed = number is not None and known[1] is not None and info.key in known[1]
            yield info.key, not needed and info.modified < now - _grace(info.key, order)

    async def _drop_blocked(self, key: str) -> None:
        """What an upload or a download that was under way has left of a file that was taken down, at whatever age."""
        of_goal = key.startswith(SCRATCH) or EVIDENCE in key
        if of_goal or not await Bin(self.records, self.objects).needs(key):
            await self.objects.delete(key)
            _log.info("deleted what is left of a blocked file", extra={"action": "swept_blocked", "key": key})

    async def _discard(self, key: str, order: SweepOrder) -> bool:
        """Delete a scratch file that is old, unless its goal may still want it; a very old one goes in any case."""
        info = await self.objects.head(key)
        if info is None or info.modified >= self.now() - order.scratch_grace:
            return False
        wanted = info.modified >= self.now() - order.scratch_limit and await self.records.needs_scratch(
            key.split("/")[1]
        )
        if not wanted:
            await self.objects.delete(key)
        return not wanted

    async def _resume(self, beat: Beat) -> int:
        lines = await self.log.unfinished(self.now() - _CUT_SHORT)
        for line in lines:
            beat(line.id)
            await self.keeper.resume(line)
        return len(lines)

    async def _enforce(self, beat: Beat) -> int:
        """Clips that were stored while a person was blocking their content, by their bytes and by their pictures."""
        found: dict[str, Held] = {}
        rows = await self.judgements.blocked()
        for row in rows:
            beat(row["_id"])
            found |= {held.clip_id: held for held in await self.judgements.same_bytes(row["md5s"])}
        refused = judgements_of({}, rows).refused
        for held in await self.lookalikes.blocked(refused, self.judgements.with_clips(), beat):
            found.setdefault(held.clip_id, held)
        for held in found.values():
            beat(held.clip_id)
            word = Word(SWEEPER, self.new_id(), "its content is blocked")
            await self.keeper.enforce(held, word, Scope.TAKEN_DOWN)
        return len(found)


def _held_back(orphans: Orphans) -> None:
    _log.error(
        "nothing is swept: %d of %d objects belong to no record, which looks like the wrong database or an unfinished "
        "restore", orphans.found, orphans.looked_at,
        extra={"action": "sweep_held_back", "orphans": orphans.found, "objects": orphans.looked_at},
    )  # fmt: skip


def _grace(key: str, order: SweepOrder) -> timedelta:
    return order.scratch_grace if key.startswith(SCRATCH) else order.orphan_grace
