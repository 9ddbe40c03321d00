"""The integrity job: one walk over all objects and all fixtures, a fixture at a time, so that memory stays flat.

The house is in use while it is examined. What is wrong with a fixture is therefore looked at twice, and only what was
wrong both times is told.
"""

import hashlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from found_footy.archive.audit import AuditLog
from found_footy.archive.integrity import (
    BLOCKED,
    SCRATCH,
    Copy,
    Finding,
    Kind,
    examine,
    fixture_of,
    foreign,
)
from found_footy.archive.integrity_store import IntegrityStore
from found_footy.archive.judgement_store import JudgementStore
from found_footy.platform.errors import NotFound
from found_footy.platform.objects import ObjectInfo, ObjectStore

# A decision takes seconds; one that is still open after this was cut short.
_CUT_SHORT = timedelta(minutes=10)


@dataclass(frozen=True)
class Extent:
    """What to look at. `grace` protects objects whose record is on its way; `deep` reads every clip's bytes."""

    grace: timedelta = timedelta(hours=24)
    fixture_id: int | None = None
    deep: bool = False


@dataclass
class Tally:
    fixtures: int = 0
    clips: int = 0
    objects: int = 0
    bytes: int = 0
    kinds: dict[str, int] = field(default_factory=dict)

    def count(self, finding: Finding) -> None:
        self.kinds[finding.kind.value] = self.kinds.get(finding.kind.value, 0) + 1

    @property
    def faults(self) -> int:
        return sum(count for kind, count in self.kinds.items() if Finding(Kind(kind)).is_fault)


class Inspector:
    def __init__(
        self,
        store: IntegrityStore,
        judgements: JudgementStore,
        log: AuditLog,
        objects: ObjectStore,
        now: Callable[[], datetime],
    ) -> None:
        self._store = store
        self._judgements = judgements
        self._log = log
        self._objects = objects
        self._now = now
        self.tally = Tally()

    async def findings(self, extent: Extent) -> AsyncIterator[Finding]:
        """Everything that is wrong, as it is found."""
        self.tally = Tally()
        parts = self._one(extent) if extent.fixture_id is not None else self._all(extent)
        async for finding in parts:
            self.tally.count(finding)
            yield finding

    async def _one(self, extent: Extent) -> AsyncIterator[Finding]:
        number = extent.fixture_id or 0
        listed = {info.key: info async for info in self._objects.list(f"{number}/")}
        if not listed and not await self._store.copies(number):
            raise NotFound(f"there is no fixture {number}")
        async for finding in self._fixture(number, listed, extent):
            yield finding

    async def _all(self, extent: Extent) -> AsyncIterator[Finding]:
        seen: set[int] = set()
        async for number, listed in groups(self._objects):
            found = self._other(listed, extent) if number is None else self._fixture(number, listed, extent)
            seen |= {number} if number is not None else set()
            async for finding in found:
                yield finding
        async for number in self._store.fixture_ids():
            if number not in seen:
                seen.add(number)
                async for finding in self._fixture(number, {}, extent):
                    yield finding
        async for finding in self._loose_ends():
            yield finding

    async def _fixture(self, number: int, listed: dict[str, ObjectInfo], extent: Extent) -> AsyncIterator[Finding]:
        before = self._now() - extent.grace
        copies = await self._store.copies(number)
        self._count(copies, listed)
        first = list(examine(number, copies, listed, before))
        if first:
            listed = {info.key: info async for info in self._objects.list(f"{number}/")}
            copies = await self._store.copies(number)
            again = set(examine(number, copies, listed, before))
            first = [finding for finding in first if finding in again and await self._is_proven(finding)]
        for finding in first:
            yield finding
        if extent.deep:
            async for finding in self._contents(number, copies, listed):
                yield finding

    async def _is_proven(self, finding: Finding) -> bool:
        """A listing does not tell whether a tag is the MD5 of the bytes; the object itself does. Where it is none, only
        a deep look finds other bytes.
        """
        if finding.kind is not Kind.WRONG_CHECKSUM:
            return True
        info = await self._objects.head(finding.key)
        return info is not None and info.tag_is_md5

    def _count(self, copies: list[Copy], listed: dict[str, ObjectInfo]) -> None:
        self.tally.fixtures += 1 if copies else 0
        self.tally.clips += sum(len(event.get("_s3_videos") or ()) for copy in copies[-1:] for event in copy.goals())
        self.tally.objects += len(listed)
        self.tally.bytes += sum(info.size for info in listed.values())

    async def _contents(self, number: int, copies: list[Copy], listed: dict[str, ObjectInfo]) -> AsyncIterator[Finding]:
        for event in copies[-1].goals() if copies else ():
            for clip in event.get("_s3_videos") or ():
                key = str(clip.get("_s3_key"))
                digest = await self._digest(key) if key in listed else clip.get("md5")
                if digest != clip.get("md5"):
                    place = (number, str(event.get("_event_id")), str(clip.get("clip_id")))
                    detail = f"its bytes are {digest or 'gone'} instead of {clip.get('md5')}"
                    yield Finding(Kind.WRONG_CHECKSUM, *place, key, detail)

    async def _digest(self, key: str) -> str:
        """The MD5 of an object's bytes, read in pieces; empty if it has gone meanwhile."""
        try:
            stream = await self._objects.open(key)
        except NotFound:
            return ""
        digest = hashlib.md5(usedforsecurity=False)
        async for chunk in stream.chunks:
            digest.update(chunk)
        return digest.hexdigest()

    async def _other(self, listed: dict[str, ObjectInfo], extent: Extent) -> AsyncIterator[Finding]:
        """Objects that belong to no fixture; they come one at a time."""
        before = self._now() - extent.grace
        for info in listed.values():
            self.tally.objects += 1
            self.tally.bytes += info.size
            if info.key.startswith(SCRATCH) and info.modified < before:
                event_id = info.key.split("/")[1]
                if not await self._store.needs_scratch(event_id):
                    yield Finding(Kind.OLD_SCRATCH, event_id=event_id, key=info.key, detail=f"{info.size} bytes")
            if info.key.startswith(BLOCKED) and info.modified < before and not await self._store.keeps_print(info.key):
                yield Finding(Kind.UNTRACKED_OBJECT, key=info.key, detail="no entry of the blocklist has it")
            if (finding := foreign(info)) is not None:
                yield finding

    async def _loose_ends(self) -> AsyncIterator[Finding]:
        async for clip_id in self._store.redirects():
            target = await self._judgements.successor(clip_id)
            held = await self._judgements.holding(target)
            if held is None and not await self._judgements.sent_away(target):
                yield Finding(Kind.DANGLING_REDIRECT, clip_id=clip_id, detail=f"{target} is nowhere")
        async for row in self._store.blocked():
            key = row.get("print_key")
            if key and await self._objects.head(key) is None:
                yield Finding(Kind.MISSING_PRINT, clip_id=row["clip_id"], key=key, detail="blocked by its bytes only")
            for held in await self._judgements.same_bytes([] if row.get("lifted") else row["md5s"]):
                place = (held.fixture_id, held.event_id, held.clip_id, held.clip["_s3_key"])
                yield Finding(Kind.REFUSED_CLIP, *place, "its content is blocked")
        for line in await self._log.unfinished(self._now() - _CUT_SHORT):
            detail = f"{line.deed} by {line.by} at {line.at:%Y-%m-%d %H:%M}"
            yield Finding(Kind.UNFINISHED_DECISION, clip_id=line.clips[0], key=line.id, detail=detail)


async def groups(objects: ObjectStore) -> AsyncIterator[tuple[int | None, dict[str, ObjectInfo]]]:
    """All objects, those of a fixture together: the listing comes in the order of keys. Others come one by one."""
    number: int | None = None
    group: dict[str, ObjectInfo] = {}
    async for info in objects.list():
        owner = fixture_of(info.key)
        if owner is None:
            yield None, {info.key: info}
            continue
        if group and owner != number:
            yield number, group
            group = {}
        number = owner
        group[info.key] = info
    if group:
        yield number, group
