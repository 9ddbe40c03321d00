"""The goal's clips after a batch, as they are written: one list that takes the place of another at once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from found_footy.archive.dedup import Action, Decision, Kept, decide
from found_footy.archive.goal_archive import GoalArchive
from found_footy.archive.members import Member, by_md5
from found_footy.archive.messages import Flag, Join, SaveClips, Uploaded
from found_footy.archive.planning import member_of
from found_footy.archive.records import Record, clip_id, clip_record, found_as, ranked, timestamp
from found_footy.model.outcome import ClipOutcome, Retry, TimestampStatus
from found_footy.platform.errors import Conflict

_SAID = {Action.KEEP: ClipOutcome.UPLOADED, Action.REPLACE: ClipOutcome.REPLACED}


@dataclass(frozen=True)
class Said:
    """What became of one found video. `retry` is told where the outcome alone does not say it."""

    source_url: str
    outcome: ClipOutcome
    reason: str = ""
    retry: Retry | None = None


@dataclass(frozen=True)
class Switch:
    """`redirects` lead from the ids of clips that became one with another to that one's."""

    records: list[Record]
    redirects: Mapping[str, str] = field(default_factory=dict)
    said: tuple[Said, ...] = ()


def switch(saved: SaveClips, archive: GoalArchive, bucket: str) -> Switch:
    """Raises Conflict if the goal has changed since the batch was compared, so that it must be compared anew."""
    allowed = [one for one in saved.uploaded if not archive.judgements.refusal_of(one.clip.md5)]
    placed = {one.clip.md5: one for one in allowed if not one.lost}
    _expect_compared(saved, archive, placed)
    _expect_judged(saved, archive, placed)
    decision = decide(
        archive.holdings,
        _found(saved, archive, placed),
        {md5 for md5, one in placed.items() if one.key},
        [(pair.one, pair.other) for pair in saved.pairs],
        archive.judgements,
    )
    if homeless := set(decision.homeless) & placed.keys():
        raise Conflict(f"{', '.join(sorted(homeless))}: the clip that these belong to is gone")
    records = _Records(saved, archive, placed, bucket).of(decision)
    redirects = {lost: kept.clip_id for kept in decision.clips for lost in kept.absorbed}
    return Switch(ranked(records), redirects, _said(saved, decision, placed))


def _expect_compared(saved: SaveClips, archive: GoalArchive, placed: Mapping[str, Uploaded]) -> None:
    known = {member.md5: member for holding in archive.holdings for member in holding.members}
    met = known.keys() & set(saved.compared)
    strangers = {md5 for md5, member in known.items() if member.print_key} - met - placed.keys()
    if strangers and any(one.print_key for md5, one in placed.items() if md5 not in known):
        raise Conflict(f"{len(strangers)} clips came to the goal while a batch was compared")


def _expect_judged(saved: SaveClips, archive: GoalArchive, placed: Mapping[str, Uploaded]) -> None:
    """A clip may have been sent away since the batch was compared, and one of the batch may show the same."""
    known = {member.md5 for holding in archive.holdings for member in holding.members}
    unmet = archive.judgements.prints - set(saved.met)
    if unmet and any(one.print_key for md5, one in placed.items() if md5 not in known):
        raise Conflict(f"{len(unmet)} clips were sent away while a batch was compared")


def _found(saved: SaveClips, archive: GoalArchive, placed: Mapping[str, Uploaded]) -> list[Member]:
    """What the batch found, and which stored files it was compared with."""
    new = by_md5(member_of(one.clip, one.print_key) for one in placed.values())
    stored = by_md5(member for holding in archive.holdings for member in holding.members)
    bases = {**new, **stored}
    finds = [
        replace(bases[find.md5], sources=(find.source_url,), verified=find.verified)
        for find in saved.join
        if find.md5 in bases
    ]
    met = {*saved.compared, *(new if saved.compared else ())}
    at_home = (replace(bases[md5], home=saved.goal.event_id) for md5 in sorted(met & bases.keys()))
    return [*new.values(), *finds, *at_home]


class _Records:
    def __init__(self, saved: SaveClips, archive: GoalArchive, placed: Mapping[str, Uploaded], bucket: str) -> None:
        self._saved = saved
        self._by_id = {record["clip_id"]: record for record in archive.records}
        self._by_md5 = {record["md5"]: record for record in archive.records}
        self._placed = placed
        self._bucket = bucket

    def of(self, decision: Decision) -> Iterable[Record]:
        taken = set(self._by_id)
        for kept in decision.clips:
            name = kept.clip_id or clip_id(self._saved.goal.event_id, kept.md5, taken)
            taken.add(name)
            yield self._record(kept, name)

    def _record(self, kept: Kept, name: str) -> Record:
        before = self._by_id.get(kept.clip_id, {})
        file = self._file(kept)
        first_stored = {"added_at": before["added_at"]} if before.get("added_at") else {}
        changed = {"replaced_at": file.get("added_at")} if kept.action is Action.REPLACE else {}
        flags = self._flags(kept)
        return {
            **before,
            **file,
            **first_stored,
            **changed,
            "clip_id": name,
            **found_as(kept.members),
            **({"_flags": flags} if flags else {}),
        }

    def _file(self, kept: Kept) -> Record:
        """The facts of the file; what a clock has proven since it was stored is among them."""
        standing = self._by_md5.get(kept.md5)
        if standing is None:
            return clip_record(self._saved.goal, self._placed[kept.md5], self._bucket)
        proven = any(member.verified for member in kept.members if member.md5 == kept.md5)
        if not proven or standing.get("timestamp_verified"):
            return standing
        return {**standing, **timestamp(TimestampStatus.VERIFIED, self._minute(kept.md5))}

    def _minute(self, md5: str) -> int | None:
        minutes = (find.minute for find in self._saved.join if find.md5 == md5 and find.verified)
        return min((minute for minute in minutes if minute is not None), default=None)

    def _flags(self, kept: Kept) -> list[Record]:
        own = {member.md5 for member in kept.members}
        stored = [
            flag for record in self._by_md5.values() if record["md5"] in own for flag in record.get("_flags") or ()
        ]
        new = [flag_document(flag) for flag in self._saved.flags if flag.md5 in own]
        return sorted({tuple(flag.items()): flag for flag in (*stored, *new)}.values(), key=str)


def flag_document(flag: Flag) -> Record:
    """A flag as a clip's record has it: which clip of which other goal shows the same."""
    return {"event_id": flag.event_id, "clip_id": flag.clip_id}


def _said(saved: SaveClips, decision: Decision, placed: Mapping[str, Uploaded]) -> tuple[Said, ...]:
    # A file that stands although it was copied just now was recorded by an earlier try.
    actions = {kept.md5: _SAID.get(kept.action, ClipOutcome.UPLOADED) for kept in decision.clips}
    known = {member.md5 for kept in decision.clips for member in kept.members}
    finds: list[Join] = [find for find in saved.join if find.md5 in known]
    said = [Said(find.source_url, ClipOutcome.DUPLICATE) for find in finds]
    for one in saved.uploaded:
        if one.lost:
            said.append(Said(one.clip.source_url, ClipOutcome.DOWNLOAD_FAILED, one.lost, Retry.ALWAYS))
        elif one.clip.md5 in placed:
            said.append(Said(one.clip.source_url, actions.get(one.clip.md5, ClipOutcome.DUPLICATE)))
    said += [Said(one.source_url, one.outcome, one.reason) for one in saved.refused]
    return tuple(said)
