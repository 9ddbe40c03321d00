"""How often a simulated match day has what is hard about real ones. docs/world.md argues each default."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace


class UnknownShare(ValueError):
    """A share that does not exist, or is not between 0 and 1."""


@dataclass(frozen=True)
class WorldShares:
    """Each is between 0 and 1. The first group is drawn per goal of a match, the second per goal and decides whether
    such a post appears, the third per post or file.

    `goals_close`: a goal falls one to three minutes after the one before it. `goals_at_half_time`: it falls at 45+x or
    within the first three minutes of the second half. `doubles`: the later of two close goals of one side has the same
    scorer.

    `other_goal`, `old_goal`, `other_match`, `other_side`: a post with a clip of another goal: an earlier one of the
    match, one of the club from another week, one of another match, one of the club's women or youth. `compilation`:
    one with several goals of the match in one file. `filmed`: one with a filmed screen that shows the right clock.
    `side_by_side`: two broadcasters film the goal from beside each other, so that their wide shots pan alike.

    `same_minute`: a clip of another day, match or side shows a minute within three of the goal's. `without_clock`: a
    clip of another goal shows no clock. `posed_as_goal`: its post has the words of a post of this goal. `caption`: a
    copy of the right clip has words over the picture that a reader may mistake. `unusual_names`: a post names the
    scorer in one of three unusual ways; `unfindable`: it names nobody.
    """

    goals_close: float = 0.08
    goals_at_half_time: float = 0.05
    doubles: float = 0.3

    other_goal: float = 0.25
    old_goal: float = 0.17
    other_match: float = 0.1
    other_side: float = 0.06
    compilation: float = 0.08
    filmed: float = 0.3
    side_by_side: float = 0.15

    same_minute: float = 0.15
    without_clock: float = 0.2
    posed_as_goal: float = 0.3
    caption: float = 0.12
    unusual_names: float = 0.12
    unfindable: float = 0.08


DEFAULT_SHARES = WorldShares()
SHARE_NAMES = tuple(field.name for field in fields(WorldShares))


def parse_shares(settings: Iterable[str]) -> WorldShares:
    """Parse `name=value` settings, the defaults for all others. Raises UnknownShare."""
    return replace(DEFAULT_SHARES, **dict(map(_parse_share, settings)))


def _parse_share(setting: str) -> tuple[str, float]:
    name, _, text = setting.partition("=")
    if name not in SHARE_NAMES:
        raise UnknownShare(f"unknown share {name}; there are {', '.join(SHARE_NAMES)}")
    try:
        value = float(text)
    except ValueError as error:
        raise UnknownShare(f"the share {name} is no number: {text!r}") from error
    if not 0 <= value <= 1:
        raise UnknownShare(f"the share {name} is not between 0 and 1: {text}")
    return name, value
