"""Actions of people with an audit entry that is written before the action."""

from dataclasses import dataclass
from datetime import datetime

from found_footy.archive.maintenance.services import new_audit_id
from found_footy.archive.moderation.audit_log import AuditAction, AuditEntry, AuditLog, record_action
from found_footy.discovery.sources.manual import ManualClipResult, ManualClipService
from found_footy.domain.ids import parse_fixture_id
from found_footy.platform.clock import Clock, utc_now


@dataclass(frozen=True)
class AuditedManualClips:
    """Adds clips manually on behalf of an actor."""

    clips: ManualClipService
    log: AuditLog
    now: Clock = utc_now

    async def add(self, event_id: str, url: str, now: datetime, by: str) -> ManualClipResult:
        fixture_id = parse_fixture_id(event_id)
        known = fixture_id if fixture_id >= 0 else None
        entry = AuditEntry(new_audit_id(), self.now(), by, AuditAction.ADD_CLIP, (url,), known, event_id)
        async with record_action(self.log, entry, self.now):
            return await self.clips.add_clip(event_id, url, now)
