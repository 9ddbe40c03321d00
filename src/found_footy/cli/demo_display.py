"""What the demo shows in the terminal while it plays, and what it says at the end."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Self

from rich.console import Group
from rich.live import Live
from rich.text import Text

from found_footy.cli import console, scoreboard, table
from found_footy.embedded.programs import Status
from found_footy.model.outcome import GoalStatus
from found_footy.web.views import Goal, Match

Statuses = Callable[[], Sequence[Status]]

# Lines of headings, rules and margins of both tables, and of the note between them.
_AROUND = 10


class Display:
    """A live scoreboard on a terminal; elsewhere one line per change, so that a log reads as a story."""

    def __init__(self, statuses: Statuses) -> None:
        self._statuses = statuses
        self._live = Live(console=console.out, auto_refresh=False) if console.interactive() else None
        self._told: dict[str, str] = {}

    def __enter__(self) -> Self:
        block: AbstractContextManager[object] = self._live or nullcontext()
        block.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.__exit__(kind, error, trace)

    def show(self, matches: list[Match]) -> None:
        if self._live:
            self._live.update(self._picture(matches), refresh=True)
            return
        for match in matches:
            self._tell(str(match.fixture_id), _headline(match))
            for goal in match.goals:
                self._tell(goal.event_id, _goal_line(goal))
        for status in self._statuses():
            self._tell(status.name, f"{status.name} {status.state.value}, {status.restarts} restarts")

    def _picture(self, matches: list[Match]) -> Group:
        """What fits: on a day of 24 matches a terminal would show the first ones all day, and cut off the rest."""
        statuses = self._statuses()
        shown, left_out = scoreboard.fitting(matches, console.out.height - len(statuses) - _AROUND)
        note = f"{left_out} more matches without room here" if left_out else ""
        return Group(scoreboard.of_matches(shown), Text(note, style="dim"), table.of_programs(statuses))

    def _tell(self, subject: str, line: str) -> None:
        if self._told.get(subject) != line:
            self._told[subject] = line
            console.out.print(line, highlight=False, markup=False, soft_wrap=True)


def _headline(match: Match) -> str:
    score = f"{match.score.home}-{match.score.away}" if match.score else "-"
    return f"{match.home.name} {score} {match.away.name}, {match.status}"


def _goal_line(goal: Goal) -> str:
    searched = f"search {goal.attempts}/{goal.attempts_wanted}, {len(goal.clips)} clips"
    return f"  {goal.minute} {goal.player} ({goal.team.name}): {goal.status.value}, {searched}"


def summarize(matches: list[Match], statuses: Sequence[Status], seconds: float) -> int:
    """Print what came of it; fails unless every goal that stands has a clip."""
    goals = [goal for match in matches for goal in match.goals if goal.status is not GoalStatus.REMOVED]
    watchable = [goal for goal in goals if goal.clips]
    console.out.print(scoreboard.of_matches(matches))
    console.out.print(table.of_programs(statuses))
    console.out.print(
        f"{len(watchable)} of {len(goals)} goals watchable, {sum(len(goal.clips) for goal in goals)} clips, "
        f"{seconds:.0f} s in all.",
        style="green" if goals and len(watchable) == len(goals) else "red",
        highlight=False,
    )
    return console.OK if goals and len(watchable) == len(goals) else console.FAILED
