"""Groups files by recording.

Verified and unverified files are grouped separately: within a pool, files that match, directly or through others, are
one recording. Then an unverified group that matches a verified one is added to it, since the same recording shows the
same minute. It never joins two verified groups: a compilation without a clock must not merge two camera angles.
"""

from collections.abc import Callable, Iterable, Mapping

from found_footy.archive.dedup.copies import ClipCopy

FileGroup = frozenset[str]
# Whether two groups of files must not be merged.
AreKeptApart = Callable[[FileGroup, FileGroup], bool]


def cluster_by_match(
    copies: Mapping[str, ClipCopy], are_kept_apart: AreKeptApart, alone: FileGroup = frozenset()
) -> list[FileGroup]:
    """Put every file in exactly one group; the result depends on the files, their matches and the moderation, not on
    any order.

    Unverified groups with a file in `alone` are not added to a verified one.
    """
    edges = sorted({_ordered_pair(copy.md5, other) for copy in copies.values() for other in copy.matches})
    edges = [(one, other) for one, other in edges if one in copies and other in copies]
    verified = frozenset(md5 for md5, copy in copies.items() if copy.verified)
    proven = connected_components(verified, edges, are_kept_apart)
    rest = connected_components(copies.keys() - verified, edges, are_kept_apart)
    return _attach_unverified_groups(proven, rest, _VerifiedGroupFinder(copies, edges, are_kept_apart, alone))


def connected_components(
    files: Iterable[str], edges: Iterable[tuple[str, str]], are_kept_apart: AreKeptApart
) -> list[FileGroup]:
    """The connected groups of `files`. An edge between groups that moderation keeps apart is ignored."""
    group_of: dict[str, FileGroup] = {md5: frozenset((md5,)) for md5 in files}
    for one, other in edges:
        ours, theirs = group_of.get(one), group_of.get(other)
        if ours is None or theirs is None or ours is theirs or are_kept_apart(ours, theirs):
            continue
        group_of.update(dict.fromkeys(ours | theirs, ours | theirs))
    return sorted(set(group_of.values()), key=min)


class _VerifiedGroupFinder:
    def __init__(
        self,
        copies: Mapping[str, ClipCopy],
        edges: Iterable[tuple[str, str]],
        are_kept_apart: AreKeptApart,
        alone: FileGroup,
    ) -> None:
        self._copies = copies
        self._edges = set(edges)
        self._are_kept_apart = are_kept_apart
        self._alone = alone

    def find_best(self, group: FileGroup, verified_groups: Mapping[FileGroup, FileGroup]) -> FileGroup | None:
        """The verified group that an unverified one belongs to: of several, the one with the longest file.
        `verified_groups` maps each to the files added to it already.
        """
        if group & self._alone:
            return None
        fits = [
            other
            for other, more in verified_groups.items()
            if self._has_match(group, other) and not self._are_kept_apart(group, other | more)
        ]
        return min(
            fits, key=lambda other: (-max(self._copies[md5].duration for md5 in other), min(other)), default=None
        )

    def _has_match(self, group: FileGroup, other: FileGroup) -> bool:
        return any(_ordered_pair(one, two) in self._edges for one in group for two in other)


def _attach_unverified_groups(
    verified: list[FileGroup], unverified: list[FileGroup], finder: _VerifiedGroupFinder
) -> list[FileGroup]:
    joined = dict.fromkeys(verified, frozenset[str]())
    free: list[FileGroup] = []
    for group in unverified:
        target = finder.find_best(group, joined)
        if target is None:
            free.append(group)
        else:
            joined[target] |= group
    return sorted([*(group | more for group, more in joined.items()), *free], key=min)


def _ordered_pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one <= other else (other, one)
