"""What people make the product do, with a line in the audit before it is done."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from found_footy.archive.audit import AuditLog, Deed, Line, recorded
from found_footy.archive.keeping import new_id
from found_footy.discovery.manual import Added, ManualClips
from found_footy.web.deps import utc_now

_LONGEST_ID = 12


@dataclass(frozen=True)
class AuditedClips:
    """Adds clips in the name of somebody."""

    clips: ManualClips
    log: AuditLog
    now: Callable[[], datetime] = utc_now

    async def add(self, event_id: str, url: str, now: datetime, by: str) -> Added:
        fixture, _, _ = event_id.partition("_")
        named = fixture.isascii() and fixture.isdecimal() and len(fixture) <= _LONGEST_ID
        fixture_id = int(fixture) if named else None
        line = Line(new_id(), self.now(), by, Deed.ADD_CLIP, (url,), fixture_id, event_id)
        async with recorded(self.log, line, self.now):
            return await self.clips.add(event_id, url, now)
