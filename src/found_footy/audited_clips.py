"""Actions of people with an audit entry that is written before the action."""

from dataclasses import dataclass
from datetime import datetime

from found_footy.archive.maintenance.services import new_audit_id
from found_footy.archive.moderation.audit_log import AuditAction, AuditEntry, AuditLog, record_action
from found_footy.discovery.sources.manual import ManualClipResult, ManualClipService
from found_footy.platform.clock import Clock, utc_now

_MAX_FIXTURE_ID_DIGITS = 12


@dataclass(frozen=True)
class AuditedManualClips:
    """Adds clips manually on behalf of an actor."""

    clips: ManualClipService
    log: AuditLog
    now: Clock = utc_now

    async def add(self, event_id: str, url: str, now: datetime, by: str) -> ManualClipResult:
        fixture, _, _ = event_id.partition("_")
        named = fixture.isascii() and fixture.isdecimal() and len(fixture) <= _MAX_FIXTURE_ID_DIGITS
        fixture_id = int(fixture) if named else None
        entry = AuditEntry(new_audit_id(), self.now(), by, AuditAction.ADD_CLIP, (url,), fixture_id, event_id)
        async with record_action(self.log, entry, self.now):
            return await self.clips.add_clip(event_id, url, now)
