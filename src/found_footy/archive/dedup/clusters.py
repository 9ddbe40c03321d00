"""Which files show the same recording.

Verified and unverified files are grouped apart: within a pool, files that match, directly or through others, are one
recording. After that, a group of unverified files that matches a verified one belongs to it, since the same recording
shows the same minute. It never links two verified groups: a compilation that nobody could place must not make two
angles one.
"""

from collections.abc import Callable, Iterable, Mapping

from found_footy.archive.dedup.copies import ClipCopy

FileGroup = frozenset[str]
# Whether two groups of files must not become one.
AreKeptApart = Callable[[FileGroup, FileGroup], bool]


def cluster_by_match(
    copies: Mapping[str, ClipCopy], are_kept_apart: AreKeptApart, alone: FileGroup = frozenset()
) -> list[FileGroup]:
    """Every file in exactly one group; a function of the files, their matches and people's word, not of any order.

    Unverified groups with a file in `alone` are not given to a verified one.
    """
    edges = sorted({_ordered_pair(copy.md5, other) for copy in copies.values() for other in copy.matches})
    edges = [(one, other) for one, other in edges if one in copies and other in copies]
    verified = frozenset(md5 for md5, member in copies.items() if member.verified)
    proven = connected_components(verified, edges, are_kept_apart)
    rest = connected_components(copies.keys() - verified, edges, are_kept_apart)
    return _attach_unverified_groups(proven, rest, _VerifiedGroupFinder(copies, edges, are_kept_apart, alone))


def connected_components(
    files: Iterable[str], edges: Iterable[tuple[str, str]], are_kept_apart: AreKeptApart
) -> list[FileGroup]:
    """The connected groups of `files`. An edge that would join what people keep apart joins nothing."""
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
        """The verified group to which an unverified one belongs: of several, the one with the longest file. `proven`
        has with each what was given to it already.
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
