"""Builds the pools of fingerprints to compare before a batch is decided."""

from collections.abc import Iterable

from found_footy.archive.messages import ComparePool, FingerprintRef, GoalArchiveSummary
from found_footy.domain.clip_files import FINGERPRINT
from found_footy.domain.messages import Goal, ScreenedClip
from found_footy.domain.outcomes import TimestampStatus


def build_pools(goal: Goal, fresh: Iterable[ScreenedClip], summary: GoalArchiveSummary) -> tuple[ComparePool, ...]:
    """The verified and the unverified pool, without empty ones.

    One pool queries the files with verified clocks, the other the rest; each is compared with everything stored for the
    goal, the other goals' files, and the rest of the batch. A stored file that came from another goal is queried like a
    new one.
    """
    new = [_to_fingerprint_ref(goal, clip) for clip in fresh if clip.hash_version]
    stored = [copy for clip in summary.clips for copy in clip.copies if copy.fingerprint_key]
    uncompared = {md5 for clip in summary.clips for md5 in clip.uncompared}
    queries = [*new, *(copy for copy in stored if copy.name in uncompared)]
    proven = [ref for ref in queries if ref.verified]
    rest = [ref for ref in queries if not ref.verified]
    met = (*stored, *summary.other_goal_files)
    return tuple(
        ComparePool(goal, tuple(some), (*met, *among))
        for some, among in ((proven, [s for s in new if s.verified]), (rest, new))
        if some
    )


def _to_fingerprint_ref(goal: Goal, clip: ScreenedClip) -> FingerprintRef:
    return FingerprintRef(
        name=clip.md5,
        fingerprint_key=FINGERPRINT.key_beside(clip.scratch_key),
        hash_version=clip.hash_version,
        verified=clip.timestamp_status is TimestampStatus.VERIFIED,
        fallback_key=FINGERPRINT.key(goal.fixture_id, goal.event_id, clip.md5),
        stored=False,
    )
