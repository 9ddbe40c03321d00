"""View models built from stored fixture documents. Pure: the page, its fragments and the API all render these."""

import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from found_footy.domain.collections import (
    CALLED_OFF_STATUSES,
    PLAYED_STATUSES,
    POSTPONED_STATUSES,
    UPCOMING_STATUSES,
    FixtureCollection,
    select_current_copy,
)
from found_footy.domain.goals import MOVED_TO_FIELD, is_counted_goal, select_removed_goals
from found_footy.domain.ids import fold_to_ascii, is_search_attempt
from found_footy.domain.outcomes import GoalStatus, goal_status
from found_footy.views import phrases
from found_footy.views.clip_views import ClipView, build_clip_views
from found_footy.views.field_readers import (
    Document,
    get_nested,
    read_datetime,
    read_documents,
    read_int,
    read_strings,
    read_text,
)

_HUE_COUNT = 12
_UNKNOWN_KICKOFF = datetime(1970, 1, 1, tzinfo=UTC)


class FixturePhase(StrEnum):
    LIVE = "live"
    UPCOMING = "upcoming"
    FINISHED = "finished"
    OFF = "off"


@dataclass(frozen=True)
class StoredFixture:
    """A fixture document and the collection it was read from."""

    collection: FixtureCollection
    document: Document

    @property
    def copy_position(self) -> tuple[FixtureCollection, datetime | None]:
        return self.collection, read_datetime(self.document.get("_returned_at"))


@dataclass(frozen=True)
class ScoreView:
    home: int
    away: int


@dataclass(frozen=True)
class TeamView:
    id: int
    name: str
    code: str
    hue: int


@dataclass(frozen=True)
class LeagueView:
    id: int
    name: str
    country: str
    round: str


_MAX_SUSPICIONS = 3


@dataclass(frozen=True)
class GoalView:
    event_id: str
    status: GoalStatus
    note: str
    minute: str
    elapsed: int | None
    extra: int | None
    player: str
    assist: str
    team: TeamView
    side: str
    detail: str
    score_after: ScoreView | None
    attempts: int
    attempts_wanted: int
    completion_reason: str | None
    moved_from: str | None
    first_seen: datetime | None
    removed_at: datetime | None
    clips: tuple[ClipView, ...]
    doubtful: bool = False
    player_id: int | None = None
    assist_id: int | None = None
    first_id: str = ""
    suspicions: tuple[str, ...] = ()


@dataclass(frozen=True)
class FixtureView:
    fixture_id: int
    phase: FixturePhase
    status: str
    state: str
    kickoff: datetime
    league: LeagueView
    home: TeamView
    away: TeamView
    score: ScoreView | None
    penalties: ScoreView | None
    venue: str
    goals: tuple[GoalView, ...]

    @property
    def clip_count(self) -> int:
        return sum(len(goal.clips) for goal in self.goals)


def pick_current_copies(found: Iterable[StoredFixture]) -> list[StoredFixture]:
    """Return one document per fixture. An unfinished move between collections leaves two, of which one is current."""
    copies: dict[Any, list[StoredFixture]] = {}
    for stored in found:
        copies.setdefault(stored.document["_id"], []).append(stored)
    return [select_current_copy(each, lambda stored: stored.copy_position) for each in copies.values()]


def determine_phase(status: str, collection: FixtureCollection) -> FixturePhase:
    """An unknown status counts as live while the fixture is in the active collection."""
    if status in PLAYED_STATUSES:
        return FixturePhase.FINISHED
    if status in CALLED_OFF_STATUSES | POSTPONED_STATUSES:
        return FixturePhase.OFF
    if status in UPCOMING_STATUSES or collection is FixtureCollection.STAGING:
        return FixturePhase.UPCOMING
    return FixturePhase.FINISHED if collection is FixtureCollection.COMPLETED else FixturePhase.LIVE


def build_fixture_view(stored: StoredFixture, *, attempts_wanted: int) -> FixtureView:
    document = stored.document
    status = read_text(get_nested(document, "fixture", "status", "short"))
    elapsed = read_int(get_nested(document, "fixture", "status", "elapsed"))
    extra = read_int(get_nested(document, "fixture", "status", "extra"))
    phase = determine_phase(status, stored.collection)
    home, away = _build_team_views(document)
    return FixtureView(
        fixture_id=document["_id"],
        phase=phase,
        status=status,
        state=phrases.describe_fixture_state(status, elapsed, extra),
        kickoff=read_kickoff(document),
        league=_build_league_view(get_nested(document, "league")),
        home=home,
        away=away,
        score=None if phase is FixturePhase.UPCOMING else _build_score_view(get_nested(document, "goals")),
        penalties=_build_score_view(get_nested(document, "score", "penalty")),
        venue=read_text(get_nested(document, "fixture", "venue", "name")),
        goals=_build_goal_views(document, home, away, attempts_wanted),
    )


def read_kickoff(document: Document) -> datetime:
    """Return the kickoff; for a fixture without a date, the time at which it was first stored."""
    known = (read_datetime(document.get(name)) for name in ("kickoff", "activated_at", "ingested_at"))
    return next((moment for moment in known if moment), _UNKNOWN_KICKOFF)


def build_team_view(team: Any) -> TeamView:
    name = read_text(get_nested(team, "name"), "Unknown team")
    return TeamView(
        id=read_int(get_nested(team, "id")) or 0,
        name=name,
        code=_abbreviate_team(name),
        hue=zlib.crc32(name.encode()) % _HUE_COUNT,
    )


def _build_team_views(document: Document) -> tuple[TeamView, TeamView]:
    """Return home and away; never with the same hue."""
    home, away = (build_team_view(get_nested(document, "teams", side)) for side in ("home", "away"))
    return home, replace(away, hue=(away.hue + _HUE_COUNT // 2) % _HUE_COUNT) if home.hue == away.hue else away


def _abbreviate_team(name: str) -> str:
    """Abbreviate a team's name to at most three letters: initials of several words, else the first letters."""
    words = [word for word in re.split(r"[^A-Za-z0-9]+", fold_to_ascii(name)) if word]
    long = [word for word in words if len(word) > 2] or words
    letters = "".join(word[0] for word in long[:3]) if len(long) > 1 else "".join(long)[:3]
    return letters.upper() or "?"


def _build_league_view(league: Any) -> LeagueView:
    return LeagueView(
        id=read_int(get_nested(league, "id")) or 0,
        name=read_text(get_nested(league, "name"), "Other matches"),
        country=read_text(get_nested(league, "country")),
        round=read_text(get_nested(league, "round")),
    )


def _build_score_view(score: Any) -> ScoreView | None:
    home, away = read_int(get_nested(score, "home")), read_int(get_nested(score, "away"))
    return None if home is None or away is None else ScoreView(home, away)


def _build_goal_views(document: Document, home: TeamView, away: TeamView, attempts_wanted: int) -> tuple[GoalView, ...]:
    live = [
        event for event in read_documents(document.get("events")) if event.get("_event_id") and is_counted_goal(event)
    ]
    tombstones = [
        event
        for event in read_documents(document.get("removed_events"))
        if event.get("_event_id") and is_counted_goal(event)
    ]
    removed = select_removed_goals(live, tombstones)
    views = [build_goal_view(event, home, away, attempts_wanted=attempts_wanted) for event in live]
    views += [
        build_goal_view({**event, "_removed": True}, home, away, attempts_wanted=attempts_wanted) for event in removed
    ]
    origins = {one.get(MOVED_TO_FIELD): one.get("_event_id") for one in read_documents(document.get("removed_events"))}
    named = [replace(view, first_id=_find_first_id(view, origins)) for view in views]
    return tuple(sorted(named, key=_goal_sort_key))


def _find_first_id(goal: GoalView, origins: Mapping[Any, Any]) -> str:
    """The id under which the goal was first stored, before any re-attribution."""
    first = goal.event_id
    for _ in range(len(origins) + 1):
        earlier = origins.get(first) or (goal.moved_from if first == goal.event_id else None)
        if not isinstance(earlier, str):
            break
        first = earlier
    return first


def _goal_sort_key(goal: GoalView) -> tuple[int, int, int, str]:
    scored = goal.score_after.home + goal.score_after.away if goal.score_after else 0
    return (goal.elapsed or 0, goal.extra or 0, scored, goal.event_id)


def build_goal_view(event: Mapping[str, Any], home: TeamView, away: TeamView, *, attempts_wanted: int) -> GoalView:
    removed = bool(event.get("_removed"))
    clips = () if removed else build_clip_views(event)
    open_links = read_strings(event.get("_open_links"))
    status = goal_status(
        removed=removed,
        monitor_complete=bool(event.get("_monitor_complete")),
        download_complete=bool(event.get("_download_complete")),
        clips=clips,
        open_links=open_links,
    )
    attempts = sum(map(is_search_attempt, read_strings(event.get("_download_workflows"))))
    reason = read_text(event.get("_completion_reason")) or None
    elapsed, extra = read_int(get_nested(event, "time", "elapsed")), read_int(get_nested(event, "time", "extra"))
    team = _find_scoring_team(event, home, away)
    return GoalView(
        event_id=read_text(event.get("_event_id")),
        status=status,
        note=phrases.describe_progress(
            status,
            polls_seen=len(read_strings(event.get("_monitor_workflows"))),
            attempts=attempts,
            attempts_wanted=attempts_wanted,
            is_searching=not event.get("_download_complete"),
            reason=reason,
            search_state=read_text(get_nested(event, "_search_state", "state")),
            unchecked=len(open_links),
            retry_at=read_datetime(event.get("_retry_at")),
        ),
        minute=phrases.format_minute(elapsed, extra),
        elapsed=elapsed,
        extra=extra,
        player=read_text(get_nested(event, "player", "name"), "Scorer not named yet"),
        assist=read_text(get_nested(event, "assist", "name")),
        team=team,
        side="home" if team == home else "away" if team == away else "",
        detail=_goal_detail(event),
        score_after=_build_score_view(event.get("_score_after")),
        attempts=attempts,
        attempts_wanted=attempts_wanted,
        completion_reason=reason,
        moved_from=read_text(event.get("_matched_from")) or None,
        first_seen=read_datetime(event.get("_first_seen")),
        removed_at=read_datetime(event.get("_removed_at")),
        clips=clips,
        doubtful=not removed and read_datetime(event.get("_doubtful_since")) is not None,
        player_id=read_int(get_nested(event, "player", "id")) or None,
        assist_id=read_int(get_nested(event, "assist", "id")) or None,
        suspicions=() if removed else tuple(read_strings(event.get("_suspicions"))[:_MAX_SUSPICIONS]),
    )


def _find_scoring_team(event: Mapping[str, Any], home: TeamView, away: TeamView) -> TeamView:
    team = read_int(get_nested(event, "team", "id"))
    return next(
        (side for side in (home, away) if team is not None and side.id == team), build_team_view(event.get("team"))
    )


def _goal_detail(event: Mapping[str, Any]) -> str:
    detail = read_text(event.get("detail"))
    return "" if detail == "Normal Goal" else detail
