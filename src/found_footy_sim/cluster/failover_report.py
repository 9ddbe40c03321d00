"""The figures of the failovers: a table for people, the same as JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise

from found_footy_sim.cluster.availability import Interruption, Operation, Watch, find_interruption
from found_footy_sim.cluster.failovers import Failover

_BEFORE = "before the first kill"


@dataclass(frozen=True)
class FailoverFigures:
    """One row: what each operation saw from this kill to the next. The first row is the time before."""

    name: str
    killed: tuple[str, ...]
    taken_over_after: float | None
    back_after: float | None
    seen: Mapping[Operation, Interruption]


def compute_figures(
    failovers: Sequence[Failover], watches: Sequence[Watch], began: float, ended: float
) -> tuple[FailoverFigures, ...]:
    kills = [one.at for one in failovers]
    windows = list(pairwise([began, *kills, ended]))
    rows: list[tuple[str, tuple[str, ...], float | None, float | None]] = [
        (_BEFORE, (), 0.0, 0.0),
        *((one.name, one.killed, one.taken_over_after, one.back_after) for one in failovers),
    ]
    return tuple(
        FailoverFigures(*row, {watch.operation: find_interruption(watch.requests, *window) for watch in watches})
        for row, window in zip(rows, windows, strict=True)
    )


def render_table(figures: Sequence[FailoverFigures], lost: Mapping[Operation, int]) -> str:
    """As Markdown: seconds until an operation worked again, with the failed requests and the longest one."""
    operations = [operation.value for operation in Operation]
    head = ("killed", "all work again", "member again", *operations)
    lines = [_render_row(head), _render_row(["---"] * len(head))]
    for row in figures:
        cells = [_render_interruption(row.seen[operation]) for operation in Operation]
        lines.append(_render_row([_render_name(row), *_render_times(row), *cells]))
    missing = ", ".join(f"{operation.value} {count}" for operation, count in lost.items())
    return "\n".join([*lines, "", f"Acknowledged writes that are missing at the end: {missing}."])


def render_json(figures: Sequence[FailoverFigures], lost: Mapping[Operation, int]) -> str:
    return json.dumps({"failovers": [asdict(row) for row in figures], "lost": lost}, indent=2)


def list_failures(failovers: Sequence[Failover], lost: Mapping[Operation, int], wanted: int) -> list[str]:
    """Why the cluster did not pass, nothing if it did."""
    failures = [f"{one.name}: not recovered from" for one in failovers if not one.has_recovered]
    if len(failovers) < wanted:
        failures.append(f"only {len(failovers)} of {wanted} failovers took place")
    return failures + [
        f"{operation.value}: {count} acknowledged are missing" for operation, count in lost.items() if count
    ]


def _render_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _render_name(row: FailoverFigures) -> str:
    return f"{row.name} ({', '.join(row.killed)})" if row.killed else row.name


def _render_times(row: FailoverFigures) -> tuple[str, str]:
    if not row.killed:
        return "", ""
    return _render_seconds(row.taken_over_after), _render_seconds(row.back_after)


def _render_seconds(seconds: float | None) -> str:
    return "never" if seconds is None else f"{seconds:.1f} s"


def _render_interruption(seen: Interruption) -> str:
    again = "–" if seen.works_again_after == 0 else _render_seconds(seen.works_again_after)
    failed = f"{seen.failed} of {seen.requests} failed, " if seen.failed else ""
    return f"{again} ({failed}longest {seen.longest:.1f} s)"
