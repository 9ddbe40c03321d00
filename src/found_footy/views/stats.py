"""Figures over all stored fixtures: goals that have a clip, how soon the first came, what each source gave. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from found_footy.domain.outcomes import GoalStatus
from found_footy.views.field_readers import read_datetime, read_documents
from found_footy.views.fixture_views import FixtureView, GoalView, StoredFixture, build_fixture_view

# Upper bounds of the histogram of the time to the first clip; the last bin is open.
_DELAY_BOUNDS = tuple(timedelta(minutes=minutes) for minutes in (1, 2, 3, 5, 10, 15, 30, 60))


@dataclass(frozen=True)
class CaptureCount:
    """Goals by what became of them. `rate` is the share that has a clip, of those with a clip and those whose search
    ended without one; None before the first such goal. Goals that are still searched for are not in it.
    """

    goals: int
    watchable: int
    searching: int
    empty: int
    rate: float | None


@dataclass(frozen=True)
class LeagueCapture:
    league_id: int
    name: str
    country: str
    matches: int
    capture: CaptureCount


@dataclass(frozen=True)
class DelayBin:
    """Goals whose first clip came after less than `below_seconds`, and not in an earlier bin; None: later than all."""

    below_seconds: int | None
    goals: int


@dataclass(frozen=True)
class SourceYield:
    """Candidates that a source offered, those that were fetched, and those that a kept clip was found under."""

    source: str
    found: int
    fetched: int
    kept: int


@dataclass(frozen=True)
class StatsView:
    """`clip_bytes` is the size of all kept clips as recorded, without thumbnails, previews and fingerprints."""

    matches: int
    clips: int
    clip_bytes: int
    capture: CaptureCount
    leagues: tuple[LeagueCapture, ...]
    delays: tuple[DelayBin, ...]
    median_delay_seconds: float | None
    sources: tuple[SourceYield, ...]


def build_stats(fixtures: Iterable[StoredFixture], sources: Sequence[SourceYield]) -> StatsView:
    """`fixtures` are the current copies of all fixtures."""
    stored = list(fixtures)
    views = [build_fixture_view(one, attempts_wanted=0) for one in stored]
    clips = [clip for view in views for goal in view.goals for clip in goal.clips]
    delays = [delay for one, view in zip(stored, views, strict=True) for delay in measure_delays(one, view)]
    return StatsView(
        matches=len(views),
        clips=len(clips),
        clip_bytes=sum(clip.file_size or 0 for clip in clips),
        capture=count_capture(goal for view in views for goal in view.goals),
        leagues=_count_by_league(views),
        delays=sort_into_bins(delays),
        median_delay_seconds=median(delay.total_seconds() for delay in delays) if delays else None,
        sources=tuple(sorted(sources, key=lambda one: (-one.kept, -one.found, one.source))),
    )


def count_capture(goals: Iterable[GoalView]) -> CaptureCount:
    """Removed goals are not counted."""
    statuses = [goal.status for goal in goals if goal.status is not GoalStatus.REMOVED]
    watchable, empty = statuses.count(GoalStatus.WATCHABLE), statuses.count(GoalStatus.EMPTY)
    return CaptureCount(
        goals=len(statuses),
        watchable=watchable,
        searching=len(statuses) - watchable - empty,
        empty=empty,
        rate=watchable / (watchable + empty) if watchable + empty else None,
    )


def _count_by_league(views: Iterable[FixtureView]) -> tuple[LeagueCapture, ...]:
    by_league: dict[int, list[FixtureView]] = {}
    for view in views:
        by_league.setdefault(view.league.id, []).append(view)
    counted = [
        LeagueCapture(
            league_id=league_id,
            name=matches[0].league.name,
            country=matches[0].league.country,
            matches=len(matches),
            capture=count_capture(goal for match in matches for goal in match.goals),
        )
        for league_id, matches in by_league.items()
    ]
    return tuple(sorted(counted, key=lambda one: (-one.capture.goals, one.country, one.name, one.league_id)))


def measure_delays(stored: StoredFixture, view: FixtureView) -> list[timedelta]:
    """From each goal until its first clip. A goal that was first seen late counts from about when it was scored."""
    events = read_documents(stored.document.get("events"))
    scored_at: Mapping[object, datetime | None] = {
        event.get("_event_id"): read_datetime(event.get("_fell_at")) or read_datetime(event.get("_first_seen"))
        for event in events
    }
    delays = []
    for goal in view.goals:
        added = [clip.added_at for clip in goal.clips if clip.added_at]
        since = scored_at.get(goal.event_id)
        if added and since:
            delays.append(max(min(added) - since, timedelta(0)))
    return delays


def sort_into_bins(delays: Iterable[timedelta]) -> tuple[DelayBin, ...]:
    counts = dict.fromkeys((*_DELAY_BOUNDS, None), 0)
    for delay in delays:
        counts[next((bound for bound in _DELAY_BOUNDS if delay < bound), None)] += 1
    return tuple(DelayBin(int(bound.total_seconds()) if bound else None, number) for bound, number in counts.items())
