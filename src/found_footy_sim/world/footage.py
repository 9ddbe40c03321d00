"""The videos of a simulated match day: recordings and their derived copies. They are rendered elsewhere."""

from dataclasses import dataclass
from enum import StrEnum
from random import Random

from found_footy_sim.media.clip_spec import ClipChange, ClipScene, SceneKind
from found_footy_sim.media.clip_spec import TeamKit as Colours
from found_footy_sim.media.score_bugs import BUG_DESIGNS
from found_footy_sim.script.model import MatchPosition, MatchSide, SimulatedClip, SimulatedTeam
from found_footy_sim.world.clubs import clubs_by_id
from found_footy_sim.world.goals import SimulatedGoal


class FootageKind(StrEnum):
    """How a file was made. The first group shows the goal as it was broadcast."""

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


COPY_KINDS = (
    FootageKind.TRIM,
    FootageKind.REENCODE,
    FootageKind.MIRROR,
    FootageKind.WATERMARK,
    FootageKind.TEMPLATE,
    FootageKind.FASTER,
)
GOAL_KINDS = frozenset({FootageKind.RIGHT, FootageKind.REPLAY, *COPY_KINDS})

# Every frame costs time to render, and a day has thousands of them.
_FRAME_RATE = 20
_CAMERA_ANGLES = (1, 2, 3, 4, 5)
_SHARED_SCENES = {
    FootageKind.STUDIO: (SceneKind.STUDIO, SceneKind.STUDIO, SceneKind.STUDIO),
    FootageKind.ADVERT: (SceneKind.ADVERT, SceneKind.ADVERT, SceneKind.ADVERT),
    FootageKind.CARD: (SceneKind.CARD, SceneKind.CARD),
    FootageKind.OTHER_SPORT: (
        SceneKind.AMERICAN_FOOTBALL,
        SceneKind.TENNIS,
        SceneKind.BASKETBALL,
        SceneKind.AMERICAN_FOOTBALL,
        SceneKind.TENNIS,
    ),
}
_WATERMARK_TEXTS = ("GOALS DAILY", "footy.clips", "@matchfeed", "TOP BINS TV")


@dataclass(frozen=True)
class FootageFile:
    """A file. Copies of a recording share its id; `goal` is the goal that it really shows, `clock` the minute that can
    be read in it, if any.
    """

    clip: str
    recording: str
    kind: FootageKind
    goal: str | None = None
    clock: int | None = None


class FootageCatalog:
    """Collects the files of a world; each content exists once, however often it is posted."""

    def __init__(self, random: Random) -> None:
        self.clips: dict[str, SimulatedClip] = {}
        self.footage: dict[str, FootageFile] = {}
        self._random = random
        self._broadcasters: dict[int, list[tuple[str, int]]] = {}

    def add_broadcast(self, goal: SimulatedGoal, number: int) -> FootageFile:
        """Add the goal as the `number`-th broadcaster of the match showed it, from a camera of its own."""
        design, style = self._get_broadcaster(goal, number)
        large = self._random.random() < 0.04
        scene = self._build_scene(
            SceneKind.GOAL,
            goal,
            design=design,
            style=style,
            angle=_camera_angle(goal, number),
            width=1280 if large else 640,
            height=720 if large else 360,
            duration=round(self._random.uniform(6.0, 6.5) if large else self._random.uniform(6.0, 7.8), 1),
        )
        name = f"{goal.id}-tv{number}"
        return self._add_once(
            SimulatedClip(name, scene, goal.id), FootageFile(name, name, FootageKind.RIGHT, goal.id, goal.clock_minute)
        )

    def add_replay(self, goal: SimulatedGoal) -> FootageFile:
        """Add the slow-motion replay from another camera, without a clock."""
        scene = self._build_scene(SceneKind.REPLAY, goal, design="none", angle=_camera_angle(goal, 3), duration=6.0)
        name = f"{goal.id}-replay"
        return self._add_once(SimulatedClip(name, scene, goal.id), FootageFile(name, name, FootageKind.REPLAY, goal.id))

    def add_fan_video(self, goal: SimulatedGoal) -> FootageFile:
        scene = self._build_scene(SceneKind.FAN_CAM, goal, design="none", angle=_camera_angle(goal, 4), duration=6.0)
        upright = ClipScene(**{**vars(scene), "width": 360, "height": 640})
        name = f"{goal.id}-fancam"
        return self._add_once(
            SimulatedClip(name, upright, goal.id), FootageFile(name, name, FootageKind.FANCAM, goal.id)
        )

    def add_old_goal(self, goal: SimulatedGoal) -> FootageFile:
        """Add a goal of the same player's club from another week: other opponent, other minute, same score bug."""
        minute = _random_other_minute(goal, self._random)
        rival = self._random.choice([c for c in clubs_by_id().values() if c.team.id not in _team_ids(goal)])
        score = self._random.randint(0, 2), self._random.randint(0, 2)
        design, style = self._get_broadcaster(goal, 0)
        regular = 45 if minute <= 45 else 90
        scene = ClipScene(
            SceneKind.GOAL,
            _team_kit(goal.club.team),
            _team_kit(rival.team),
            score,
            True,
            _clock_second(minute, goal.seed),
            regular,
            duration=6.5,
            fps=_FRAME_RATE,
            seed=goal.seed + 7_777,
            design=design,
            style=style,
        )
        name = f"{goal.id}-lastweek"
        return self._add_once(SimulatedClip(name, scene), FootageFile(name, name, FootageKind.OLD_GOAL, None, minute))

    def add_shared(self, kind: FootageKind) -> FootageFile:
        """Add a video unrelated to any goal; there are only a few of each kind."""
        shows = _SHARED_SCENES[kind]
        number = self._random.randrange(len(shows))
        name = f"{kind}-{number + 1}"
        colours = Colours("AAA", "#884422", "#ffffff"), Colours("BBB", "#224488", "#ffffff")
        scene = ClipScene(
            shows[number], *colours, duration=6.0 + number, fps=_FRAME_RATE, seed=number + 1, design="none"
        )
        return self._add_once(SimulatedClip(name, scene), FootageFile(name, name, kind))

    def add_copy(self, parent: FootageFile, kind: FootageKind, number: int) -> FootageFile:
        """Add a copy that somebody derived from a file before posting it again."""
        length = self._original_seconds(parent)
        name = f"{parent.clip}-{kind}{number}"
        change = _build_change(kind, length, self._random)
        clip = SimulatedClip(name, None, parent.goal, parent.clip, change)
        return self._add_once(clip, FootageFile(name, parent.recording, kind, parent.goal, parent.clock))

    def _original_seconds(self, footage: FootageFile) -> float:
        clip = self.clips[footage.clip]
        while clip.parent:
            clip = self.clips[clip.parent]
        assert clip.scene is not None
        return clip.scene.duration

    def _add_once(self, clip: SimulatedClip, footage: FootageFile) -> FootageFile:
        self.clips.setdefault(clip.name, clip)
        return self.footage.setdefault(clip.name, footage)

    def _get_broadcaster(self, goal: SimulatedGoal, number: int) -> tuple[str, int]:
        """Each match is on a few channels, and all its goals look alike on one."""
        known = self._broadcasters.setdefault(goal.match.id, [])
        while len(known) <= number:
            left = [design for design in BUG_DESIGNS if design not in {used for used, _ in known}]
            known.append((self._random.choice(left), self._random.randrange(12)))
        return known[number]

    def _build_scene(self, show: SceneKind, goal: SimulatedGoal, **more: object) -> ClipScene:
        values = {
            "show": show,
            "home": _team_kit(goal.match.home),
            "away": _team_kit(goal.match.away),
            "score": goal.score,
            "scorer_home": goal.side is MatchSide.HOME,
            "clock": _clock_second(goal.clock_minute, goal.seed),
            "regular": _period_end_minute(goal.at),
            "seed": goal.seed,
            "fps": _FRAME_RATE,
            **more,
        }
        return ClipScene(**values)  # type: ignore[arg-type]


def _camera_angle(goal: SimulatedGoal, number: int) -> int:
    """Different numbers, different cameras."""
    return _CAMERA_ANGLES[(goal.seed + number) % len(_CAMERA_ANGLES)]


def _team_kit(team: SimulatedTeam) -> Colours:
    return Colours(team.short, *team.kit)


def _team_ids(goal: SimulatedGoal) -> set[int]:
    return {goal.match.home.id, goal.match.away.id}


def _clock_second(minute: int, seed: int) -> int:
    """Minute 23 is 22:xx on the screen, far enough from its ends for the whole clip to stay in it."""
    return (minute - 1) * 60 + 12 + seed % 36


def _period_end_minute(at: MatchPosition) -> int:
    return next((last for last in (45, 90, 105) if at.minute <= last), 120)


def _random_other_minute(goal: SimulatedGoal, random: Random) -> int:
    """A minute that is clearly not this goal's, and not in added time."""
    while True:
        minute = random.randint(14, 88)
        if goal.differs_from(minute) and abs(minute - goal.clock_minute) > 8:
            return minute


def _build_change(kind: FootageKind, length: float, random: Random) -> ClipChange:
    seed = random.randrange(1, 1_000)
    mark = random.choice(_WATERMARK_TEXTS)
    changes = {
        FootageKind.TRIM: ClipChange(
            start=round(random.uniform(0.4, 1.0), 1), end=round(length - random.uniform(0.3, 0.9), 1)
        ),
        FootageKind.REENCODE: ClipChange(crf=random.randint(30, 34), width=512, height=288),
        FootageKind.MIRROR: ClipChange(mirror=True),
        FootageKind.WATERMARK: ClipChange(corner=mark, seed=seed) if random.random() < 0.5 else ClipChange(stamp=mark),
        FootageKind.TEMPLATE: ClipChange(letterbox=True)
        if random.random() < 0.5
        else ClipChange(banner=mark, seed=seed),
        FootageKind.FASTER: ClipChange(speed=1.03, crf=29),
        FootageKind.FILMED: ClipChange(filmed=True, seed=seed),
        FootageKind.PORTRAIT: ClipChange(portrait=True) if random.random() < 0.5 else ClipChange(blurred=True),
        FootageKind.SNIPPET: ClipChange(start=round(length / 2 - 1, 1), end=round(length / 2 + 1, 1)),
    }
    return changes[kind]
