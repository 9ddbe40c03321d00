"""What each source of candidates is worth: what it found, what became of it, how soon, and by which form of the query.
Pure.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from found_footy.domain.outcomes import ARCHIVED_OUTCOMES
from found_footy.views.field_readers import read_datetime, read_documents, read_int, read_text

ANSWERED = "answered"
DEFAULT_SOURCE = "x"
# The forms of the query are written for X; the other sources build a request of their own.
_SOURCE_OF_FORMS = "x"
_FIRST_FORM = "scorer"
# A source is suspected if silence as long as this one has less than this chance at its earlier share of goals.
_CHANCE_OF_SILENCE = 0.01
_LEAST_SILENT_GOALS = 8
_SHARE_OF_NEW_SOURCE = 1 / 3


@dataclass(frozen=True)
class FoundCandidate:
    """A candidate and what became of it: `outcome` is empty while it has no verdict, `kept` if a clip of its goal was
    found under its address, `right` if that clip is verified.
    """

    source: str
    form: str
    found_at: datetime | None
    taken: bool
    outcome: str
    kept: bool
    right: bool


@dataclass(frozen=True)
class SearchAttempt:
    """One search of a goal: when, by which form of the query, and what each source answered."""

    searched_at: datetime
    results: Mapping[str, str]
    form: str = ""


@dataclass(frozen=True)
class GoalSearches:
    """What the searches of one goal have brought."""

    first_seen: datetime
    searches: tuple[SearchAttempt, ...] = ()
    candidates: tuple[FoundCandidate, ...] = ()

    @property
    def answering(self) -> frozenset[str]:
        return frozenset(name for one in self.searches for name, told in one.results.items() if told == ANSWERED)

    @property
    def finding(self) -> frozenset[str]:
        return frozenset(one.source for one in self.candidates)


@dataclass(frozen=True)
class FormYield:
    """Searches by one form of the query, and what they found. `scorer` is the first form."""

    form: str
    searches: int
    found: int
    kept: int
    right: int


@dataclass(frozen=True)
class SourceFigures:
    """`right` are candidates under whose address a verified clip was kept; `refused` are counts by outcome. The delay
    is from when a goal was seen until the first candidate of the source was found. `suspicion` is a sentence if the
    source finds nothing any more while others do.
    """

    source: str
    goals: int
    found: int
    fetched: int
    kept: int
    right: int
    refused: Mapping[str, int]
    median_delay_seconds: float | None
    forms: tuple[FormYield, ...] = ()
    suspicion: str = ""


def read_search_record(row: Mapping[str, Any]) -> SearchAttempt | None:
    """None for a row without a time; results that are no text are left out."""
    at, results = read_datetime(row.get("searched_at")), row.get("sources")
    if at is None or not isinstance(results, Mapping):
        return None
    told = {name: text for name, text in results.items() if isinstance(text, str)}
    return SearchAttempt(at, told, read_text(row.get("form")))


def read_goal_searches(event: Mapping[str, Any]) -> GoalSearches | None:
    """The searches of a goal as stored, its attempts as a list; None without the time when it was seen."""
    first_seen = read_datetime(event.get("_first_seen"))
    if first_seen is None:
        return None
    attempts = read_documents(event.get("attempts"))
    by_number: dict[int, Mapping[str, Any]] = {
        number: one for one in attempts if (number := read_int(one.get("attempt"))) is not None
    }
    ordered = sorted(attempts, key=lambda one: read_int(one.get("attempt")) or 0)
    outcomes = {
        clip.get("url"): read_text(clip.get("outcome")) for one in ordered for clip in read_documents(one.get("clips"))
    }
    clips = read_documents(event.get("_s3_videos"))
    kept, right = _collect_links(clips), _collect_links(clip for clip in clips if clip.get("timestamp_verified"))
    candidates = []
    for link in read_documents(event.get("_discovered_videos")):
        url, attempt = link.get("url"), by_number.get(read_int(link.get("attempt")) or 0, {})
        candidates.append(
            FoundCandidate(
                read_text(link.get("source")) or DEFAULT_SOURCE,
                read_text(attempt.get("form")),
                read_datetime(attempt.get("searched_at")),
                bool(link.get("taken")),
                outcomes.get(url) or read_text(link.get("refused")),
                url in kept,
                url in right,
            )
        )
    searches = tuple(record for one in ordered if (record := read_search_record(one)) is not None)
    return GoalSearches(first_seen, searches, tuple(candidates))


def count_sources(goals: Iterable[GoalSearches]) -> tuple[SourceFigures, ...]:
    """The figures of every source that was asked or found something, by name."""
    ordered = sorted(goals, key=lambda goal: goal.first_seen)
    names = sorted({name for goal in ordered for name in (*goal.finding, *goal.answering)})
    return tuple(_count_source(name, ordered) for name in names)


def describe_silence(source: str, goals: Sequence[GoalSearches]) -> str:
    """A sentence if the source has found nothing for the last goals although it answered and others found something,
    and that is not likely by its earlier share; else empty. `goals` are ordered by time.
    """
    compared = [source in goal.finding for goal in goals if source in goal.answering and goal.finding - {source}]
    silent = len(compared) - max((place + 1 for place, found in enumerate(compared) if found), default=0)
    earlier = compared[: len(compared) - silent]
    share = sum(earlier) / len(earlier) if earlier else _SHARE_OF_NEW_SOURCE
    if silent < _LEAST_SILENT_GOALS or (1 - share) ** silent >= _CHANCE_OF_SILENCE:
        return ""
    before = f"; before, on {share:.0%} of {len(earlier)}" if earlier else ""
    return f"found nothing for the last {silent} goals for which others found clips, though it answered{before}"


def _count_source(name: str, goals: Sequence[GoalSearches]) -> SourceFigures:
    own = [one for goal in goals for one in goal.candidates if one.source == name]
    delays = [delay for goal in goals if (delay := _measure_delay(name, goal)) is not None]
    refused = Counter(
        one.outcome for one in own if one.outcome and one.outcome not in ARCHIVED_OUTCOMES and not one.kept
    )
    return SourceFigures(
        source=name,
        goals=sum(name in goal.finding for goal in goals),
        found=len(own),
        fetched=sum(one.taken for one in own),
        kept=sum(one.kept for one in own),
        right=sum(one.right for one in own),
        refused=dict(refused.most_common()),
        median_delay_seconds=median(delays) if delays else None,
        forms=_count_forms(goals) if name == _SOURCE_OF_FORMS else (),
        suspicion=describe_silence(name, goals),
    )


def _count_forms(goals: Sequence[GoalSearches]) -> tuple[FormYield, ...]:
    searches = Counter(
        one.form for goal in goals for one in goal.searches if one.results.get(_SOURCE_OF_FORMS) == ANSWERED
    )
    own = [one for goal in goals for one in goal.candidates if one.source == _SOURCE_OF_FORMS]
    forms = {form for form in (*searches, *(one.form for one in own)) if form}
    return tuple(
        FormYield(
            form,
            searches[form],
            sum(one.form == form for one in own),
            sum(one.form == form and one.kept for one in own),
            sum(one.form == form and one.right for one in own),
        )
        for form in sorted(forms, key=lambda form: (form != _FIRST_FORM, form))
    )


def _measure_delay(source: str, goal: GoalSearches) -> float | None:
    """Seconds until the first candidate of the source, None if it found none."""
    found = [one.found_at for one in goal.candidates if one.source == source and one.found_at is not None]
    return max((min(found) - goal.first_seen).total_seconds(), 0.0) if found else None


def _collect_links(clips: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    return frozenset(link for clip in clips for link in clip.get("_sources") or () if isinstance(link, str))
