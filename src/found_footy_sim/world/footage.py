"""The videos of a simulated match day: recordings and their derived copies. They are rendered elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from found_footy_sim.media.clip_spec import ClipChange, ClipScene, SceneKind
from found_footy_sim.media.clip_spec import TeamKit as Colours
from found_footy_sim.media.graphics.score_bugs import BUG_DESIGNS
from found_footy_sim.script.model import MatchSide, SimulatedClip, SimulatedTeam
from found_footy_sim.world.clubs import clubs_by_id
from found_footy_sim.world.goals import SimulatedGoal
from found_footy_sim.world.screen_minutes import ScreenMinute, draw_screen_minute, screen_minute_of


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
    CAPTION = "caption"

    COMPILATION = "compilation"
    FILMED = "filmed"
    FANCAM = "fancam"
    PORTRAIT = "portrait"
    SNIPPET = "snippet"
    OLD_GOAL = "old_goal"
    OTHER_MATCH = "other_match"
    OTHER_SIDE = "other_side"
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
GOAL_KINDS = frozenset({FootageKind.RIGHT, FootageKind.REPLAY, FootageKind.CAPTION, *COPY_KINDS})

# Every frame costs time to render, and a day has thousands of them.
_FRAME_RATE = 20
_CAMERA_ANGLES = (1, 2, 3, 4, 5)
# The camera in the main stand, and another broadcaster's beside it.
_SIDE_BY_SIDE_ANGLES = (1, 6)
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
# Words of football that look like those of other sports, and figures that look like a clock.
_CAPTION_TEXTS = (
    "QUARTER-FINAL",
    "SETS UP THE WINNER",
    "LAP OF HONOUR SOON",
    "BET NOW 2.10",
    "OVERS 2.5 @ 1.85",
    "KO 20:45",
    "TONIGHT 21.00",
    "FM 98.50",
)
# How often a club's women or youth meet the side that its men meet, on the same day.
_SAME_RIVAL_SHARE = 0.25


@dataclass(frozen=True)
class FootageFile:
    """A file. Copies of a recording share its id; `goal` is the goal that it really shows, `clock` the minute that can
    be read in it, if any. A compilation shows the `compiled` goals and none of its own.
    """

    clip: str
    recording: str
    kind: FootageKind
    goal: str | None = None
    clock: int | None = None
    compiled: tuple[str, ...] = ()


class FootageCatalog:
    """Collects the files of a world; each content exists once, however often it is posted."""

    def __init__(self, random: Random, side_by_side: float = 0.0) -> None:
        """`side_by_side` is the share of goals whose first two broadcasters film from beside each other."""
        self.clips: dict[str, SimulatedClip] = {}
        self.footage: dict[str, FootageFile] = {}
        self._random = random
        self._side_by_side = side_by_side
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
            angle=self._broadcast_angle(goal, number),
            width=1280 if large else 640,
            height=720 if large else 360,
            duration=round(self._random.uniform(6.0, 6.5) if large else self._random.uniform(6.0, 7.8), 1),
        )
        name = f"{goal.id}-tv{number}"
        return self._add_once(
            SimulatedClip(name, scene, goal.id), FootageFile(name, name, FootageKind.RIGHT, goal.id, goal.clock_minute)
        )

    def _broadcast_angle(self, goal: SimulatedGoal, number: int) -> int:
        """Drawn from the goal alone, so that the share changes nothing else of the day."""
        if Random(f"{goal.id}-{goal.seed}").random() >= self._side_by_side:
            return _camera_angle(goal, number)
        elsewhere = [angle for angle in _CAMERA_ANGLES if angle not in _SIDE_BY_SIDE_ANGLES]
        return (*_SIDE_BY_SIDE_ANGLES, *elsewhere)[number]

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

    def add_old_goal(self, goal: SimulatedGoal, *, same_minute: bool, has_clock: bool) -> FootageFile:
        """Add a goal of the same player's club from another week: other opponent, same score bug."""
        teams = goal.club.team, self._draw_club(goal)
        return self._add_other(goal, FootageKind.OLD_GOAL, teams, same_minute=same_minute, has_clock=has_clock)

    def add_other_match(self, goal: SimulatedGoal, *, same_minute: bool, has_clock: bool) -> FootageFile:
        """Add a goal of two other clubs, of a match that nobody follows here."""
        home = self._draw_club(goal)
        teams = home, self._draw_club(goal, home.id)
        return self._add_other(goal, FootageKind.OTHER_MATCH, teams, same_minute=same_minute, has_clock=has_clock)

    def add_other_side(self, goal: SimulatedGoal, *, same_minute: bool, has_clock: bool) -> FootageFile:
        """Add a goal of the club's women or youth: same shirts, same letters in the score bug."""
        same_rival = self._random.random() < _SAME_RIVAL_SHARE
        teams = goal.club.team, goal.rival.team if same_rival else self._draw_club(goal)
        return self._add_other(goal, FootageKind.OTHER_SIDE, teams, same_minute=same_minute, has_clock=has_clock)

    def add_compilation(self, goal: SimulatedGoal, shown: Sequence[FootageFile]) -> FootageFile:
        """Add one file with two recordings behind each other, posted about this goal."""
        first, second = shown
        then = self.clips[second.clip].scene
        name = f"{goal.id}-{FootageKind.COMPILATION}"
        compiled = tuple(one.goal for one in shown if one.goal is not None)
        clip = SimulatedClip(name, None, None, first.clip, ClipChange(then=then))
        return self._add_once(clip, FootageFile(name, name, FootageKind.COMPILATION, compiled=compiled))

    def _add_other(
        self,
        goal: SimulatedGoal,
        kind: FootageKind,
        teams: tuple[SimulatedTeam, SimulatedTeam],
        *,
        same_minute: bool,
        has_clock: bool,
    ) -> FootageFile:
        """Add a goal that is none of the day's, on the channel of the match."""
        shown = draw_screen_minute(goal, self._random, same_minute=same_minute)
        design, style = self._get_broadcaster(goal, 0)
        scene = ClipScene(
            SceneKind.GOAL if has_clock else SceneKind.REPLAY,
            _team_kit(teams[0]),
            _team_kit(teams[1]),
            (self._random.randint(0, 2), self._random.randint(0, 2)),
            True,
            _clock_second(shown, goal.seed),
            shown.period_end,
            duration=6.5,
            fps=_FRAME_RATE,
            seed=goal.seed + 7_777 * list(FootageKind).index(kind),
            design=design if has_clock else "none",
            style=style,
        )
        name = f"{goal.id}-{kind}"
        return self._add_once(
            SimulatedClip(name, scene), FootageFile(name, name, kind, None, shown.minute if has_clock else None)
        )

    def _draw_club(self, goal: SimulatedGoal, *others: int) -> SimulatedTeam:
        """Any club that is not part of the match."""
        taken = {goal.match.home.id, goal.match.away.id, *others}
        return self._random.choice([club.team for club in clubs_by_id().values() if club.team.id not in taken])

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
            "clock": _clock_second(screen_minute_of(goal), goal.seed),
            "regular": screen_minute_of(goal).period_end,
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


def _clock_second(shown: ScreenMinute, seed: int) -> int:
    """Minute 23 is 22:xx on the screen, far enough from its ends for the whole clip to stay in it."""
    return (shown.minute - 1) * 60 + 12 + seed % 36


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
        FootageKind.CAPTION: ClipChange(stamp=random.choice(_CAPTION_TEXTS)),
        FootageKind.FILMED: ClipChange(filmed=True, seed=seed),
        FootageKind.PORTRAIT: ClipChange(portrait=True) if random.random() < 0.5 else ClipChange(blurred=True),
        FootageKind.SNIPPET: ClipChange(start=round(length / 2 - 1, 1), end=round(length / 2 + 1, 1)),
    }
    return changes[kind]
