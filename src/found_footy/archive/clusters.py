"""Which files show the same recording.

Verified and unverified files are grouped apart: within a pool, files that match, directly or through others, are one
recording. After that, a group of unverified files that matches a verified one belongs to it, since the same recording
shows the same minute. It never links two verified groups: a compilation that nobody could place must not make two
angles one.
"""

from collections.abc import Callable, Iterable, Mapping

from found_footy.archive.members import Member

Group = frozenset[str]
# Whether two groups of files must not become one.
Apart = Callable[[Group, Group], bool]


def clusters(members: Mapping[str, Member], apart: Apart, alone: Group = frozenset()) -> list[Group]:
    """Every file in exactly one group; a function of the files, their matches and people's word, not of any order.

    Unverified groups with a file in `alone` are not given to a verified one.
    """
    edges = sorted({_pair(member.md5, other) for member in members.values() for other in member.matches})
    edges = [(one, other) for one, other in edges if one in members and other in members]
    verified = frozenset(md5 for md5, member in members.items() if member.verified)
    proven = components(verified, edges, apart)
    rest = components(members.keys() - verified, edges, apart)
    return _given(proven, rest, _Neighbours(members, edges, apart, alone))


def components(files: Iterable[str], edges: Iterable[tuple[str, str]], apart: Apart) -> list[Group]:
    """The connected groups of `files`. An edge that would join what people keep apart joins nothing."""
    group_of: dict[str, Group] = {md5: frozenset((md5,)) for md5 in files}
    for one, other in edges:
        ours, theirs = group_of.get(one), group_of.get(other)
        if ours is None or theirs is None or ours is theirs or apart(ours, theirs):
            continue
        group_of.update(dict.fromkeys(ours | theirs, ours | theirs))
    return sorted(set(group_of.values()), key=min)


class _Neighbours:
    def __init__(
        self, members: Mapping[str, Member], edges: Iterable[tuple[str, str]], apart: Apart, alone: Group
    ) -> None:
        self._members = members
        self._edges = set(edges)
        self._apart = apart
        self._alone = alone

    def best(self, group: Group, proven: Mapping[Group, Group]) -> Group | None:
        """The verified group to which an unverified one belongs: of several, the one with the longest file. `proven`
        has with each what was given to it already.
        """
        if group & self._alone:
            return None
        fits = [
            other
            for other, more in proven.items()
            if self._touch(group, other) and not self._apart(group, other | more)
        ]
        return min(
            fits, key=lambda other: (-max(self._members[md5].duration for md5 in other), min(other)), default=None
        )

    def _touch(self, group: Group, other: Group) -> bool:
        return any(_pair(one, two) in self._edges for one in group for two in other)


def _given(proven: list[Group], rest: list[Group], neighbours: _Neighbours) -> list[Group]:
    joined = dict.fromkeys(proven, frozenset[str]())
    free: list[Group] = []
    for group in rest:
        target = neighbours.best(group, joined)
        if target is None:
            free.append(group)
        else:
            joined[target] |= group
    return sorted([*(group | more for group, more in joined.items()), *free], key=min)


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one <= other else (other, one)
