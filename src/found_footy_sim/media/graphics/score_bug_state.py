"""The state of a score bug at a moment of a clip: the ground truth against which readers are measured."""

from dataclasses import dataclass
from math import ceil

from found_footy_sim.media.clip_spec import ClipScene, ClockFormat
from found_footy_sim.media.graphics.bug_styles import generate_style

_PERIOD_START_BY_END = {45: 0, 90: 45, 105: 90, 120: 105}


def format_clock(seconds: int) -> str:
    return f"{seconds // 60:02d}:{seconds % 60:02d}"


@dataclass(frozen=True)
class ScoreBugState:
    """`seconds` is the second of the match, however the bug shows it; `period` the name of the half, if shown."""

    home: str
    away: str
    colours: tuple[str, str]
    score: tuple[int, int]
    seconds: int
    regular: int
    flash: bool = False
    form: ClockFormat = ClockFormat.RUNS_ON
    period: str = ""
    announced: int = 0

    @property
    def running_clock(self) -> str:
        """The match clock if it ran on through added time."""
        return format_clock(self.seconds)

    @property
    def frozen_clock(self) -> str:
        return f"{self.regular:02d}:00" if self.added_seconds > 0 else self.running_clock

    @property
    def added_seconds(self) -> int:
        """Seconds of added time that have been played."""
        return max(0, self.seconds - self.regular * 60)

    @property
    def main_clock(self) -> str:
        """The main clock as it is printed."""
        if self.form is ClockFormat.RUNS_ON:
            return self.running_clock
        if self.form is ClockFormat.RESTARTS and self.regular == 90:
            return format_clock(min(self.seconds, 90 * 60) - 45 * 60)
        return self.frozen_clock

    @property
    def added_time_clock(self) -> str | None:
        """The stoppage timer as it is printed."""
        return format_clock(self.added_seconds) if self.added_seconds and self.form is not ClockFormat.RUNS_ON else None


def score_bug_state_at(scene: ClipScene, at: float) -> ScoreBugState:
    """The state of the bug `at` seconds into the clip: the score changes a moment after the goal."""
    since = at - scene.moment * scene.duration
    home, away = scene.score
    counted = since >= 1.4
    after = (home + 1, away) if scene.scorer_home else (home, away + 1)
    seconds = int(scene.clock + since // 1)
    style = generate_style(scene.design, scene.style)
    form = scene.form or style.form
    half = list(_PERIOD_START_BY_END).index(scene.regular)
    words = style.words or (("1T", "2T", "ET", "ET") if form is ClockFormat.RESTARTS else None)
    over = scene.clock + scene.duration - scene.regular * 60
    return ScoreBugState(
        scene.home.short,
        scene.away.short,
        (scene.home.shirt, scene.away.shirt),
        after if counted else scene.score,
        seconds,
        scene.regular,
        counted and since < 3,
        form,
        words[half] if words else "",
        scene.added or max(1, ceil(over / 60)),
    )
