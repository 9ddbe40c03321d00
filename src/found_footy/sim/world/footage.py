"""The videos of a simulated match day: who filmed what, and what others made of it. Pictures are drawn elsewhere."""

from dataclasses import dataclass
from enum import StrEnum
from random import Random

from found_footy.sim.media.bugs import DESIGNS
from found_footy.sim.media.spec import Change, Scene, Show
from found_footy.sim.media.spec import Club as Colours
from found_footy.sim.script.model import Clip, Position, Side, Team
from found_footy.sim.world.clubs import clubs
from found_footy.sim.world.plan import Goal


class Kind(StrEnum):
    """How a file came about. The first group shows the goal as it was broadcast."""

    RIGHT = "right"
    REPLAY = "replay"
    TRIM = "trim"
    REENCODE = "reencode"
    MIRROR = "mirror"
    WATERMARK = "watermark"
    TEMPLATE = "template"
    FASTER = "faster"

    FILMED = "filmed"
    FANCAM = "fancam"
    PORTRAIT = "portrait"
    SNIPPET = "snippet"
    OLD_GOAL = "old_goal"
    STUDIO = "studio"
    ADVERT = "advert"
    CARD = "card"
    OTHER_SPORT = "other_sport"


COPIES = (Kind.TRIM, Kind.REENCODE, Kind.MIRROR, Kind.WATERMARK, Kind.TEMPLATE, Kind.FASTER)
SHOWS_THE_GOAL = frozenset({Kind.RIGHT, Kind.REPLAY, *COPIES})

# Every frame costs time to draw, and a day has thousands of them.
_FPS = 20
_ANGLES = (1, 2, 3, 4, 5)
_SHARED = {
    Kind.STUDIO: (Show.STUDIO, Show.STUDIO, Show.STUDIO),
    Kind.ADVERT: (Show.ADVERT, Show.ADVERT, Show.ADVERT),
    Kind.CARD: (Show.CARD, Show.CARD),
    Kind.OTHER_SPORT: (Show.AMERICAN_FOOTBALL, Show.TENNIS, Show.BASKETBALL, Show.AMERICAN_FOOTBALL, Show.TENNIS),
}
_MARKS = ("GOALS DAILY", "footy.clips", "@matchfeed", "TOP BINS TV")


@dataclass(frozen=True)
class Footage:
    """A file. Copies of a recording share its id; `goal` is the goal that it truly shows, `clock` the minute that can
    be read in it, if any.
    """

    clip: str
    recording: str
    kind: Kind
    goal: str | None = None
    clock: int | None = None


class Reel:
    """Collects the files of a world; each content exists once, however often it is posted."""

    def __init__(self, random: Random) -> None:
        self.clips: dict[str, Clip] = {}
        self.footage: dict[str, Footage] = {}
        self._random = random
        self._broadcasters: dict[int, list[tuple[str, int]]] = {}

    def broadcast(self, goal: Goal, number: int) -> Footage:
        """The goal as the `number`-th broadcaster of the match showed it, from a camera of its own."""
        design, style = self._broadcaster(goal, number)
        large = self._random.random() < 0.04
        scene = self._scene(
            Show.GOAL, goal, design=design, style=style, angle=_angle(goal, number),
            width=1280 if large else 640, height=720 if large else 360,
            duration=round(self._random.uniform(6.0, 6.5) if large else self._random.uniform(6.0, 7.8), 1),
        )  # fmt: skip
        name = f"{goal.id}-tv{number}"
        return self._keep(Clip(name, scene, goal.id), Footage(name, name, Kind.RIGHT, goal.id, goal.clock))

    def replay(self, goal: Goal) -> Footage:
        """The slow motion from another place, without a clock."""
        scene = self._scene(Show.REPLAY, goal, design="none", angle=_angle(goal, 3), duration=6.0)
        name = f"{goal.id}-replay"
        return self._keep(Clip(name, scene, goal.id), Footage(name, name, Kind.REPLAY, goal.id))

    def fancam(self, goal: Goal) -> Footage:
        scene = self._scene(Show.FAN_CAM, goal, design="none", angle=_angle(goal, 4), duration=6.0)
        upright = Scene(**{**vars(scene), "width": 360, "height": 640})
        name = f"{goal.id}-fancam"
        return self._keep(Clip(name, upright, goal.id), Footage(name, name, Kind.FANCAM, goal.id))

    def old_goal(self, goal: Goal) -> Footage:
        """A goal of the same player's club from another week: other opponent, other minute, same bug."""
        minute = _other_minute(goal, self._random)
        rival = self._random.choice([c for c in clubs().values() if c.team.id not in _teams(goal)])
        score = self._random.randint(0, 2), self._random.randint(0, 2)
        design, style = self._broadcaster(goal, 0)
        regular = 45 if minute <= 45 else 90
        scene = Scene(
            Show.GOAL, _colours(goal.club.team), _colours(rival.team), score, True, _on_screen(minute, goal.seed),
            regular, duration=6.5, fps=_FPS, seed=goal.seed + 7_777, design=design, style=style,
        )  # fmt: skip
        name = f"{goal.id}-lastweek"
        return self._keep(Clip(name, scene), Footage(name, name, Kind.OLD_GOAL, None, minute))

    def shared(self, kind: Kind) -> Footage:
        """A video that has nothing to do with any goal; there are only a few of each kind."""
        shows = _SHARED[kind]
        number = self._random.randrange(len(shows))
        name = f"{kind}-{number + 1}"
        colours = Colours("AAA", "#884422", "#ffffff"), Colours("BBB", "#224488", "#ffffff")
        scene = Scene(shows[number], *colours, duration=6.0 + number, fps=_FPS, seed=number + 1, design="none")
        return self._keep(Clip(name, scene), Footage(name, name, kind))

    def copy(self, parent: Footage, kind: Kind, number: int) -> Footage:
        """What somebody made of a file before posting it again."""
        length = self._length(parent)
        name = f"{parent.clip}-{kind}{number}"
        change = _change(kind, length, self._random)
        clip = Clip(name, None, parent.goal, parent.clip, change)
        return self._keep(clip, Footage(name, parent.recording, kind, parent.goal, parent.clock))

    def _length(self, footage: Footage) -> float:
        clip = self.clips[footage.clip]
        while clip.parent:
            clip = self.clips[clip.parent]
        assert clip.scene is not None
        return clip.scene.duration

    def _keep(self, clip: Clip, footage: Footage) -> Footage:
        self.clips.setdefault(clip.name, clip)
        return self.footage.setdefault(clip.name, footage)

    def _broadcaster(self, goal: Goal, number: int) -> tuple[str, int]:
        """Each match is on a few channels, and every goal of it looks alike on one."""
        known = self._broadcasters.setdefault(goal.match.id, [])
        while len(known) <= number:
            left = [design for design in DESIGNS if design not in {used for used, _ in known}]
            known.append((self._random.choice(left), self._random.randrange(12)))
        return known[number]

    def _scene(self, show: Show, goal: Goal, **more: object) -> Scene:
        told = {
            "show": show, "home": _colours(goal.match.home), "away": _colours(goal.match.away), "score": goal.score,
            "scorer_home": goal.side is Side.HOME, "clock": _on_screen(goal.clock, goal.seed),
            "regular": _regular(goal.at), "seed": goal.seed, "fps": _FPS, **more,
        }  # fmt: skip
        return Scene(**told)  # type: ignore[arg-type]


def _angle(goal: Goal, number: int) -> int:
    """Different numbers, different cameras."""
    return _ANGLES[(goal.seed + number) % len(_ANGLES)]


def _colours(team: Team) -> Colours:
    return Colours(team.short, *team.kit)


def _teams(goal: Goal) -> set[int]:
    return {goal.match.home.id, goal.match.away.id}


def _on_screen(minute: int, seed: int) -> int:
    """Minute 23 is 22:xx on the screen, far enough from its ends for the whole clip to stay in it."""
    return (minute - 1) * 60 + 12 + seed % 36


def _regular(at: Position) -> int:
    return next((last for last in (45, 90, 105) if at.minute <= last), 120)


def _other_minute(goal: Goal, random: Random) -> int:
    """One that is plainly not this goal's, and not of added time."""
    while True:
        minute = random.randint(14, 88)
        if goal.differs_from(minute) and abs(minute - goal.clock) > 8:
            return minute


def _change(kind: Kind, length: float, random: Random) -> Change:
    seed = random.randrange(1, 1_000)
    mark = random.choice(_MARKS)
    changes = {
        Kind.TRIM: Change(start=round(random.uniform(0.4, 1.0), 1), end=round(length - random.uniform(0.3, 0.9), 1)),
        Kind.REENCODE: Change(crf=random.randint(30, 34), width=512, height=288),
        Kind.MIRROR: Change(mirror=True),
        Kind.WATERMARK: Change(corner=mark, seed=seed) if random.random() < 0.5 else Change(stamp=mark),
        Kind.TEMPLATE: Change(letterbox=True) if random.random() < 0.5 else Change(banner=mark, seed=seed),
        Kind.FASTER: Change(speed=1.03, crf=29),
        Kind.FILMED: Change(filmed=True, seed=seed),
        Kind.PORTRAIT: Change(portrait=True) if random.random() < 0.5 else Change(blurred=True),
        Kind.SNIPPET: Change(start=round(length / 2 - 1, 1), end=round(length / 2 + 1, 1)),
    }
    return changes[kind]
