"""Matches and their goals as the terminal shows them."""

from collections.abc import Iterable, Sequence

from rich import box
from rich.markup import escape
from rich.table import Table

from found_footy.cli import console
from found_footy.model.outcome import GoalStatus
from found_footy.web.views import Goal, Match, Phase

_STYLES = {
    GoalStatus.VALIDATING: "yellow",
    GoalStatus.SEARCHING: "cyan",
    GoalStatus.WATCHABLE: "green",
    GoalStatus.EMPTY: "dim",
    GoalStatus.REMOVED: "dim strike",
}
_AT_WORK = (GoalStatus.VALIDATING, GoalStatus.SEARCHING)
_MOST_BOXES = 10
# Names of columns and how wide they are: goals and notes take what is left.
_COLUMNS = {"": 9, "goal": None, "stage": 10, "searches": 10, "clips": 5, "note": None}
_TAKEN = 50
# Where the terminal is narrower than this, there is no room for notes.
_WIDE = 120
_WIDEST_GOAL = 40
_GAP = 6


def fitting(matches: Sequence[Match], lines: int) -> tuple[list[Match], int]:
    """As many matches as have room in so many lines, and how many are left out. Those with a goal that is being worked
    on come first, then those under way, then what is over or still to come; shown in the order of the day.
    """
    kept: set[int] = set()
    for match in sorted(matches, key=_urgency):
        if lines < 1 + len(match.goals):
            break
        lines -= 1 + len(match.goals)
        kept.add(match.fixture_id)
    shown = [match for match in matches if match.fixture_id in kept]
    return shown, len(matches) - len(shown)


def _urgency(match: Match) -> int:
    working = any(goal.status in _AT_WORK for goal in match.goals)
    return 0 if working else 1 if match.phase is Phase.LIVE else 2


def of_matches(matches: Iterable[Match]) -> Table:
    """One table: a line per match, and below it one per goal with how far it is."""
    columns = [column for column in _COLUMNS if column != "note" or console.out.width >= _WIDE]
    room = console.out.width - _TAKEN
    goal_width = min(_WIDEST_GOAL, room)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        most = {"goal": goal_width, "note": room - goal_width - _GAP}.get(column)
        table.add_column(column, no_wrap=True, width=_COLUMNS[column], max_width=most)
    for match in matches:
        score = f"{match.score.home}–{match.score.away}" if match.score else "–"
        teams = f"[bold]{escape(match.home.name)} {score} {escape(match.away.name)}[/]"
        table.add_row(f"[dim]{escape(match.state)}[/]", teams)
        for goal in match.goals:
            table.add_row(*_of_goal(goal)[: len(columns)])
    return table


def _of_goal(goal: Goal) -> tuple[str, ...]:
    style = _STYLES[goal.status]
    return (
        f"  {goal.minute}",
        f"  {escape(goal.player)} ({escape(goal.team.code)})",
        f"[{style}]{goal.status.value}[/]",
        _progress(goal.attempts, goal.attempts_wanted),
        _clips(goal),
        escape(goal.note),
    )


def _progress(done: int, wanted: int) -> str:
    """A box per search; where there are many, numbers, so that the table stays narrow."""
    if wanted > _MOST_BOXES:
        return f"{done}/{wanted}"
    filled = min(done, wanted)
    return f"[cyan]{'■' * filled}[/][dim]{'□' * (wanted - filled)}[/]"


def _clips(goal: Goal) -> str:
    verified = sum(clip.verified for clip in goal.clips)
    return f"{len(goal.clips)} [green]✓{verified}[/]" if verified else str(len(goal.clips) or "")
