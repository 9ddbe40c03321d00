"""Repairs that cannot make anything worse. What would need a judgement is left, and it is said why."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from found_footy.archive import judgement_expressions as updates
from found_footy.archive.audit import AuditLog, Deed, Line
from found_footy.archive.integrity import Finding, Kind
from found_footy.archive.integrity_walk import Tally
from found_footy.archive.judgement_keeper import Keeper, Word
from found_footy.archive.judgement_store import JudgementStore
from found_footy.archive.sweep import Bin
from found_footy.model.ids import TRASH
from found_footy.platform.objects import ObjectStore

# More clips than this without their file look like the wrong bucket, or a restore that is not finished.
_FEW = 5
_SMALL_SHARE = 0.1
_MOST_HELD_BACK = 10_000
_SIDE_FIELDS = {"thumbnail": "thumbnail_key", "preview": "preview_key"}

LEFT = {
    Kind.WRONG_SIZE: "left: its bytes cannot be made right from here; take the clip down, or restore the object",
    Kind.WRONG_CHECKSUM: "left: its bytes cannot be made right from here; take the clip down, or restore the object",
    Kind.TWO_ROOMS: "left: the monitor removes the copy that does not count at its next poll",
    Kind.DANGLING_REDIRECT: "left: addresses are never forgotten; it leads again if the clip is restored",
    Kind.MISSING_PRINT: "left: the content is still blocked by its bytes",
    Kind.MISSING_SIDE: "left: a fingerprint cannot be made from here",
    Kind.NO_SIDE: "left: the clip plays without it",
    Kind.FOREIGN_OBJECT: "left: it is not ours",
}


@dataclass(frozen=True)
class Repaired:
    finding: Finding
    done: bool
    words: str


@dataclass(frozen=True)
class Tools:
    judgements: JudgementStore
    log: AuditLog
    keeper: Keeper
    objects: ObjectStore
    bin: Bin
    now: Callable[[], datetime]
    new_id: Callable[[], str]
    by: str
    grace: timedelta = timedelta(hours=24)


class Repairer:
    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._recounted: set[str] = set()
        self._repairs: dict[Kind, Callable[[Finding], Awaitable[str]]] = {
            Kind.RANKS: self._recount,
            Kind.POPULARITY: self._recount,
            Kind.UNTRACKED_OBJECT: self._retire,
            Kind.OLD_SCRATCH: self._discard,
            Kind.REFUSED_CLIP: self._send_away,
            Kind.UNFINISHED_DECISION: self._finish,
        }

    async def repair(self, findings: AsyncIterator[Finding], tally: Callable[[], Tally]) -> AsyncIterator[Repaired]:
        """What was done about each. Lost clips come last: how many there are decides whether they are believed."""
        lost: list[Finding] = []
        async for finding in findings:
            if finding.kind is Kind.MISSING_OBJECT:
                if len(lost) < _MOST_HELD_BACK:
                    lost.append(finding)
                continue
            yield await self._one(finding)
        too_many = len(lost) > max(_FEW, _SMALL_SHARE * tally().clips)
        for finding in lost:
            yield Repaired(finding, False, _TOO_MANY) if too_many else await self._lost(finding)

    async def _one(self, finding: Finding) -> Repaired:
        if finding.kind is Kind.MISSING_SIDE and finding.detail in _SIDE_FIELDS:
            return _told(finding, await self._forget_side(finding))
        repair = self._repairs.get(finding.kind)
        if repair is None:
            return Repaired(finding, False, LEFT[finding.kind])
        return _told(finding, await repair(finding))

    async def _lost(self, finding: Finding) -> Repaired:
        """A clip without a file: from the trash if it is there, else its record goes, so that it can be found again."""
        tools = self._tools
        if await tools.objects.head(finding.key) is not None:
            return Repaired(finding, False, "left: its object is there again")
        if await tools.objects.head(TRASH + finding.key) is not None:
            await tools.objects.copy(TRASH + finding.key, finding.key)
            return Repaired(finding, True, "brought back from the trash")
        held = await tools.judgements.holding(finding.clip_id)
        if held is None or held.clip.get("_s3_key") != finding.key:
            return Repaired(finding, False, "left: the record has changed meanwhile")
        line = self._line(finding, Deed.DROP_RECORD, {"clip": held.clip})
        await self._change(line, updates.dropped(finding.clip_id, finding.key))
        return Repaired(finding, True, "its record is dropped; it is stored anew when it is found again")

    async def _recount(self, finding: Finding) -> str:
        """One operation puts all of a goal right."""
        if finding.event_id not in self._recounted:
            self._recounted.add(finding.event_id)
            goals = await self._tools.judgements.goals(finding.event_id)
            clips = [clip for _, event in goals for clip in event.get("_s3_videos") or ()]
            before = {"clips": [{name: clip.get(name) for name in ("clip_id", "rank", "popularity")} for clip in clips]}
            await self._change(self._line(finding, Deed.RECOUNT, before), updates.recounted())
        return "popularity and ranks are computed anew"

    async def _forget_side(self, finding: Finding) -> str:
        field = _SIDE_FIELDS[finding.detail]
        line = self._line(finding, Deed.FORGET_SIDE, {field: finding.key})
        await self._change(line, updates.with_field(finding.clip_id, field, None))
        return f"the record names no {finding.detail} any more"

    async def _retire(self, finding: Finding) -> str:
        gone = await self._tools.bin.retire(finding.key, self._tools.now() - self._tools.grace)
        return "moved to the trash; the nightly sweep empties it" if gone else ""

    async def _discard(self, finding: Finding) -> str:
        if await self._tools.bin.needs(finding.key):
            return ""
        await self._tools.objects.delete(finding.key)
        return "deleted"

    async def _send_away(self, finding: Finding) -> str:
        held = await self._tools.judgements.holding(finding.clip_id)
        if held is None:
            return ""
        await self._tools.keeper.enforce(held, Word(self._tools.by, self._tools.new_id(), finding.detail))
        return "removed, as was decided"

    async def _finish(self, finding: Finding) -> str:
        for line in await self._tools.log.unfinished(clip_id=finding.clip_id):
            await self._tools.keeper.resume(line)
        return "finished"

    def _line(self, finding: Finding, deed: Deed, before: dict[str, Any]) -> Line:
        names = (finding.clip_id or finding.event_id,)
        place = (finding.fixture_id, finding.event_id, f"integrity: {finding.kind.value}")
        return Line(self._tools.new_id(), self._tools.now(), self._tools.by, deed, names, *place, before)

    async def _change(self, line: Line, fields: dict[str, Any]) -> None:
        intended = await self._tools.log.intend(line)
        await self._tools.judgements.change(line.fixture_id or 0, line.event_id, fields)
        await self._tools.log.done(intended, self._tools.now())


_TOO_MANY = (
    "left: so many clips have no file that this looks like the wrong bucket or an unfinished restore; "
    "nothing is dropped"
)


def _told(finding: Finding, words: str) -> Repaired:
    return Repaired(finding, bool(words), words or "left: it is needed, or gone, meanwhile")
