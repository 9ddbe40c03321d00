"""What to do with a batch, once it was compared: what to copy, what to count, what to turn away."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from found_footy.archive.dedup import decide, find_of, is_verified
from found_footy.archive.elsewhere import OtherClip, shows_another_goal
from found_footy.archive.goal_archive import GoalArchive
from found_footy.archive.members import Member
from found_footy.archive.messages import Flag, MatchedPair, Plan, PlanBatch, Refused
from found_footy.archive.records import FILE_KEYS
from found_footy.archive.refusals import sent_away
from found_footy.model.handoff import Goal, ScreenedClip
from found_footy.model.outcome import ClipOutcome
from found_footy.vision.clock import TOLERANCE


def plan(order: PlanBatch, archive: GoalArchive, tolerance: int = TOLERANCE) -> Plan:
    """`tolerance` is by how many minutes a clock may differ from the goal's."""
    alike = _alike(order.pairs, archive.others, order.clips)
    verified = {clip.md5 for clip in order.clips if is_verified(clip)}
    turned_away = {
        md5: why for md5 in alike if (why := _elsewhere(order.goal, md5 in verified, md5, alike[md5], tolerance))
    }
    turned_away |= {refused.md5: refused for refused in order.refused}
    turned_away |= {
        clip.md5: sent_away(clip.md5, refusal)
        for clip in order.clips
        if (refusal := archive.judgements.refusal_of(clip.md5))
    }
    clips = [clip for clip in order.clips if clip.md5 not in turned_away]
    flags = (Flag(md5, other.event_id, other.clip_id) for md5 in alike for other in alike[md5])
    return _planned(
        clips,
        order.pairs,
        archive,
        tuple(_named(turned_away[clip.md5], clip) for clip in order.clips if clip.md5 in turned_away),
        tuple(dict.fromkeys(flag for flag in flags if flag.md5 not in turned_away)),
    )


def member_of(clip: ScreenedClip, print_key: str = "") -> Member:
    return Member(
        clip.md5,
        clip.duration,
        clip.file_size,
        is_verified(clip),
        (clip.source_url,),
        print_key,
        clip.hash_version if print_key else "",
    )


def _planned(
    clips: list[ScreenedClip],
    pairs: Iterable[MatchedPair],
    archive: GoalArchive,
    refused: tuple[Refused, ...],
    flags: tuple[Flag, ...],
) -> Plan:
    decision = decide(
        archive.holdings,
        map(member_of, clips),
        {clip.md5 for clip in clips},
        [(pair.one, pair.other) for pair in pairs],
        archive.judgements,
    )
    wanted = {kept.md5 for kept in decision.clips}
    standing = {record["md5"] for record in archive.records}
    known = {member.md5 for holding in archive.holdings for member in holding.members}
    first = _representatives(clips)
    keep = tuple(clip for clip in first.values() if clip.md5 in wanted - standing)
    beside = tuple(clip for clip in first.values() if clip.md5 not in known | wanted)
    taken = {id(clip) for clip in (*keep, *beside)}
    lost = [record for record in archive.records if record["md5"] not in wanted]
    return Plan(
        keep,
        tuple(find_of(clip) for clip in clips if id(clip) not in taken),
        beside,
        refused,
        flags,
        tuple(record[name] for record in lost for name in FILE_KEYS if record.get(name)),
    )


def _representatives(clips: Iterable[ScreenedClip]) -> dict[str, ScreenedClip]:
    """One clip per content: a verified one if there is any, then the one with the smallest link."""
    first: dict[str, ScreenedClip] = {}
    for clip in sorted(clips, key=lambda one: (not is_verified(one), one.source_url)):
        first.setdefault(clip.md5, clip)
    return first


def _alike(
    pairs: Iterable[MatchedPair], others: Iterable[OtherClip], clips: Iterable[ScreenedClip]
) -> Mapping[str, list[OtherClip]]:
    """For each file of this goal, the files of other goals that show the same, by their pictures or their bytes."""
    by_name = {other.name: other for other in others}
    by_bytes = defaultdict(list)
    for other in by_name.values():
        by_bytes[other.md5].append(other)
    found: dict[str, dict[str, OtherClip]] = defaultdict(dict)
    for pair in pairs:
        for own, name in ((pair.one, pair.other), (pair.other, pair.one)):
            if name in by_name and own not in by_name:
                found[own][name] = by_name[name]
    for clip in clips:
        found[clip.md5].update({other.name: other for other in by_bytes.get(clip.md5, ())})
    return {md5: [seen[name] for name in sorted(seen)] for md5, seen in sorted(found.items()) if seen}


def _elsewhere(goal: Goal, verified: bool, md5: str, alike: Iterable[OtherClip], tolerance: int) -> Refused | None:
    proof = shows_another_goal(verified, goal.elapsed + (goal.extra or 0), alike, tolerance)
    if proof is None:
        return None
    return Refused(md5, ClipOutcome.WRONG_MINUTE, f"the same as clip {proof.clip_id} of goal {proof.event_id}")


def _named(refused: Refused, clip: ScreenedClip) -> Refused:
    return replace(refused, source_url=clip.source_url)
