"""The live table of the supervised programs and their status."""

from collections.abc import Iterable

from rich import box
from rich.table import Table

from found_footy.embedded.programs import ProgramState, ProgramStatus

_STATE_STYLES = {
    ProgramState.READY: "green",
    ProgramState.STARTING: "yellow",
    ProgramState.RESTARTING: "yellow",
    ProgramState.WAITING: "yellow",
    ProgramState.FAILED: "bold red",
    ProgramState.STOPPED: "dim",
}
_MIB = 1024 * 1024


def build_program_table(statuses: Iterable[ProgramStatus]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("what", "state", "pid", "memory", "restarts", "where"):
        table.add_column(column, justify="right" if column in {"pid", "memory", "restarts"} else "left")
    for status in statuses:
        table.add_row(
            status.name,
            f"[{_STATE_STYLES[status.state]}]{status.state.value}[/]",
            str(status.pid or ""),
            f"{status.memory // _MIB} MB" if status.memory else "",
            str(status.restarts or ""),
            status.address,
        )
    return table
