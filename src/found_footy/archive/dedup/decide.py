"""Decides which clips of a batch are new, which replace a stored one, and which are further sources of it."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from itertools import chain

from found_footy.archive.dedup.clusters import FileGroup, cluster_by_match
from found_footy.archive.dedup.copies import ClipCopy, StoredRecording, link_matches, merge_by_md5
from found_footy.archive.dedup.quality import choose_best
from found_footy.archive.messages import ExtraSource, StoredClip, UploadPlan
from found_footy.archive.moderation.model import GoalModeration
from found_footy.domain.messages import ScreenedClip
from found_footy.domain.outcomes import TimestampStatus

_FAR_FUTURE = datetime.max.replace(tzinfo=UTC)


class RecordingAction(StrEnum):
    ADD = "keep"  # a clip that the goal did not have
    REPLACE = "replace"  # another file for an existing clip id
    ADD_SOURCES = "join"  # the same file with more sources, or merged with another clip
    UNCHANGED = "stand"  # no change


@dataclass(frozen=True)
class RecordingDecision:
    """The target state of one clip of the goal. `clip_id` is empty for a new clip; `absorbed_ids` are the ids of clips
    that are merged into it.
    """

    action: RecordingAction
    clip_id: str
    md5: str
    copies: tuple[ClipCopy, ...]
    absorbed_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class DedupDecision:
    """`unassigned_md5s` are new copies without a clip: their own file is missing, and no stored clip shows the same."""

    recordings: tuple[RecordingDecision, ...] = ()
    unassigned_md5s: tuple[str, ...] = ()


@dataclass(frozen=True)
class _AvailableFiles:
    """The files that can be a winner: the current winners, new files and newly verified ones; if there is none of
    these, replaced copies whose file is available again.
    """

    preferred: FileGroup
    fallback: FileGroup


def plan_by_md5(clips: Iterable[ScreenedClip], stored: Iterable[StoredClip]) -> UploadPlan:
    """Plan by MD5 alone: upload the first clip of each unknown MD5; every other clip with the same MD5 becomes an extra
    source.

    Of several equal ones a verified one is uploaded, then the one with the smallest URL, so that the order of arrival
    within a batch does not matter.
    """
    known = {md5 for clip in stored for md5 in clip.md5s}
    uploads: dict[str, ScreenedClip] = {}
    extra_sources: list[ExtraSource] = []
    for clip in sorted(clips, key=lambda c: (not is_verified(c), c.source_url)):
        if clip.md5 in known or clip.md5 in uploads:
            extra_sources.append(to_extra_source(clip))
        else:
            uploads[clip.md5] = clip
    return UploadPlan(tuple(uploads.values()), tuple(extra_sources))


def to_extra_source(clip: ScreenedClip) -> ExtraSource:
    return ExtraSource(clip.md5, clip.source_url, is_verified(clip), clip.extracted_minute, clip.proof)


def is_verified(clip: ScreenedClip) -> bool:
    return clip.timestamp_status is TimestampStatus.VERIFIED


def decide_recordings(
    stored: Sequence[StoredRecording],
    found: Iterable[ClipCopy],
    available_md5s: Collection[str],
    pairs: Iterable[tuple[str, str]] = (),
    moderation: GoalModeration | None = None,
) -> DedupDecision:
    """The clips of a goal after a batch.

    `found` are the copies that the batch found, known or not; `available_md5s` are the MD5s of those whose file is
    available; `pairs` are the files that match. Each recording is one clip with the best file as its winner. Verified
    files take precedence over others, and pinned ones over all.
    """
    known = merge_by_md5(copy for recording in stored for copy in recording.copies)
    copies = link_matches(merge_by_md5(chain(known.values(), found)), pairs)
    pinned = frozenset(recording.md5 for recording in stored if recording.pinned)
    groups = _split_pinned(_cluster_copies(stored, copies, pinned, moderation or GoalModeration()), copies, pinned)
    available = _find_available_files(stored, known, copies, frozenset(available_md5s))
    winners = {group: _choose_winner(group, copies, available, pinned) for group in groups}
    return _build_decision(stored, copies, _assign_groups(stored, winners))


def _find_available_files(
    stored: Sequence[StoredRecording], known: dict[str, ClipCopy], copies: dict[str, ClipCopy], files: FileGroup
) -> _AvailableFiles:
    winner_md5s = frozenset(recording.md5 for recording in stored)
    proven_now = {md5 for md5 in files & known.keys() if copies[md5].verified and not known[md5].verified}
    return _AvailableFiles(winner_md5s | (files - known.keys()) | proven_now, files & known.keys())


def _cluster_copies(
    stored: Sequence[StoredRecording], copies: dict[str, ClipCopy], pinned: FileGroup, moderation: GoalModeration
) -> list[FileGroup]:
    ids = {recording.md5: recording.clip_id for recording in stored}

    def names(group: FileGroup) -> list[str]:
        return [*group, *(ids[md5] for md5 in group if md5 in ids)]

    def apart(one: FileGroup, other: FileGroup) -> bool:
        return bool(moderation.kept_apart) and moderation.are_kept_apart(names(one), names(other))

    return cluster_by_match(copies, apart, alone=pinned)


def _split_pinned(groups: Iterable[FileGroup], copies: dict[str, ClipCopy], pinned: FileGroup) -> list[FileGroup]:
    """Put every pinned file in a group of its own; the best pinned file keeps the other members of its group."""
    out: list[FileGroup] = []
    for group in groups:
        pins = [copies[md5] for md5 in group & pinned]
        others = {copy.md5 for copy in pins} - {choose_best(pins).md5} if pins else set()
        out += [group - others, *(frozenset((md5,)) for md5 in sorted(others))]
    return out


def _choose_winner(
    group: FileGroup, copies: dict[str, ClipCopy], files: _AvailableFiles, pinned: FileGroup
) -> str | None:
    """The winner of a group, None if none of its files is available."""
    if group & pinned:
        return choose_best([copies[md5] for md5 in group & pinned]).md5
    proven = frozenset(md5 for md5 in group if copies[md5].verified)
    for wanted in (proven, group):
        for available in (files.preferred, files.fallback):
            if wanted & available:
                return choose_best([copies[md5] for md5 in wanted & available]).md5
    return None


def _assign_groups(
    stored: Sequence[StoredRecording], winners: dict[FileGroup, str | None]
) -> dict[str | None, FileGroup]:
    """Groups by their winner. The members of a group without a winner stay with the clip they belong to now."""
    assigned: dict[str | None, FileGroup] = {winner: group for group, winner in winners.items() if winner is not None}
    winner_of = {md5: winner for winner, group in assigned.items() for md5 in group}
    current_winner = {copy.md5: winner_of.get(recording.md5) for recording in stored for copy in recording.copies}
    for group in (group for group, winner in winners.items() if winner is None):
        for md5 in group:
            winner = current_winner.get(md5)
            assigned[winner] = assigned.get(winner, frozenset()) | {md5}
    return assigned


def _build_decision(
    stored: Sequence[StoredRecording], copies: dict[str, ClipCopy], assigned: dict[str | None, FileGroup]
) -> DedupDecision:
    unassigned = assigned.pop(None, frozenset())
    clips = [
        _decide_recording([recording for recording in stored if recording.md5 in group], winner, group, copies)
        for winner, group in assigned.items()
        if winner is not None
    ]
    return DedupDecision(tuple(sorted(clips, key=lambda kept: kept.md5)), tuple(sorted(unassigned)))


def _decide_recording(
    recordings: Sequence[StoredRecording], winner: str, group: FileGroup, copies: dict[str, ClipCopy]
) -> RecordingDecision:
    """The oldest of the stored clips keeps its id, unless one is pinned."""
    own = tuple(copies[md5] for md5 in sorted(group))
    if not recordings:
        return RecordingDecision(RecordingAction.ADD, "", winner, own)
    first, *others = sorted(recordings, key=lambda one: (not one.pinned, one.added_at or _FAR_FUTURE, one.clip_id))
    absorbed = tuple(other.clip_id for other in others)
    if first.md5 != winner:
        return RecordingDecision(RecordingAction.REPLACE, first.clip_id, winner, own, absorbed)
    same = not absorbed and _source_sets(own) == _source_sets(first.copies)
    return RecordingDecision(
        RecordingAction.UNCHANGED if same else RecordingAction.ADD_SOURCES, first.clip_id, winner, own, absorbed
    )


def _source_sets(copies: Iterable[ClipCopy]) -> set[tuple[str, frozenset[str]]]:
    return {(copy.md5, frozenset(copy.sources)) for copy in copies}
