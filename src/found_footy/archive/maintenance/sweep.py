"""The sweep: unreferenced objects, old scratch files, and interrupted moderation actions.

An object is not deleted at once. It moves to `trash/` and is deleted an hour later, after another check. If an upload
found the old object and recorded it during the sweep, it is restored: either the check right after the move sees the
record, or the final check does.
"""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Protocol

from found_footy.archive.maintenance.integrity import (
    BLOCKLIST_PREFIX,
    EVIDENCE_FOLDER,
    SCRATCH_PREFIX,
    RequiredObjects,
    StoredFixtureCopy,
    parse_fixture_id,
)
from found_footy.archive.maintenance.messages import EmptyTrash, SweepRequest, SweepResult
from found_footy.archive.moderation.audit_log import AuditLog
from found_footy.archive.moderation.fingerprints import LookalikeFinder
from found_footy.archive.moderation.model import BlockScope, parse_moderation
from found_footy.archive.moderation.objects import md5_from_key
from found_footy.archive.moderation.service import ModerationRequest, ModerationService
from found_footy.archive.moderation.store import LocatedClip, ModerationStore
from found_footy.domain.ids import TRASH_PREFIX
from found_footy.platform.clock import Clock
from found_footy.platform.errors import NotFound, Unavailable
from found_footy.platform.logs import ActionLogger
from found_footy.platform.objects import ObjectInfo

logger = ActionLogger(__name__)

Heartbeat = Callable[[object], None]
# More unreferenced objects than this indicate the wrong database, or an unfinished restore.
ORPHANS_ALLOWED = 20
ORPHAN_SHARE_ALLOWED = 0.1
# Orphans beyond this number wait for the next night.
_MAX_ORPHANS_PER_SWEEP = 10_000
SWEEP_ACTOR = "sweep"


class SweepObjectStore(Protocol):
    """The methods of the object store that the sweep uses."""

    def list(self, prefix: str = "") -> AsyncIterator[ObjectInfo]: ...
    async def head(self, key: str) -> ObjectInfo | None: ...
    async def copy(self, source: str, target: str) -> ObjectInfo: ...
    async def delete(self, key: str) -> None: ...


class SweepRecords(Protocol):
    """The record queries that the sweep uses."""

    async def load_copies(self, fixture_id: int) -> list[StoredFixtureCopy]: ...
    async def has_blocked_fingerprint(self, key: str) -> bool: ...
    async def is_scratch_needed(self, event_id: str) -> bool: ...


class TrashCopyFailed(Unavailable):
    """The store rejected the copy to the trash; it may be full, while deletion still works."""


class Trash:
    def __init__(self, records: SweepRecords, objects: SweepObjectStore) -> None:
        self._records = records
        self._objects = objects

    async def is_needed(self, key: str) -> bool:
        """Whether a record needs the object. A key of another form is not the product's, and therefore counts as
        needed.
        """
        if (fixture_id := parse_fixture_id(key)) is not None:
            return key in RequiredObjects(await self._records.load_copies(fixture_id))
        if key.startswith(SCRATCH_PREFIX) and key.count("/") > 1:
            return await self._records.is_scratch_needed(key.split("/")[1])
        if key.startswith(BLOCKLIST_PREFIX):
            return await self._records.has_blocked_fingerprint(key)
        return True

    async def move_to_trash(self, key: str, before: datetime) -> bool:
        """Move an old object to the trash unless it is needed. False if it stays or is missing. Raises
        TrashCopyFailed.
        """
        info = await self._objects.head(key)
        if info is None or info.modified >= before or await self.is_needed(key):
            return False
        try:
            await self._objects.copy(key, TRASH_PREFIX + key)
        except NotFound:
            return False
        except Unavailable as error:
            raise TrashCopyFailed(error.system, error.message) from error
        await self._objects.delete(key)
        if await self.is_needed(key):
            await self.restore(key)
            return False
        return True

    async def empty(self, before: datetime, heartbeat: Heartbeat) -> tuple[int, int]:
        """Empty the trash of objects moved there before a moment. Returns how many were deleted, and how many
        restored.
        """
        gone = back = 0
        async for info in self._objects.list(TRASH_PREFIX):
            if info.modified >= before:
                continue
            key = info.key.removeprefix(TRASH_PREFIX)
            needed = await self.is_needed(key)
            back += needed and await self.restore(key)
            gone += not needed
            await self._objects.delete(info.key)
            heartbeat(gone + back)
        return gone, back

    async def restore(self, key: str) -> bool:
        """Restore an object from the trash. False if it is at its key already; NotFound if it is at neither."""
        if await self._objects.head(key) is not None:
            return False
        await self._objects.copy(TRASH_PREFIX + key, key)
        logger.warning("restored an object from the trash: a record needs it", action="swept_restored", key=key)
        return True


@dataclass
class OrphanObjects:
    """Objects that no record seems to need, among all that were examined."""

    examined: int = 0
    found: int = 0
    keys: list[str] = field(default_factory=list)

    def count_object(self, key: str, *, unneeded: bool) -> None:
        self.examined += 1
        self.found += unneeded
        if unneeded and len(self.keys) < _MAX_ORPHANS_PER_SWEEP:
            self.keys.append(key)

    @property
    def has_too_many(self) -> bool:
        return self.found > max(ORPHANS_ALLOWED, ORPHAN_SHARE_ALLOWED * self.examined)


@dataclass(frozen=True)
class ObjectSweeper:
    records: SweepRecords
    moderation_store: ModerationStore
    audit_log: AuditLog
    moderation: ModerationService
    objects: SweepObjectStore
    now: Clock
    new_id: Callable[[], str]
    lookalike_finder: LookalikeFinder

    async def sweep(self, request: SweepRequest, heartbeat: Heartbeat) -> SweepResult:
        """Everything but emptying the trash. Moderation comes first: it makes objects unneeded."""
        resumed = await self._resume_actions(heartbeat)
        enforced = await self._enforce_blocks(heartbeat)
        swept = await self._sweep_objects(request, heartbeat)
        swept = replace(swept, resumed=resumed, enforced=enforced)
        logger.info(
            "swept",
            action="swept",
            orphans=swept.orphans,
            scratch=swept.scratch,
            held_back=swept.held_back,
            resumed=resumed,
            enforced=enforced,
        )
        return swept

    async def empty_trash(self, request: EmptyTrash, heartbeat: Heartbeat) -> SweepResult:
        gone, back = await Trash(self.records, self.objects).empty(self.now() - request.trash_retention, heartbeat)
        return SweepResult(deleted=gone, restored=back)

    async def _sweep_objects(self, request: SweepRequest, heartbeat: Heartbeat) -> SweepResult:
        now, orphans, scratch = self.now(), OrphanObjects(), 0
        blocked = frozenset(md5 for row in await self.moderation_store.list_blocked() for md5 in row["md5s"])
        async for key, needless in self._iter_own_objects(now, request, heartbeat):
            if md5_from_key(key) in blocked and not key.startswith(BLOCKLIST_PREFIX):
                await self._delete_blocked(key)
            elif not key.startswith(SCRATCH_PREFIX):
                orphans.count_object(key, unneeded=needless)
            elif needless:
                scratch += await self._delete_scratch(key, request)
        if orphans.has_too_many:
            _log_held_back(orphans)
            return SweepResult(scratch=scratch, held_back=orphans.found)
        return SweepResult(
            orphans=await self._trash_orphans(orphans, now - request.orphan_grace, heartbeat), scratch=scratch
        )

    async def _trash_orphans(self, orphans: OrphanObjects, before: datetime, heartbeat: Heartbeat) -> int:
        trash, retired = Trash(self.records, self.objects), 0
        for key in orphans.keys:
            heartbeat(key)
            try:
                retired += await trash.move_to_trash(key, before)
            except TrashCopyFailed as error:
                logger.warning("orphans stay until the next sweep: %s", error, action="orphans_left")
                break
        return retired

    async def _iter_own_objects(
        self, now: datetime, request: SweepRequest, heartbeat: Heartbeat
    ) -> AsyncIterator[tuple[str, bool]]:
        """The product's objects, and whether each is old and, by one read per fixture, needed by no record."""
        known: tuple[int, RequiredObjects | None] = (0, None)
        async for info in self.objects.list():
            heartbeat(info.key)
            number = parse_fixture_id(info.key)
            if number is None and not info.key.startswith((SCRATCH_PREFIX, BLOCKLIST_PREFIX)):
                continue
            if number is not None and (known[1] is None or known[0] != number):
                known = (number, RequiredObjects(await self.records.load_copies(number)))
            needed = number is not None and known[1] is not None and info.key in known[1]
            yield info.key, not needed and info.modified < now - _grace_period(info.key, request)

    async def _delete_blocked(self, key: str) -> None:
        """Delete what a running upload or download left of a file that was taken down, whatever its age."""
        of_goal = key.startswith(SCRATCH_PREFIX) or EVIDENCE_FOLDER in key
        if of_goal or not await Trash(self.records, self.objects).is_needed(key):
            await self.objects.delete(key)
            logger.info("deleted an object of a blocked file", action="swept_blocked", key=key)

    async def _delete_scratch(self, key: str, request: SweepRequest) -> bool:
        """Delete an old scratch file unless its goal may still need it; a very old one is deleted in any case."""
        info = await self.objects.head(key)
        if info is None or info.modified >= self.now() - request.scratch_grace:
            return False
        wanted = info.modified >= self.now() - request.scratch_limit and await self.records.is_scratch_needed(
            key.split("/")[1]
        )
        if not wanted:
            await self.objects.delete(key)
        return not wanted

    async def _resume_actions(self, heartbeat: Heartbeat) -> int:
        entries = await self.audit_log.find_interrupted(self.now())
        for entry in entries:
            heartbeat(entry.id)
            await self.moderation.resume_action(entry)
        return len(entries)

    async def _enforce_blocks(self, heartbeat: Heartbeat) -> int:
        """Remove clips that were stored while their content was being blocked, by MD5 and by fingerprint."""
        found: dict[str, LocatedClip] = {}
        rows = await self.moderation_store.list_blocked()
        for row in rows:
            heartbeat(row["_id"])
            found |= {located.clip_id: located for located in await self.moderation_store.find_by_md5(row["md5s"])}
        blocks = parse_moderation({}, rows).blocks
        for located in await self.lookalike_finder.find_blocked(blocks, self.moderation_store.iter_clips(), heartbeat):
            found.setdefault(located.clip_id, located)
        for located in found.values():
            heartbeat(located.clip_id)
            request = ModerationRequest(SWEEP_ACTOR, self.new_id(), "its content is blocked")
            await self.moderation.enforce_block(located, request, BlockScope.TAKEN_DOWN)
        return len(found)


def _log_held_back(orphans: OrphanObjects) -> None:
    logger.error(
        "nothing is swept: %d of %d objects belong to no record, which looks like the wrong database or an unfinished "
        "restore",
        orphans.found,
        orphans.examined,
        action="sweep_held_back",
        orphans=orphans.found,
        objects=orphans.examined,
    )


def _grace_period(key: str, request: SweepRequest) -> timedelta:
    return request.scratch_grace if key.startswith(SCRATCH_PREFIX) else request.orphan_grace
