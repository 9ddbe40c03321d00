"""How each source of candidates does, as the searches recorded it. Pure.

An error is shown by its class alone: its text may name internal addresses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from found_footy.views.field_readers import read_datetime, read_text
from found_footy.views.source_figures import ANSWERED, FormYield, GoalSearches, SourceFigures, count_sources

REDDIT_SOURCE = "reddit"


class SourceState(StrEnum):
    OK = "ok"
    FAILING = "failing"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class SourceView:
    """What a source has done for the goals of recent fixtures. `state` is that of the last search; `last_error` the
    class of the newest failure, if the source has not answered since. `right` are candidates under whose address a
    verified clip was kept, `refused` counts of the others by outcome, `forms` what each form of the query has found.
    `suspicion` says that the source answers and finds nothing any more while others do.
    """

    name: str
    state: SourceState
    searches: int
    failures: int
    last_search_at: datetime | None
    last_answer_at: datetime | None
    last_error: str | None
    rests_until: datetime | None
    goals: int = 0
    found: int = 0
    fetched: int = 0
    kept: int = 0
    right: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    median_delay_seconds: float | None = None
    forms: tuple[FormYield, ...] = ()
    suspicion: str | None = None


def build_source_views(
    goals: Sequence[GoalSearches], reddit_poll: Mapping[str, Any], now: datetime
) -> tuple[SourceView, ...]:
    """`reddit_poll` is the state of the shared poll, which knows more than the searches: one poll serves many."""
    counted = {one.source: one for one in count_sources(goals)}
    records = sorted((one for goal in goals for one in goal.searches), key=lambda one: one.searched_at)
    names = sorted({*counted, *(name for record in records for name in record.results)})
    answers = {name: [(one.searched_at, one.results[name]) for one in records if name in one.results] for name in names}
    return tuple(_build_source_view(name, answers[name], counted.get(name), reddit_poll, now) for name in names)


def _build_source_view(
    name: str,
    told: Sequence[tuple[datetime, str]],
    figures: SourceFigures | None,
    reddit_poll: Mapping[str, Any],
    now: datetime,
) -> SourceView:
    answers = [at for at, result in told if result == ANSWERED]
    last_error = "" if not told or told[-1][1] == ANSWERED else told[-1][1].partition(":")[0]
    last_answer, rests_until = answers[-1] if answers else None, None
    if name == REDDIT_SOURCE and reddit_poll:
        last_error = read_text(reddit_poll.get("error"))
        last_answer = read_datetime(reddit_poll.get("worked_at")) or last_answer
        until = read_datetime(reddit_poll.get("next_at"))
        rests_until = until if last_error and until and until > now else None
    state = SourceState.FAILING if last_error else SourceState.OK if last_answer else SourceState.UNKNOWN
    counted = figures or SourceFigures(name, 0, 0, 0, 0, 0, {}, None)
    return SourceView(
        name=name,
        state=state,
        searches=len(told),
        failures=len(told) - len(answers),
        last_search_at=told[-1][0] if told else None,
        last_answer_at=last_answer,
        last_error=last_error or None,
        rests_until=rests_until,
        goals=counted.goals,
        found=counted.found,
        fetched=counted.fetched,
        kept=counted.kept,
        right=counted.right,
        refused=counted.refused,
        median_delay_seconds=counted.median_delay_seconds,
        forms=counted.forms,
        suspicion=counted.suspicion or None,
    )
