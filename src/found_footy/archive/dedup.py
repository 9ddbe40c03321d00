"""Which clips of a batch are new, and which are another find of one we have."""

from collections.abc import Iterable

from found_footy.archive.messages import Join, Plan, StoredClip
from found_footy.model.handoff import ScreenedClip


def plan_batch(clips: Iterable[ScreenedClip], stored: Iterable[StoredClip]) -> Plan:
    """Keep the first clip of each content that is not stored yet; join every other find to it.

    Of several equal ones a verified one is kept, then the one with the smallest link, so that the order of arrival
    within a batch does not matter.
    """
    known = {clip.md5 for clip in stored}
    keep: dict[str, ScreenedClip] = {}
    join: list[Join] = []
    for clip in sorted(clips, key=lambda c: (c.timestamp_status != "verified", c.source_url)):
        if clip.md5 in known or clip.md5 in keep:
            join.append(Join(clip.md5, clip.source_url))
        else:
            keep[clip.md5] = clip
    return Plan(tuple(keep.values()), tuple(join))
