"""Repairs integrity issues where a repair cannot do harm. The others are left, with the reason."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from found_footy.archive.maintenance.integrity import IntegrityIssue, IssueKind
from found_footy.archive.maintenance.scan import ScanTally
from found_footy.archive.maintenance.sweep import Trash
from found_footy.archive.moderation import mongo_updates as updates
from found_footy.archive.moderation.audit_log import AuditAction, AuditEntry, AuditLog
from found_footy.archive.moderation.service import ModerationRequest, ModerationService
from found_footy.archive.moderation.store import ModerationStore
from found_footy.domain.clip_files import SIDE_OBJECTS
from found_footy.domain.ids import TRASH_PREFIX
from found_footy.platform.clock import Clock
from found_footy.platform.objects import ObjectStore

# More clips than this without their file indicate the wrong bucket, or an unfinished restore.
_LOST_CLIPS_ALLOWED = 5
_LOST_SHARE_ALLOWED = 0.1
_MAX_LOST_ISSUES = 10_000
# Objects that a record may go without. A fingerprint is not among them: later copies are recognized by it.
_SIDE_FIELDS = {kind.name: kind.key_field for kind in SIDE_OBJECTS if not kind.outlives_file}

_WRONG_BYTES = "left: the stored bytes differ from the record; take the clip down, or restore the object"
REASON_LEFT = {
    IssueKind.WRONG_SIZE: _WRONG_BYTES,
    IssueKind.WRONG_CHECKSUM: _WRONG_BYTES,
    IssueKind.TWO_COLLECTIONS: "left: the monitor removes the copy that does not count at its next poll",
    IssueKind.DANGLING_REDIRECT: "left: redirects are never deleted; it works again if the clip is restored",
    IssueKind.MISSING_FINGERPRINT: "left: the content is still blocked by its bytes",
    IssueKind.MISSING_SIDE_OBJECT: "left: this command cannot compute a fingerprint",
    IssueKind.NO_SIDE_OBJECT: "left: the clip plays without it",
    IssueKind.FOREIGN_OBJECT: "left: Found Footy did not create it",
}


@dataclass(frozen=True)
class RepairResult:
    issue: IntegrityIssue
    repaired: bool
    message: str


@dataclass(frozen=True)
class RepairTools:
    moderation_store: ModerationStore
    audit_log: AuditLog
    moderation: ModerationService
    objects: ObjectStore
    trash: Trash
    now: Clock
    new_id: Callable[[], str]
    actor: str
    grace: timedelta = timedelta(hours=24)


class IntegrityRepairer:
    def __init__(self, tools: RepairTools) -> None:
        self._tools = tools
        self._recounted_event_ids: set[str] = set()
        self._repairs: dict[IssueKind, Callable[[IntegrityIssue], Awaitable[str]]] = {
            IssueKind.RANKS: self._recount,
            IssueKind.POPULARITY: self._recount,
            IssueKind.UNTRACKED_OBJECT: self._move_to_trash,
            IssueKind.OLD_SCRATCH: self._delete_scratch,
            IssueKind.BLOCKED_CLIP: self._enforce_block,
            IssueKind.UNFINISHED_ACTION: self._resume_action,
        }

    async def repair(
        self, issues: AsyncIterator[IntegrityIssue], tally: Callable[[], ScanTally]
    ) -> AsyncIterator[RepairResult]:
        """Repair the issues and yield the results. Missing clips come last: if there are too many, none is repaired."""
        lost: list[IntegrityIssue] = []
        async for issue in issues:
            if issue.kind is IssueKind.MISSING_OBJECT:
                if len(lost) < _MAX_LOST_ISSUES:
                    lost.append(issue)
                continue
            yield await self._repair_issue(issue)
        too_many = len(lost) > max(_LOST_CLIPS_ALLOWED, _LOST_SHARE_ALLOWED * tally().clips)
        for issue in lost:
            yield RepairResult(issue, False, _TOO_MANY_LOST) if too_many else await self._repair_missing_object(issue)

    async def _repair_issue(self, issue: IntegrityIssue) -> RepairResult:
        if issue.kind is IssueKind.MISSING_SIDE_OBJECT and issue.detail in _SIDE_FIELDS:
            return _to_result(issue, await self._clear_side_field(issue))
        repair = self._repairs.get(issue.kind)
        if repair is None:
            return RepairResult(issue, False, REASON_LEFT[issue.kind])
        return _to_result(issue, await repair(issue))

    async def _repair_missing_object(self, issue: IntegrityIssue) -> RepairResult:
        """Repair a clip without its file: restore it from the trash, else drop its record, so that it can be stored
        again."""
        tools = self._tools
        if await tools.objects.head(issue.key) is not None:
            return RepairResult(issue, False, "left: its object exists again")
        if await tools.objects.head(TRASH_PREFIX + issue.key) is not None:
            await tools.objects.copy(TRASH_PREFIX + issue.key, issue.key)
            return RepairResult(issue, True, "restored from the trash")
        located = await tools.moderation_store.find_clip(issue.clip_id)
        if located is None or located.clip.get("_s3_key") != issue.key:
            return RepairResult(issue, False, "left: the record has changed meanwhile")
        entry = self._build_entry(issue, AuditAction.DROP_RECORD, {"clip": located.clip})
        await self._apply_update(entry, updates.drop_clip(issue.clip_id, issue.key))
        return RepairResult(issue, True, "its record is deleted; the clip is stored again when it is found again")

    async def _recount(self, issue: IntegrityIssue) -> str:
        """Recount all clips of a goal in one operation."""
        if issue.event_id not in self._recounted_event_ids:
            self._recounted_event_ids.add(issue.event_id)
            goals = await self._tools.moderation_store.find_goals(issue.event_id)
            clips = [clip for _, event in goals for clip in event.get("_s3_videos") or ()]
            before = {"clips": [{name: clip.get(name) for name in ("clip_id", "rank", "popularity")} for clip in clips]}
            await self._apply_update(self._build_entry(issue, AuditAction.RECOUNT, before), updates.recount_clips())
        return "popularity and ranks are recomputed"

    async def _clear_side_field(self, issue: IntegrityIssue) -> str:
        field = _SIDE_FIELDS[issue.detail]
        entry = self._build_entry(issue, AuditAction.CLEAR_SIDE_FIELD, {field: issue.key})
        await self._apply_update(entry, updates.set_clip_field(issue.clip_id, field, None))
        return f"the record no longer names a {issue.detail}"

    async def _move_to_trash(self, issue: IntegrityIssue) -> str:
        gone = await self._tools.trash.move_to_trash(issue.key, self._tools.now() - self._tools.grace)
        return "moved to the trash; the nightly sweep empties it" if gone else ""

    async def _delete_scratch(self, issue: IntegrityIssue) -> str:
        if await self._tools.trash.is_needed(issue.key):
            return ""
        await self._tools.objects.delete(issue.key)
        return "deleted"

    async def _enforce_block(self, issue: IntegrityIssue) -> str:
        located = await self._tools.moderation_store.find_clip(issue.clip_id)
        if located is None:
            return ""
        await self._tools.moderation.enforce_block(
            located, ModerationRequest(self._tools.actor, self._tools.new_id(), issue.detail)
        )
        return "removed, because it is blocked"

    async def _resume_action(self, issue: IntegrityIssue) -> str:
        for entry in await self._tools.audit_log.find_unfinished(clip_id=issue.clip_id):
            await self._tools.moderation.resume_action(entry)
        return "finished"

    def _build_entry(self, issue: IntegrityIssue, action: AuditAction, before: dict[str, Any]) -> AuditEntry:
        names = (issue.clip_id or issue.event_id,)
        place = (issue.fixture_id, issue.event_id, f"integrity: {issue.kind.value}")
        return AuditEntry(self._tools.new_id(), self._tools.now(), self._tools.actor, action, names, *place, before)

    async def _apply_update(self, entry: AuditEntry, fields: dict[str, Any]) -> None:
        intended = await self._tools.audit_log.record_intent(entry)
        await self._tools.moderation_store.update_goal(entry.fixture_id or 0, entry.event_id, fields)
        await self._tools.audit_log.mark_done(intended, self._tools.now())


_TOO_MANY_LOST = (
    "left: so many clips have no file that this looks like the wrong bucket or an unfinished restore; "
    "no record is deleted"
)


def _to_result(issue: IntegrityIssue, message: str) -> RepairResult:
    return RepairResult(issue, bool(message), message or "left: by now a record needs it, or it no longer exists")
