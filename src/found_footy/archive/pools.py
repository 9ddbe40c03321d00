"""What has to be compared with what, before a batch can be decided on."""

from collections.abc import Iterable

from found_footy.archive.messages import ComparePool, EventData, Sample
from found_footy.model.handoff import Goal, ScreenedClip
from found_footy.model.ids import fingerprint_key, scratch_fingerprint_key
from found_footy.model.outcome import TimestampStatus


def pools(goal: Goal, fresh: Iterable[ScreenedClip], event: EventData) -> tuple[ComparePool, ...]:
    """The verified and the unverified pool, without those that have nothing to ask.

    Files with verified clocks are asked about in one, the others in the second; each meets everything stored for the
    goal, the other goals' files, and the rest of the batch. A stored file that came from another goal is asked about
    as if it were new.
    """
    new = [_sample(goal, clip) for clip in fresh if clip.hash_version]
    stored = [member for clip in event.clips for member in clip.members if member.print_key]
    strangers = {md5 for clip in event.clips for md5 in clip.uncompared}
    asked = [*new, *(member for member in stored if member.name in strangers)]
    proven = [sample for sample in asked if sample.verified]
    rest = [sample for sample in asked if not sample.verified]
    met = (*stored, *event.others)
    return tuple(
        ComparePool(goal, tuple(some), (*met, *among))
        for some, among in ((proven, [s for s in new if s.verified]), (rest, new))
        if some
    )


def _sample(goal: Goal, clip: ScreenedClip) -> Sample:
    return Sample(
        name=clip.md5,
        print_key=scratch_fingerprint_key(clip.scratch_key),
        hash_version=clip.hash_version,
        verified=clip.timestamp_status is TimestampStatus.VERIFIED,
        spare_key=fingerprint_key(goal.fixture_id, goal.event_id, clip.md5),
        known=False,
    )
