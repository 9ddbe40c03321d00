"""The integrity job: lists all objects and fixtures, one fixture at a time, so that memory use stays constant.

Records and objects change during the scan. The issues of a fixture are therefore checked twice, and only those found
both times are reported.
"""

import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta

from found_footy.archive.maintenance.integrity import (
    BLOCKLIST_PREFIX,
    SCRATCH_PREFIX,
    IntegrityIssue,
    IssueKind,
    StoredFixtureCopy,
    check_foreign_object,
    find_issues,
    iter_current_goals,
    parse_fixture_id,
)
from found_footy.archive.maintenance.store import IntegrityStore
from found_footy.archive.moderation.audit_log import AuditLog
from found_footy.archive.moderation.store import ModerationStore
from found_footy.platform.clock import Clock
from found_footy.platform.errors import NotFound
from found_footy.platform.objects import ObjectInfo, ObjectStore


@dataclass(frozen=True)
class ScanScope:
    """What to scan. `grace` protects objects whose record is not written yet; `deep` reads every clip's bytes."""

    grace: timedelta = timedelta(hours=24)
    fixture_id: int | None = None
    deep: bool = False


@dataclass
class ScanTally:
    fixtures: int = 0
    clips: int = 0
    objects: int = 0
    bytes: int = 0
    kinds: dict[str, int] = field(default_factory=dict)

    def count_issue(self, issue: IntegrityIssue) -> None:
        self.kinds[issue.kind.value] = self.kinds.get(issue.kind.value, 0) + 1

    @property
    def error_count(self) -> int:
        return sum(count for kind, count in self.kinds.items() if IntegrityIssue(IssueKind(kind)).is_error)


class IntegrityScanner:
    def __init__(
        self,
        store: IntegrityStore,
        moderation_store: ModerationStore,
        audit_log: AuditLog,
        objects: ObjectStore,
        now: Clock,
    ) -> None:
        self._store = store
        self._moderation_store = moderation_store
        self._audit_log = audit_log
        self._objects = objects
        self._now = now
        self.tally = ScanTally()

    async def scan(self, scope: ScanScope) -> AsyncIterator[IntegrityIssue]:
        """Yield every issue as it is found."""
        self.tally = ScanTally()
        parts = self._scan_single_fixture(scope) if scope.fixture_id is not None else self._scan_all(scope)
        async for issue in parts:
            self.tally.count_issue(issue)
            yield issue

    async def _scan_single_fixture(self, scope: ScanScope) -> AsyncIterator[IntegrityIssue]:
        number = scope.fixture_id or 0
        listed = {info.key: info async for info in self._objects.list(f"{number}/")}
        if not listed and not await self._store.load_copies(number):
            raise NotFound(f"there is no fixture {number}")
        async for issue in self._scan_fixture(number, listed, scope):
            yield issue

    async def _scan_all(self, scope: ScanScope) -> AsyncIterator[IntegrityIssue]:
        seen: set[int] = set()
        async for number, listed in group_by_fixture(self._objects):
            found = (
                self._scan_unowned_objects(listed, scope)
                if number is None
                else self._scan_fixture(number, listed, scope)
            )
            seen |= {number} if number is not None else set()
            async for issue in found:
                yield issue
        async for number in self._store.iter_fixture_ids():
            if number not in seen:
                seen.add(number)
                async for issue in self._scan_fixture(number, {}, scope):
                    yield issue
        async for issue in self._scan_references():
            yield issue

    async def _scan_fixture(
        self, fixture_id: int, listed: dict[str, ObjectInfo], scope: ScanScope
    ) -> AsyncIterator[IntegrityIssue]:
        before = self._now() - scope.grace
        copies = await self._store.load_copies(fixture_id)
        self._count_fixture(copies, listed)
        first = list(find_issues(fixture_id, copies, listed, before))
        if first:
            listed = {info.key: info async for info in self._objects.list(f"{fixture_id}/")}
            copies = await self._store.load_copies(fixture_id)
            again = set(find_issues(fixture_id, copies, listed, before))
            first = [issue for issue in first if issue in again and await self._is_confirmed(issue)]
        for finding in first:
            yield finding
        if scope.deep:
            async for finding in self._verify_contents(fixture_id, copies, listed):
                yield finding

    async def _is_confirmed(self, issue: IntegrityIssue) -> bool:
        """A listing does not say whether an ETag is the MD5 of the bytes; a HEAD request does. If it is not, only a
        deep scan finds wrong bytes.
        """
        if issue.kind is not IssueKind.WRONG_CHECKSUM:
            return True
        info = await self._objects.head(issue.key)
        return info is not None and info.is_etag_md5

    def _count_fixture(self, copies: list[StoredFixtureCopy], listed: dict[str, ObjectInfo]) -> None:
        self.tally.fixtures += 1 if copies else 0
        self.tally.clips += sum(len(event.get("_s3_videos") or ()) for event in iter_current_goals(copies))
        self.tally.objects += len(listed)
        self.tally.bytes += sum(info.size for info in listed.values())

    async def _verify_contents(
        self, fixture_id: int, copies: list[StoredFixtureCopy], listed: dict[str, ObjectInfo]
    ) -> AsyncIterator[IntegrityIssue]:
        for event in iter_current_goals(copies):
            for clip in event.get("_s3_videos") or ():
                key = str(clip.get("_s3_key"))
                digest = await self._compute_md5(key) if key in listed else clip.get("md5")
                if digest != clip.get("md5"):
                    place = (fixture_id, str(event.get("_event_id")), str(clip.get("clip_id")))
                    detail = f"its MD5 is {digest or 'unknown (no object)'} instead of {clip.get('md5')}"
                    yield IntegrityIssue(IssueKind.WRONG_CHECKSUM, *place, key, detail)

    async def _compute_md5(self, key: str) -> str:
        """The MD5 of an object's bytes, read in chunks; empty if the object was deleted meanwhile."""
        try:
            stream = await self._objects.open(key)
        except NotFound:
            return ""
        digest = hashlib.md5(usedforsecurity=False)
        async for chunk in stream.chunks:
            digest.update(chunk)
        return digest.hexdigest()

    async def _scan_unowned_objects(
        self, listed: dict[str, ObjectInfo], scope: ScanScope
    ) -> AsyncIterator[IntegrityIssue]:
        """Check objects that belong to no fixture; `listed` holds one at a time."""
        before = self._now() - scope.grace
        for info in listed.values():
            self.tally.objects += 1
            self.tally.bytes += info.size
            if info.key.startswith(SCRATCH_PREFIX) and info.modified < before:
                event_id = info.key.split("/")[1]
                if not await self._store.is_scratch_needed(event_id):
                    yield IntegrityIssue(
                        IssueKind.OLD_SCRATCH, event_id=event_id, key=info.key, detail=f"{info.size} bytes"
                    )
            if (
                info.key.startswith(BLOCKLIST_PREFIX)
                and info.modified < before
                and not await self._store.has_blocked_fingerprint(info.key)
            ):
                yield IntegrityIssue(
                    IssueKind.UNTRACKED_OBJECT, key=info.key, detail="no entry of the blocklist names it"
                )
            if (issue := check_foreign_object(info)) is not None:
                yield issue

    async def _scan_references(self) -> AsyncIterator[IntegrityIssue]:
        async for clip_id in self._store.iter_redirects():
            target = await self._moderation_store.resolve_redirect(clip_id)
            located = await self._moderation_store.find_clip(target)
            if located is None and not await self._moderation_store.find_block_rows(target):
                yield IntegrityIssue(
                    IssueKind.DANGLING_REDIRECT, clip_id=clip_id, detail=f"its target {target} does not exist"
                )
        async for row in self._store.iter_blocked():
            key = row.get("print_key")
            if key and await self._objects.head(key) is None:
                yield IntegrityIssue(
                    IssueKind.MISSING_FINGERPRINT, clip_id=row["clip_id"], key=key, detail="blocked by its MD5 only"
                )
            for located in await self._moderation_store.find_by_md5([] if row.get("lifted") else row["md5s"]):
                place = (located.fixture_id, located.event_id, located.clip_id, located.clip["_s3_key"])
                yield IntegrityIssue(IssueKind.BLOCKED_CLIP, *place, "its content is blocked")
        for entry in await self._audit_log.find_interrupted(self._now()):
            detail = f"{entry.action} by {entry.actor} at {entry.at:%Y-%m-%d %H:%M}"
            yield IntegrityIssue(IssueKind.UNFINISHED_ACTION, clip_id=entry.targets[0], key=entry.id, detail=detail)


async def group_by_fixture(objects: ObjectStore) -> AsyncIterator[tuple[int | None, dict[str, ObjectInfo]]]:
    """All objects, grouped by fixture: the listing is in key order. Objects of no fixture come one by one."""
    number: int | None = None
    group: dict[str, ObjectInfo] = {}
    async for info in objects.list():
        owner = parse_fixture_id(info.key)
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
