"""Who posts what about a goal, and when. Delays are seconds of match time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from found_footy.sim.script.model import Host, Post, Source
from found_footy.sim.world.footage import COPIES, Footage, Kind, Reel
from found_footy.sim.world.plan import Goal
from found_footy.sim.world.words import Tone, text

# A search goes on for about ten minutes after a goal; what is posted later may be missed.
WINDOW = 540.0
# Posts about goals that lie closer than this, in minutes, are found by the searches for both.
_SEARCHED_TOGETHER = 42.0
_LATE = (800.0, 1100.0)
_NOISE = (
    Kind.STUDIO, Kind.STUDIO, Kind.ADVERT, Kind.ADVERT, Kind.CARD, Kind.OTHER_SPORT, Kind.OTHER_SPORT, Kind.OLD_GOAL,
    Kind.FANCAM, Kind.FILMED, Kind.FILMED, Kind.PORTRAIT, Kind.SNIPPET,
)  # fmt: skip
_NAMES = (
    "goals",
    "kop",
    "away_end",
    "clips",
    "terrace",
    "tactics",
    "matchday",
    "footy",
    "ultra",
    "derby",
    "stand",
    "var",
)
_BROKEN = (Host.DELETED, Host.GONE, Host.GEO_BLOCKED)


@dataclass(frozen=True)
class Said:
    """A post with what is true of it: the goal it was written about, and the file it shows."""

    post: Post
    about: Goal
    footage: Footage
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True)
class Crowd:
    """Everybody who posts. A `haste` below 1 shortens all delays, and nobody is late then; `without_right` is the share
    of goals that nobody filmed.
    """

    reel: Reel
    goals: Sequence[Goal]
    haste: float
    without_right: float

    def posts(self, goal: Goal, random: Random) -> list[Said]:
        """All posts about one goal, in the order of their files' making."""
        said: list[Said] = []
        if random.random() >= self.without_right:
            said += self._broadcasts(goal, random)
        said += self._noise(goal, said, random)
        return [_signed(one, random, safe=place == 0) for place, one in enumerate(said)]

    def _broadcasts(self, goal: Goal, random: Random) -> Iterator[Said]:
        """One or two channels, a replay now and then, and what others make of them."""
        for number in range(random.choices((1, 2, 3), (70, 26, 4))[0]):
            original = self.reel.broadcast(goal, number)
            first = self._after(random, 18, 150 + 60 * number)
            yield self._said(goal, original, first, random)
            yield from self._copies(goal, original, first, random)
        if random.random() < 0.15 and self._is_alone(goal):
            yield self._said(goal, self.reel.replay(goal), self._after(random, 90, 400), random)

    def _copies(self, goal: Goal, original: Footage, first: float, random: Random) -> Iterator[Said]:
        if random.random() < 0.35:
            yield self._said(goal, original, first + self._after(random, 10, 200), random)
        kinds = COPIES if self._is_alone(goal) else tuple(kind for kind in COPIES if kind is not Kind.MIRROR)
        for number, kind in enumerate(random.sample(kinds, random.choices((0, 1, 2), (38, 46, 16))[0])):
            made = self.reel.copy(original, kind, number + 1)
            yield self._said(goal, made, first + self._after(random, 25, 260), random)
        if random.random() < 0.05 and self.haste >= 1:
            yield self._said(goal, self.reel.copy(original, Kind.REENCODE, 9), random.uniform(*_LATE), random)

    def _noise(self, goal: Goal, said: Sequence[Said], random: Random) -> Iterator[Said]:
        shown = [one.footage for one in said if one.footage.kind is Kind.RIGHT]
        for _ in range(random.choices((1, 2, 3, 4), (28, 36, 26, 10))[0]):
            if file := self._useless(goal, shown, random.choice(_NOISE)):
                yield self._said(goal, file, self._after(random, 15, 420), random)
        if random.random() < 0.22 and (other := self._other_goal(goal, random)):
            yield self._said(goal, other, self._after(random, 20, 300), random, Tone.OTHER_GOAL)
        if random.random() < 0.3:
            file = self.reel.shared(random.choice((Kind.ADVERT, Kind.CARD, Kind.OTHER_SPORT)))
            yield self._said(goal, file, self._after(random, 5, 400), random, Tone.SPAM)

    def _useless(self, goal: Goal, shown: Sequence[Footage], kind: Kind) -> Footage | None:
        match kind:
            case Kind.FANCAM:
                return self.reel.fancam(goal)
            case Kind.OLD_GOAL:
                return self.reel.old_goal(goal)
            case Kind.FILMED | Kind.PORTRAIT | Kind.SNIPPET:
                return self.reel.copy(shown[0], kind, 1) if shown else None
        return self.reel.shared(kind)

    def _other_goal(self, goal: Goal, random: Random) -> Footage | None:
        """A broadcast of an earlier goal, of this match if there is one, whose clock shows that it is another."""
        earlier = [one for one in self.goals if one.minute < goal.minute - 4 and goal.differs_from(one.clock)]
        same = [one for one in earlier if one.match is goal.match]
        pool = [one for one in same or earlier if f"{one.id}-tv0" in self.reel.footage]
        return self.reel.footage[f"{random.choice(pool).id}-tv0"] if pool else None

    def _is_alone(self, goal: Goal) -> bool:
        """Whether the search for no other goal can find posts about this one. Only then may its clock be unreadable:
        nothing else would show which of the two it is.
        """
        near = [one for one in self.goals if abs(one.minute - goal.minute) < _SEARCHED_TOGETHER and one is not goal]
        return not any(one.club is goal.club for one in near)

    def _after(self, random: Random, soonest: float, latest: float) -> float:
        """Most people are quick."""
        return round((soonest + (latest - soonest) * float(random.random() ** 1.8)) * self.haste, 1)

    def _said(self, goal: Goal, file: Footage, seconds: float, random: Random, tone: Tone = Tone.PLAIN) -> Said:
        words = text(goal, file.kind, tone, random)
        post = Post("", words, file.clip, goal.match.id, after=goal.id, seconds=seconds)
        return Said(post, goal, file, tone)


def _signed(said: Said, random: Random, *, safe: bool) -> Said:
    """The post with an author, a place to be read at, and the fate of its video. A `safe` one can be had on X."""
    author = f"sim_{random.choice(_NAMES)}{random.randrange(10**6)}"
    source = Source.BLUESKY if random.random() < 0.15 and not safe else Source.X
    broken = random.random() < 0.08 and not safe
    host = random.choice(_BROKEN) if broken else None
    deleted = host in (Host.DELETED, Host.GONE)
    later = None if broken or random.random() >= 0.02 else 1500.0
    post = Post(
        author, said.post.text, said.post.clip, said.post.fixture, said.post.after, said.post.seconds,
        source=source, host=host, gone_after=0.0 if deleted else later, reply=random.random() < 0.12,
    )  # fmt: skip
    return Said(post, said.about, said.footage, said.tone)
