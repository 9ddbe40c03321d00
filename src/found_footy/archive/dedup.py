"""What becomes of a batch: which clips are new, which replace a stored one, and which are one more find of it."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from itertools import chain

from found_footy.archive.clusters import Group, clusters
from found_footy.archive.judgement import Judgements
from found_footy.archive.members import Holding, Member, by_md5, linked
from found_footy.archive.messages import Join, Plan, StoredClip
from found_footy.archive.quality import best
from found_footy.model.handoff import ScreenedClip
from found_footy.model.outcome import TimestampStatus

_NEVER = datetime.max.replace(tzinfo=UTC)


class Action(StrEnum):
    KEEP = "keep"  # a clip that the goal did not have
    REPLACE = "replace"  # another file behind an address that stays
    JOIN = "join"  # the same file, found more often, or joined by another clip
    STAND = "stand"  # nothing new


@dataclass(frozen=True)
class Kept:
    """One clip of the goal as it is to be. Without an id it is new; `absorbed` are the ids of clips that became it."""

    action: Action
    clip_id: str
    md5: str
    members: tuple[Member, ...]
    absorbed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Decision:
    """`homeless` are new files for which there is no clip: theirs is lost, and nothing stored shows the same."""

    clips: tuple[Kept, ...] = ()
    homeless: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Files:
    """Which files can stand behind a clip: those that do, are new or have newly been verified, and, where there is none
    of these, those that lost once but are at hand again.
    """

    first: Group
    again: Group


def plan_batch(clips: Iterable[ScreenedClip], stored: Iterable[StoredClip]) -> Plan:
    """By their bytes alone: keep the first clip of each content that is not known yet; join every other find to it.

    Of several equal ones a verified one is kept, then the one with the smallest link, so that the order of arrival
    within a batch does not matter.
    """
    known = {md5 for clip in stored for md5 in clip.md5s}
    keep: dict[str, ScreenedClip] = {}
    join: list[Join] = []
    for clip in sorted(clips, key=lambda c: (not is_verified(c), c.source_url)):
        if clip.md5 in known or clip.md5 in keep:
            join.append(find_of(clip))
        else:
            keep[clip.md5] = clip
    return Plan(tuple(keep.values()), tuple(join))


def find_of(clip: ScreenedClip) -> Join:
    return Join(clip.md5, clip.source_url, is_verified(clip), clip.extracted_minute)


def is_verified(clip: ScreenedClip) -> bool:
    return clip.timestamp_status is TimestampStatus.VERIFIED


def decide(
    stored: Sequence[Holding],
    found: Iterable[Member],
    files: Collection[str],
    pairs: Iterable[tuple[str, str]] = (),
    judgements: Judgements | None = None,
) -> Decision:
    """The clips of a goal after a batch.

    `found` is what the batch found, known or not; `files` are the MD5s of those whose file is at hand; `pairs` are the
    files that were seen to show the same. Each recording is one clip, behind which the best file stands. Verified
    files go before all others, and what a person pinned before everything.
    """
    known = by_md5(member for holding in stored for member in holding.members)
    members = linked(by_md5(chain(known.values(), found)), pairs)
    pinned = frozenset(holding.md5 for holding in stored if holding.pinned)
    groups = _unpinned(_clusters(stored, members, pinned, judgements or Judgements()), members, pinned)
    at_hand = _at_hand(stored, known, members, frozenset(files))
    winners = {group: _winner(group, members, at_hand, pinned) for group in groups}
    return _decision(stored, members, _housed(stored, winners))


def _at_hand(stored: Sequence[Holding], known: dict[str, Member], members: dict[str, Member], files: Group) -> _Files:
    standing = frozenset(holding.md5 for holding in stored)
    proven_now = {md5 for md5 in files & known.keys() if members[md5].verified and not known[md5].verified}
    return _Files(standing | (files - known.keys()) | proven_now, files & known.keys())


def _clusters(
    stored: Sequence[Holding], members: dict[str, Member], pinned: Group, judgements: Judgements
) -> list[Group]:
    ids = {holding.md5: holding.clip_id for holding in stored}

    def names(group: Group) -> list[str]:
        return [*group, *(ids[md5] for md5 in group if md5 in ids)]

    def apart(one: Group, other: Group) -> bool:
        return bool(judgements.apart) and judgements.keeps_apart(names(one), names(other))

    return clusters(members, apart, alone=pinned)


def _unpinned(groups: Iterable[Group], members: dict[str, Member], pinned: Group) -> list[Group]:
    """Every pinned file in a group of its own, the best of a group with all its other members."""
    out: list[Group] = []
    for group in groups:
        pins = [members[md5] for md5 in group & pinned]
        others = {member.md5 for member in pins} - {best(pins).md5} if pins else set()
        out += [group - others, *(frozenset((md5,)) for md5 in sorted(others))]
    return out


def _winner(group: Group, members: dict[str, Member], files: _Files, pinned: Group) -> str | None:
    """The file that is to stand for a group, None if none of its files is at hand."""
    if group & pinned:
        return best([members[md5] for md5 in group & pinned]).md5
    proven = frozenset(md5 for md5 in group if members[md5].verified)
    for wanted in (proven, group):
        for at_hand in (files.first, files.again):
            if wanted & at_hand:
                return best([members[md5] for md5 in wanted & at_hand]).md5
    return None


def _housed(stored: Sequence[Holding], winners: dict[Group, str | None]) -> dict[str | None, Group]:
    """Groups by their winner. A group without a file stays with the clip that holds its members now."""
    housed: dict[str | None, Group] = {winner: group for group, winner in winners.items() if winner is not None}
    standing_for = {md5: winner for winner, group in housed.items() for md5 in group}
    holder = {member.md5: standing_for.get(holding.md5) for holding in stored for member in holding.members}
    for group in (group for group, winner in winners.items() if winner is None):
        for md5 in group:
            home = holder.get(md5)
            housed[home] = housed.get(home, frozenset()) | {md5}
    return housed


def _decision(stored: Sequence[Holding], members: dict[str, Member], housed: dict[str | None, Group]) -> Decision:
    homeless = housed.pop(None, frozenset())
    clips = [
        _kept([holding for holding in stored if holding.md5 in group], winner, group, members)
        for winner, group in housed.items()
        if winner is not None
    ]
    return Decision(tuple(sorted(clips, key=lambda kept: kept.md5)), tuple(sorted(homeless)))


def _kept(holdings: Sequence[Holding], winner: str, group: Group, members: dict[str, Member]) -> Kept:
    """The oldest of the stored clips keeps its address, unless one is pinned."""
    own = tuple(members[md5] for md5 in sorted(group))
    if not holdings:
        return Kept(Action.KEEP, "", winner, own)
    first, *others = sorted(holdings, key=lambda one: (not one.pinned, one.added_at or _NEVER, one.clip_id))
    absorbed = tuple(other.clip_id for other in others)
    if first.md5 != winner:
        return Kept(Action.REPLACE, first.clip_id, winner, own, absorbed)
    same = not absorbed and _finds(own) == _finds(first.members)
    return Kept(Action.STAND if same else Action.JOIN, first.clip_id, winner, own, absorbed)


def _finds(members: Iterable[Member]) -> set[tuple[str, frozenset[str]]]:
    return {(member.md5, frozenset(member.sources)) for member in members}
