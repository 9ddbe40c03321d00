"""Matches and their goals as the terminal shows them."""

from collections.abc import Iterable

from rich import box
from rich.console import Group
from rich.markup import escape
from rich.table import Table

from found_footy.model.outcome import GoalStatus
from found_footy.web.views import Goal, Match

_STYLES = {
    GoalStatus.VALIDATING: "yellow",
    GoalStatus.SEARCHING: "cyan",
    GoalStatus.WATCHABLE: "green",
    GoalStatus.EMPTY: "dim",
    GoalStatus.REMOVED: "dim strike",
}


def of_matches(matches: Iterable[Match]) -> Group:
    return Group(*(_of_match(match) for match in matches))


def _of_match(match: Match) -> Table:
    score = f"{match.score.home}–{match.score.away}" if match.score else "–"
    title = f"{escape(match.home.name)} [bold]{score}[/] {escape(match.away.name)}  [dim]{escape(match.state)}[/]"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, show_header=bool(match.goals))
    for column in ("minute", "goal", "status", "searches", "clips", "note"):
        table.add_column(column, justify="right" if column in {"searches", "clips"} else "left")
    for goal in match.goals:
        table.add_row(*_of_goal(goal))
    return table


def _of_goal(goal: Goal) -> tuple[str, ...]:
    style = _STYLES[goal.status]
    return (
        goal.minute,
        f"{escape(goal.player)} ({escape(goal.team.name)})",
        f"[{style}]{goal.status.value}[/]",
        f"{goal.attempts}/{goal.attempts_wanted}",
        str(len(goal.clips) or ""),
        escape(goal.note),
    )
