"""What the demo shows in the terminal while it runs, and its summary."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Self

from rich.console import Group
from rich.live import Live
from rich.text import Text

from found_footy.cli import console, match_table, program_table
from found_footy.domain.outcomes import GoalStatus
from found_footy.embedded.programs import ProgramStatus
from found_footy.views.fixture_views import FixtureView, GoalView

StatusSource = Callable[[], Sequence[ProgramStatus]]

# Lines of headings, rules and margins of both tables, and of the note between them.
_DECORATION_LINES = 10


class DemoDisplay:
    """A live scoreboard on a terminal; elsewhere one line per change, for logs."""

    def __init__(self, statuses: StatusSource) -> None:
        self._statuses = statuses
        self._live = Live(console=console.out, auto_refresh=False) if console.is_interactive() else None
        self._printed_lines: dict[str, str] = {}

    def __enter__(self) -> Self:
        block: AbstractContextManager[object] = self._live or nullcontext()
        block.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.__exit__(kind, error, trace)

    def show(self, matches: list[FixtureView]) -> None:
        if self._live:
            self._live.update(self._render_tables(matches), refresh=True)
            return
        for match in matches:
            self._print_if_changed(str(match.fixture_id), _format_match(match))
            for goal in match.goals:
                self._print_if_changed(goal.event_id, _format_goal(goal))
        for status in self._statuses():
            self._print_if_changed(status.name, f"{status.name} {status.state.value}, {status.restarts} restarts")

    def _render_tables(self, matches: list[FixtureView]) -> Group:
        """Show what fits: with 24 matches a terminal would show only the first ones all day."""
        statuses = self._statuses()
        shown, left_out = match_table.select_fitting_matches(
            matches, console.out.height - len(statuses) - _DECORATION_LINES
        )
        note = f"{left_out} more matches, not shown" if left_out else ""
        return Group(
            match_table.render_matches(shown), Text(note, style="dim"), program_table.build_program_table(statuses)
        )

    def _print_if_changed(self, subject: str, line: str) -> None:
        if self._printed_lines.get(subject) != line:
            self._printed_lines[subject] = line
            console.out.print(line, highlight=False, markup=False, soft_wrap=True)


def _format_match(match: FixtureView) -> str:
    score = f"{match.score.home}-{match.score.away}" if match.score else "-"
    return f"{match.home.name} {score} {match.away.name}, {match.status}"


def _format_goal(goal: GoalView) -> str:
    searched = f"search {goal.attempts}/{goal.attempts_wanted}, {len(goal.clips)} clips"
    return f"  {goal.minute} {goal.player} ({goal.team.name}): {goal.status.value}, {searched}"


def print_summary(matches: list[FixtureView], statuses: Sequence[ProgramStatus], seconds: float) -> int:
    """Print the summary; returns a failure unless every goal that is not removed has a clip."""
    goals = [goal for match in matches for goal in match.goals if goal.status is not GoalStatus.REMOVED]
    watchable = [goal for goal in goals if goal.clips]
    console.out.print(match_table.render_matches(matches))
    console.out.print(program_table.build_program_table(statuses))
    console.out.print(
        f"{len(watchable)} of {len(goals)} goals watchable, {sum(len(goal.clips) for goal in goals)} clips, "
        f"{seconds:.0f} s in all.",
        style="green" if goals and len(watchable) == len(goals) else "red",
        highlight=False,
    )
    return console.OK if goals and len(watchable) == len(goals) else console.FAILED
