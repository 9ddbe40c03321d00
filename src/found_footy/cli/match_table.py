"""Renders fixtures and their goals in the terminal."""

from collections.abc import Iterable, Sequence

from rich import box
from rich.markup import escape
from rich.table import Table

from found_footy.cli import console
from found_footy.domain.outcomes import GoalStatus
from found_footy.views.fixture_views import FixturePhase, FixtureView, GoalView

_STYLE_BY_STATUS = {
    GoalStatus.VALIDATING: "yellow",
    GoalStatus.SEARCHING: "cyan",
    GoalStatus.WATCHABLE: "green",
    GoalStatus.EMPTY: "dim",
    GoalStatus.REMOVED: "dim strike",
}
_ACTIVE_STATUSES = (GoalStatus.VALIDATING, GoalStatus.SEARCHING)
_MAX_PROGRESS_BOXES = 10
# Columns and their widths: goals and notes share the remaining width.
_WIDTH_BY_COLUMN = {"": 9, "goal": None, "stage": 10, "searches": 10, "clips": 5, "note": None}
_FIXED_COLUMNS_WIDTH = 50
# A narrower terminal shows no notes.
_MIN_WIDTH_FOR_NOTES = 120
_MAX_GOAL_WIDTH = 40
_COLUMN_GAP_WIDTH = 6


def select_fitting_matches(matches: Sequence[FixtureView], lines: int) -> tuple[list[FixtureView], int]:
    """Select as many fixtures as fit into `lines`, and count the rest. Those with an active goal come first, then live
    ones, then finished and upcoming ones; shown in their original order.
    """
    kept: set[int] = set()
    for match in sorted(matches, key=_display_priority):
        if lines < 1 + len(match.goals):
            break
        lines -= 1 + len(match.goals)
        kept.add(match.fixture_id)
    shown = [match for match in matches if match.fixture_id in kept]
    return shown, len(matches) - len(shown)


def _display_priority(match: FixtureView) -> int:
    working = any(goal.status in _ACTIVE_STATUSES for goal in match.goals)
    return 0 if working else 1 if match.phase is FixturePhase.LIVE else 2


def render_matches(matches: Iterable[FixtureView]) -> Table:
    """One table: a line per fixture, and below it one per goal with its progress."""
    columns = [column for column in _WIDTH_BY_COLUMN if column != "note" or console.out.width >= _MIN_WIDTH_FOR_NOTES]
    free_width = console.out.width - _FIXED_COLUMNS_WIDTH
    goal_width = min(_MAX_GOAL_WIDTH, free_width)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        most = {"goal": goal_width, "note": free_width - goal_width - _COLUMN_GAP_WIDTH}.get(column)
        table.add_column(column, no_wrap=True, width=_WIDTH_BY_COLUMN[column], max_width=most)
    for match in matches:
        score = f"{match.score.home}–{match.score.away}" if match.score else "–"
        teams = f"[bold]{escape(match.home.name)} {score} {escape(match.away.name)}[/]"
        table.add_row(f"[dim]{escape(match.state)}[/]", teams)
        for goal in match.goals:
            table.add_row(*_render_goal(goal)[: len(columns)])
    return table


def _render_goal(goal: GoalView) -> tuple[str, ...]:
    style = _STYLE_BY_STATUS[goal.status]
    return (
        f"  {goal.minute}",
        f"  {escape(goal.player)} ({escape(goal.team.code)})",
        f"[{style}]{goal.status.value}[/]",
        _render_progress(goal.attempts, goal.attempts_wanted),
        _render_clip_count(goal),
        escape(goal.note),
    )


def _render_progress(done: int, wanted: int) -> str:
    """One box per search; figures if there are many, so that the table stays narrow."""
    if wanted > _MAX_PROGRESS_BOXES:
        return f"{done}/{wanted}"
    filled = min(done, wanted)
    return f"[cyan]{'■' * filled}[/][dim]{'□' * (wanted - filled)}[/]"


def _render_clip_count(goal: GoalView) -> str:
    verified = sum(clip.verified for clip in goal.clips)
    return f"{len(goal.clips)} [green]✓{verified}[/]" if verified else str(len(goal.clips) or "")
