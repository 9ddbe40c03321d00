"""Computes a goal's clip list after a batch; the store replaces the old list with it in one operation."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from found_footy.archive.dedup.copies import ClipCopy, merge_by_md5
from found_footy.archive.dedup.decide import DedupDecision, RecordingAction, RecordingDecision, decide_recordings
from found_footy.archive.dedup.goal_archive import GoalArchive
from found_footy.archive.dedup.plan import to_copy
from found_footy.archive.dedup.records import (
    ClipRecord,
    build_clip_record,
    copies_fields,
    make_clip_id,
    proof_document,
    timestamp_fields,
    witness_fields,
)
from found_footy.archive.messages import CrossGoalFlag, ExtraSource, SaveClips, UploadedClip
from found_footy.domain.outcomes import ClipOutcome, RetryAdvice, TimestampStatus
from found_footy.domain.ranking import rank_clips
from found_footy.platform.errors import Conflict

_OUTCOME_BY_ACTION = {RecordingAction.ADD: ClipOutcome.UPLOADED, RecordingAction.REPLACE: ClipOutcome.REPLACED}


@dataclass(frozen=True)
class UploadOutcome:
    """Outcome of one candidate. `retry` is set where the outcome alone does not determine it."""

    source_url: str
    outcome: ClipOutcome
    reason: str = ""
    retry: RetryAdvice | None = None


@dataclass(frozen=True)
class ClipListUpdate:
    """`redirects` map the ids of clips merged into another clip to that clip's id."""

    records: list[ClipRecord]
    redirects: Mapping[str, str] = field(default_factory=dict)
    outcomes: tuple[UploadOutcome, ...] = ()


def compute_clip_list_update(saved: SaveClips, archive: GoalArchive, bucket: str) -> ClipListUpdate:
    """Raises Conflict if the goal has changed since the batch was compared, so that it must be compared again."""
    allowed = [one for one in saved.uploaded if not archive.moderation.find_block(one.clip.md5)]
    placed = {one.clip.md5: one for one in allowed if not one.missing_reason}
    _require_compared(saved, archive, placed)
    _require_blocks_compared(saved, archive, placed)
    decision = decide_recordings(
        archive.recordings,
        _collect_found_copies(saved, archive, placed),
        {md5 for md5, one in placed.items() if one.key},
        [(pair.one, pair.other) for pair in saved.pairs],
        archive.moderation,
    )
    if unassigned := set(decision.unassigned_md5s) & placed.keys():
        raise Conflict(f"{', '.join(sorted(unassigned))}: the clip that these are copies of is no longer stored")
    records = _RecordBuilder(saved, archive, placed, bucket).build_records(decision)
    redirects = {lost: recording.clip_id for recording in decision.recordings for lost in recording.absorbed_ids}
    return ClipListUpdate(rank_clips(records), redirects, _collect_outcomes(saved, decision, placed))


def _require_compared(saved: SaveClips, archive: GoalArchive, placed: Mapping[str, UploadedClip]) -> None:
    known = {copy.md5: copy for recording in archive.recordings for copy in recording.copies}
    met = known.keys() & set(saved.compared_md5s)
    uncompared = {md5 for md5, copy in known.items() if copy.fingerprint_key} - met - placed.keys()
    if uncompared and any(one.fingerprint_key for md5, one in placed.items() if md5 not in known):
        raise Conflict(f"{len(uncompared)} clips were added to the goal while a batch was compared")


def _require_blocks_compared(saved: SaveClips, archive: GoalArchive, placed: Mapping[str, UploadedClip]) -> None:
    """A clip may have been blocked since the batch was compared, and a clip of the batch may show the same."""
    known = {copy.md5 for recording in archive.recordings for copy in recording.copies}
    unmet = archive.moderation.fingerprint_keys - set(saved.compared_block_keys)
    if unmet and any(one.fingerprint_key for md5, one in placed.items() if md5 not in known):
        raise Conflict(f"{len(unmet)} fingerprints were blocked while a batch was compared")


def _collect_found_copies(saved: SaveClips, archive: GoalArchive, placed: Mapping[str, UploadedClip]) -> list[ClipCopy]:
    """The copies that the batch found, and the stored copies that it was compared with."""
    new = merge_by_md5(to_copy(one.clip, one.fingerprint_key) for one in placed.values())
    stored = merge_by_md5(copy for recording in archive.recordings for copy in recording.copies)
    bases = {**new, **stored}
    finds = [
        replace(bases[find.md5], sources=(find.source_url,), verified=find.verified)
        for find in saved.extra_sources
        if find.md5 in bases
    ]
    met = {*saved.compared_md5s, *(new if saved.compared_md5s else ())}
    compared = (replace(bases[md5], compared_for_event_id=saved.goal.event_id) for md5 in sorted(met & bases.keys()))
    return [*new.values(), *finds, *compared]


class _RecordBuilder:
    def __init__(self, saved: SaveClips, archive: GoalArchive, placed: Mapping[str, UploadedClip], bucket: str) -> None:
        self._saved = saved
        self._by_id = {record["clip_id"]: record for record in archive.records}
        self._by_md5 = {record["md5"]: record for record in archive.records}
        self._witnesses = archive.witnesses
        self._placed = placed
        self._bucket = bucket

    def build_records(self, decision: DedupDecision) -> Iterable[ClipRecord]:
        taken = set(self._by_id)
        for recording in decision.recordings:
            name = recording.clip_id or make_clip_id(self._saved.goal.event_id, recording.md5, taken)
            taken.add(name)
            yield self._build_record(recording, name)

    def _build_record(self, recording: RecordingDecision, name: str) -> ClipRecord:
        before = self._by_id.get(recording.clip_id, {})
        file = self._file_fields(recording)
        first_stored = {"added_at": before["added_at"]} if before.get("added_at") else {}
        changed = {"replaced_at": file.get("added_at")} if recording.action is RecordingAction.REPLACE else {}
        flags = self._merge_flags(recording)
        return {
            **before,
            **file,
            **first_stored,
            **changed,
            "clip_id": name,
            **copies_fields(recording.copies),
            **witness_fields(recording.copies, self._witnesses),
            **({"_flags": flags} if flags else {}),
        }

    def _file_fields(self, recording: RecordingDecision) -> ClipRecord:
        """The fields of the file, with a clock verified after it was stored."""
        current = self._by_md5.get(recording.md5)
        if current is None:
            return build_clip_record(self._saved.goal, self._placed[recording.md5], self._bucket)
        proven = any(copy.verified for copy in recording.copies if copy.md5 == recording.md5)
        if not proven or current.get("timestamp_verified"):
            return current
        return {**current, **self._verified_fields(recording.md5)}

    def _verified_fields(self, md5: str) -> ClipRecord:
        finds = [find for find in self._saved.extra_sources if find.md5 == md5 and find.verified]
        minute = min((find.minute for find in finds if find.minute is not None), default=None)
        proof = next((find.proof for find in finds if find.proof is not None and find.minute == minute), None)
        shown = {"proof": proof_document(proof)} if proof else {}
        return {**timestamp_fields(TimestampStatus.VERIFIED, minute), **shown}

    def _merge_flags(self, recording: RecordingDecision) -> list[ClipRecord]:
        own = {copy.md5 for copy in recording.copies}
        stored = [
            flag for record in self._by_md5.values() if record["md5"] in own for flag in record.get("_flags") or ()
        ]
        new = [flag_document(flag) for flag in self._saved.flags if flag.md5 in own]
        return sorted({tuple(flag.items()): flag for flag in (*stored, *new)}.values(), key=str)


def flag_document(flag: CrossGoalFlag) -> ClipRecord:
    """A flag in a clip's record: which clip of which other goal shows the same."""
    return {"event_id": flag.event_id, "clip_id": flag.clip_id}


def _collect_outcomes(
    saved: SaveClips, decision: DedupDecision, placed: Mapping[str, UploadedClip]
) -> tuple[UploadOutcome, ...]:
    # UNCHANGED for a file that was copied just now means that an earlier attempt recorded it.
    actions = {
        recording.md5: _OUTCOME_BY_ACTION.get(recording.action, ClipOutcome.UPLOADED)
        for recording in decision.recordings
    }
    known = {copy.md5 for kept in decision.recordings for copy in kept.copies}
    finds: list[ExtraSource] = [find for find in saved.extra_sources if find.md5 in known]
    outcomes = [UploadOutcome(find.source_url, ClipOutcome.DUPLICATE) for find in finds]
    for one in saved.uploaded:
        if one.missing_reason:
            outcomes.append(
                UploadOutcome(one.clip.source_url, ClipOutcome.DOWNLOAD_FAILED, one.missing_reason, RetryAdvice.ALWAYS)
            )
        elif one.clip.md5 in placed:
            outcomes.append(UploadOutcome(one.clip.source_url, actions.get(one.clip.md5, ClipOutcome.DUPLICATE)))
    outcomes += [UploadOutcome(one.source_url, one.outcome, one.reason) for one in saved.rejected]
    return tuple(outcomes)
