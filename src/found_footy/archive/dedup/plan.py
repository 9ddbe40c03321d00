"""Plans a compared batch: what to upload, what to count as an extra source, what to reject."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from found_footy.archive.dedup.copies import ClipCopy
from found_footy.archive.dedup.decide import decide_recordings, is_verified, to_extra_source
from found_footy.archive.dedup.goal_archive import GoalArchive
from found_footy.archive.dedup.other_goals import OtherGoalClip, find_other_goal_proof
from found_footy.archive.dedup.rejections import to_rejected_clip
from found_footy.archive.messages import CrossGoalFlag, MatchedPair, PlanUploads, RejectedClip, UploadPlan
from found_footy.domain.clip_files import REPLACED_OBJECTS
from found_footy.domain.messages import Goal, ScreenedClip
from found_footy.domain.minutes import add_extra_time
from found_footy.domain.outcomes import ClipOutcome
from found_footy.vision.clock import CLOCK_TOLERANCE_MINUTES


def plan_uploads(order: PlanUploads, archive: GoalArchive, tolerance: int = CLOCK_TOLERANCE_MINUTES) -> UploadPlan:
    """`tolerance` is by how many minutes a clip's clock may differ from the goal's minute."""
    lookalikes = _find_lookalikes(order.pairs, archive.other_clips, order.clips)
    verified = {clip.md5 for clip in order.clips if is_verified(clip)}
    rejected = {
        md5: why
        for md5 in lookalikes
        if (why := _reject_other_goal(order.goal, md5 in verified, md5, lookalikes[md5], tolerance))
    }
    rejected |= {refused.md5: refused for refused in order.rejected}
    rejected |= {
        clip.md5: to_rejected_clip(clip.md5, block)
        for clip in order.clips
        if (block := archive.moderation.find_block(clip.md5))
    }
    clips = [clip for clip in order.clips if clip.md5 not in rejected]
    flags = (CrossGoalFlag(md5, other.event_id, other.clip_id) for md5 in lookalikes for other in lookalikes[md5])
    return _build_plan(
        clips,
        order.pairs,
        archive,
        tuple(_with_source_url(rejected[clip.md5], clip) for clip in order.clips if clip.md5 in rejected),
        tuple(dict.fromkeys(flag for flag in flags if flag.md5 not in rejected)),
    )


def to_copy(clip: ScreenedClip, fingerprint_key: str = "") -> ClipCopy:
    return ClipCopy(
        clip.md5,
        clip.duration,
        clip.file_size,
        is_verified(clip),
        (clip.source_url,),
        fingerprint_key,
        clip.hash_version if fingerprint_key else "",
    )


def _build_plan(
    clips: list[ScreenedClip],
    pairs: Iterable[MatchedPair],
    archive: GoalArchive,
    rejected: tuple[RejectedClip, ...],
    flags: tuple[CrossGoalFlag, ...],
) -> UploadPlan:
    decision = decide_recordings(
        archive.recordings,
        map(to_copy, clips),
        {clip.md5 for clip in clips},
        [(pair.one, pair.other) for pair in pairs],
        archive.moderation,
    )
    wanted = {kept.md5 for kept in decision.recordings}
    winner_md5s = {record["md5"] for record in archive.records}
    known = {copy.md5 for recording in archive.recordings for copy in recording.copies}
    first = _select_representatives(clips)
    uploads = tuple(clip for clip in first.values() if clip.md5 in wanted - winner_md5s)
    fingerprint_only = tuple(clip for clip in first.values() if clip.md5 not in known | wanted)
    taken = {id(clip) for clip in (*uploads, *fingerprint_only)}
    lost = [record for record in archive.records if record["md5"] not in wanted]
    return UploadPlan(
        uploads,
        tuple(to_extra_source(clip) for clip in clips if id(clip) not in taken),
        fingerprint_only,
        rejected,
        flags,
        tuple(key for record in lost for kind in REPLACED_OBJECTS if (key := record.get(kind.key_field))),
    )


def _select_representatives(clips: Iterable[ScreenedClip]) -> dict[str, ScreenedClip]:
    """One clip per MD5: a verified one if there is any, then the one with the smallest URL."""
    first: dict[str, ScreenedClip] = {}
    for clip in sorted(clips, key=lambda one: (not is_verified(one), one.source_url)):
        first.setdefault(clip.md5, clip)
    return first


def _find_lookalikes(
    pairs: Iterable[MatchedPair], other_clips: Iterable[OtherGoalClip], clips: Iterable[ScreenedClip]
) -> Mapping[str, list[OtherGoalClip]]:
    """For each file of this goal, the files of other goals that show the same, by fingerprint or MD5."""
    by_name = {other.name: other for other in other_clips}
    by_bytes = defaultdict(list)
    for other in by_name.values():
        by_bytes[other.md5].append(other)
    found: dict[str, dict[str, OtherGoalClip]] = defaultdict(dict)
    for pair in pairs:
        for own, name in ((pair.one, pair.other), (pair.other, pair.one)):
            if name in by_name and own not in by_name:
                found[own][name] = by_name[name]
    for clip in clips:
        found[clip.md5].update({other.name: other for other in by_bytes.get(clip.md5, ())})
    return {md5: [seen[name] for name in sorted(seen)] for md5, seen in sorted(found.items()) if seen}


def _reject_other_goal(
    goal: Goal, verified: bool, md5: str, lookalikes: Iterable[OtherGoalClip], tolerance: int
) -> RejectedClip | None:
    proof = find_other_goal_proof(verified, add_extra_time(goal.elapsed, goal.extra), lookalikes, tolerance)
    if proof is None:
        return None
    return RejectedClip(md5, ClipOutcome.WRONG_MINUTE, f"the same as clip {proof.clip_id} of goal {proof.event_id}")


def _with_source_url(rejected: RejectedClip, clip: ScreenedClip) -> RejectedClip:
    return replace(rejected, source_url=clip.source_url)
