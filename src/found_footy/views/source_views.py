"""How each source of candidates does, as the searches recorded it. Pure.

An error is shown by its class alone: its text may name internal addresses.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from found_footy.views.field_readers import read_datetime, read_text
from found_footy.views.stats import SourceYield

ANSWERED = "answered"
REDDIT_SOURCE = "reddit"


class SourceState(StrEnum):
    OK = "ok"
    FAILING = "failing"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class SourceView:
    """`searches` and `failures` are those of recent fixtures, `found`, `fetched` and `kept` those of all. `state` is
    that of the last search; `last_error` the class of the newest failure, if the source has not answered since.
    """

    name: str
    state: SourceState
    searches: int
    failures: int
    last_search_at: datetime | None
    last_answer_at: datetime | None
    last_error: str | None
    rests_until: datetime | None
    found: int
    fetched: int
    kept: int


@dataclass(frozen=True)
class SearchAttempt:
    """One search of a goal: when, and what each source answered."""

    searched_at: datetime
    results: Mapping[str, str]


def read_search_record(row: Mapping[str, Any]) -> SearchAttempt | None:
    """None for a row without a time; results that are no text are left out."""
    at, results = read_datetime(row.get("searched_at")), row.get("sources")
    if at is None or not isinstance(results, Mapping):
        return None
    return SearchAttempt(at, {name: text for name, text in results.items() if isinstance(text, str)})


def build_source_views(
    records: Iterable[SearchAttempt], yields: Iterable[SourceYield], reddit_poll: Mapping[str, Any], now: datetime
) -> tuple[SourceView, ...]:
    """`reddit_poll` is the state of the shared poll, which knows more than the searches: one poll serves many."""
    ordered = sorted(records, key=lambda one: one.searched_at)
    given = {one.source: one for one in yields}
    names = sorted({*given, *(name for record in ordered for name in record.results)})
    views = [_build_source_view(name, ordered, given.get(name), reddit_poll, now) for name in names]
    return tuple(views)


def _build_source_view(
    name: str,
    records: Iterable[SearchAttempt],
    given: SourceYield | None,
    reddit_poll: Mapping[str, Any],
    now: datetime,
) -> SourceView:
    own = [(record.searched_at, record.results[name]) for record in records if name in record.results]
    answers = [at for at, result in own if result == ANSWERED]
    last_error = "" if not own or own[-1][1] == ANSWERED else own[-1][1].partition(":")[0]
    last_answer, rests_until = answers[-1] if answers else None, None
    if name == REDDIT_SOURCE and reddit_poll:
        last_error = read_text(reddit_poll.get("error"))
        last_answer = read_datetime(reddit_poll.get("worked_at")) or last_answer
        until = read_datetime(reddit_poll.get("next_at"))
        rests_until = until if last_error and until and until > now else None
    state = SourceState.FAILING if last_error else SourceState.OK if last_answer else SourceState.UNKNOWN
    return SourceView(
        name=name,
        state=state,
        searches=len(own),
        failures=len(own) - len(answers),
        last_search_at=own[-1][0] if own else None,
        last_answer_at=last_answer,
        last_error=last_error or None,
        rests_until=rests_until,
        found=given.found if given else 0,
        fetched=given.fetched if given else 0,
        kept=given.kept if given else 0,
    )
