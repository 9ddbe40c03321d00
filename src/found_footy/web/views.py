"""Stored documents as people and programs see them. Pure: the page, the fragments and the API all speak from here."""

import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from found_footy.model.fixture import CALLED_OFF, PLAYED, POSTPONED, UPCOMING, Room, counting
from found_footy.model.ids import fold, is_attempt
from found_footy.model.outcome import GoalStatus, TimestampStatus, goal_status
from found_footy.web import phrases
from found_footy.web.documents import Document, at, decimal, names, number, rows, text, when

_HUES = 12
_NO_RANK = 1_000_000
_UNKNOWN_KICKOFF = datetime(1970, 1, 1, tzinfo=UTC)


class Phase(StrEnum):
    LIVE = "live"
    UPCOMING = "upcoming"
    FINISHED = "finished"
    OFF = "off"


@dataclass(frozen=True)
class Stored:
    """A fixture document and the room it was read from."""

    room: Room
    document: Document

    @property
    def place(self) -> tuple[Room, datetime | None]:
        return self.room, when(self.document.get("_returned_at"))


@dataclass(frozen=True)
class Score:
    home: int
    away: int


@dataclass(frozen=True)
class Team:
    id: int
    name: str
    code: str
    hue: int


@dataclass(frozen=True)
class League:
    id: int
    name: str
    country: str
    round: str


@dataclass(frozen=True)
class Clip:
    clip_id: str
    rank: int
    url: str
    media_url: str
    poster_url: str | None
    verified: bool
    timestamp_status: str
    extracted_minute: int | None
    found_by: int
    width: int | None
    height: int | None
    resolution: str
    duration: float | None
    length: str
    file_size: int | None
    source_url: str | None
    added_at: datetime | None
    preview_url: str | None = None


@dataclass(frozen=True)
class Goal:
    event_id: str
    status: GoalStatus
    note: str
    minute: str
    elapsed: int | None
    extra: int | None
    player: str
    assist: str
    team: Team
    side: str
    detail: str
    score_after: Score | None
    attempts: int
    attempts_wanted: int
    completion_reason: str | None
    moved_from: str | None
    first_seen: datetime | None
    removed_at: datetime | None
    clips: tuple[Clip, ...]
    doubtful: bool = False


@dataclass(frozen=True)
class Match:
    fixture_id: int
    phase: Phase
    status: str
    state: str
    kickoff: datetime
    league: League
    home: Team
    away: Team
    score: Score | None
    penalties: Score | None
    venue: str
    goals: tuple[Goal, ...]

    @property
    def clips(self) -> int:
        return sum(len(goal.clips) for goal in self.goals)


def settle(found: Iterable[Stored]) -> list[Stored]:
    """One document per fixture. An unfinished move leaves two, of which one counts."""
    copies: dict[Any, list[Stored]] = {}
    for stored in found:
        copies.setdefault(stored.document["_id"], []).append(stored)
    return [counting(each, lambda stored: stored.place) for each in copies.values()]


def phase_of(status: str, room: Room) -> Phase:
    """A word nobody knows counts as live while the fixture is watched, as everywhere else."""
    if status in PLAYED:
        return Phase.FINISHED
    if status in CALLED_OFF | POSTPONED:
        return Phase.OFF
    if status in UPCOMING or room is Room.STAGING:
        return Phase.UPCOMING
    return Phase.FINISHED if room is Room.COMPLETED else Phase.LIVE


def match_view(stored: Stored, *, attempts_wanted: int) -> Match:
    document = stored.document
    status = text(at(document, "fixture", "status", "short"))
    elapsed = number(at(document, "fixture", "status", "elapsed"))
    extra = number(at(document, "fixture", "status", "extra"))
    phase = phase_of(status, stored.room)
    home, away = _sides(document)
    return Match(
        fixture_id=document["_id"],
        phase=phase,
        status=status,
        state=phrases.match_state(status, elapsed, extra),
        kickoff=kickoff_of(document),
        league=_league(at(document, "league")),
        home=home,
        away=away,
        score=None if phase is Phase.UPCOMING else _score(at(document, "goals")),
        penalties=_score(at(document, "score", "penalty")),
        venue=text(at(document, "fixture", "venue", "name")),
        goals=_goals(document, home, away, attempts_wanted),
    )


def kickoff_of(document: Document) -> datetime:
    """When the match began or will; for one without a date, when it was first heard of."""
    known = (when(document.get(name)) for name in ("kickoff", "activated_at", "ingested_at"))
    return next((moment for moment in known if moment), _UNKNOWN_KICKOFF)


def team_view(team: Any) -> Team:
    name = text(at(team, "name"), "Unknown team")
    return Team(
        id=number(at(team, "id")) or 0,
        name=name,
        code=_code(name),
        hue=zlib.crc32(name.encode()) % _HUES,
    )


def _sides(document: Document) -> tuple[Team, Team]:
    """Home and away, never in the same colour."""
    home, away = (team_view(at(document, "teams", side)) for side in ("home", "away"))
    return home, replace(away, hue=(away.hue + _HUES // 2) % _HUES) if home.hue == away.hue else away


def _code(name: str) -> str:
    """Up to three letters that stand for a team: initials of several words, else the first letters."""
    words = [word for word in re.split(r"[^A-Za-z0-9]+", fold(name)) if word]
    long = [word for word in words if len(word) > 2] or words
    letters = "".join(word[0] for word in long[:3]) if len(long) > 1 else "".join(long)[:3]
    return letters.upper() or "?"


def _league(league: Any) -> League:
    return League(
        id=number(at(league, "id")) or 0,
        name=text(at(league, "name"), "Other matches"),
        country=text(at(league, "country")),
        round=text(at(league, "round")),
    )


def _score(score: Any) -> Score | None:
    home, away = number(at(score, "home")), number(at(score, "away"))
    return None if home is None or away is None else Score(home, away)


def _goals(document: Document, home: Team, away: Team, wanted: int) -> tuple[Goal, ...]:
    live = [event for event in rows(document.get("events")) if event.get("_event_id") and _is_counted(event)]
    moved = {event.get("_matched_from") for event in live}
    ids = {event["_event_id"] for event in live}
    # A goal given to another player leaves a tombstone too, but nothing was struck out: the goal stands elsewhere.
    struck = [
        event
        for event in rows(document.get("removed_events"))
        if event.get("_event_id")
        and event["_event_id"] not in moved | ids
        and not event.get("_moved_to")
        and _is_counted(event)
    ]
    views = [goal_view(event, home, away, wanted=wanted) for event in live]
    views += [goal_view({**event, "_removed": True}, home, away, wanted=wanted) for event in struck]
    return tuple(sorted(views, key=_moment))


def _is_counted(event: Mapping[str, Any]) -> bool:
    """A row of the feed that the score had no place for, for long, is no goal."""
    return event.get("_ghost_at") is None


def _moment(goal: Goal) -> tuple[int, int, int, str]:
    scored = goal.score_after.home + goal.score_after.away if goal.score_after else 0
    return (goal.elapsed or 0, goal.extra or 0, scored, goal.event_id)


def goal_view(event: Mapping[str, Any], home: Team, away: Team, *, wanted: int) -> Goal:
    removed = bool(event.get("_removed"))
    clips = () if removed else clip_views(event)
    open_links = names(event.get("_open_links"))
    status = goal_status(
        removed=removed,
        monitor_complete=bool(event.get("_monitor_complete")),
        download_complete=bool(event.get("_download_complete")),
        clips=clips,
        open_links=open_links,
    )
    attempts = sum(map(is_attempt, names(event.get("_download_workflows"))))
    reason = text(event.get("_completion_reason")) or None
    elapsed, extra = number(at(event, "time", "elapsed")), number(at(event, "time", "extra"))
    team = _scoring_team(event, home, away)
    return Goal(
        event_id=text(event.get("_event_id")),
        status=status,
        note=phrases.progress(
            status,
            sightings=len(names(event.get("_monitor_workflows"))),
            attempts=attempts,
            wanted=wanted,
            searching=not event.get("_download_complete"),
            reason=reason,
            state=text(at(event, "_search_state", "state")),
            unseen=len(open_links),
            retry_at=when(event.get("_retry_at")),
        ),
        minute=phrases.minute(elapsed, extra),
        elapsed=elapsed,
        extra=extra,
        player=text(at(event, "player", "name"), "Scorer not named yet"),
        assist=text(at(event, "assist", "name")),
        team=team,
        side="home" if team == home else "away" if team == away else "",
        detail=_detail(event),
        score_after=_score(event.get("_score_after")),
        attempts=attempts,
        attempts_wanted=wanted,
        completion_reason=reason,
        moved_from=text(event.get("_matched_from")) or None,
        first_seen=when(event.get("_first_seen")),
        removed_at=when(event.get("_removed_at")),
        clips=clips,
        doubtful=not removed and when(event.get("_doubtful_since")) is not None,
    )


def _scoring_team(event: Mapping[str, Any], home: Team, away: Team) -> Team:
    team = number(at(event, "team", "id"))
    return next((side for side in (home, away) if team is not None and side.id == team), team_view(event.get("team")))


def _detail(event: Mapping[str, Any]) -> str:
    detail = text(event.get("detail"))
    return "" if detail == "Normal Goal" else detail


def clip_views(event: Mapping[str, Any]) -> tuple[Clip, ...]:
    """The clips of a goal, best first; one without an object to play is not a clip yet."""
    stored = [clip for clip in rows(event.get("_s3_videos")) if text(clip.get("_s3_key"), limit=300)]
    stored.sort(key=lambda clip: (number(clip.get("rank")) or _NO_RANK, text(clip.get("md5"))))
    return tuple(_clip(clip, place) for place, clip in enumerate(stored, start=1))


def _clip(clip: Document, place: int) -> Clip:
    width, height = number(clip.get("width")), number(clip.get("height"))
    duration = decimal(clip.get("duration"))
    thumbnail = text(clip.get("thumbnail_key"), limit=300)
    clip_id = text(clip.get("clip_id")) or text(clip.get("md5"))
    return Clip(
        clip_id=clip_id,
        rank=place,
        url=f"/clips/{clip_id}.mp4",
        media_url=f"/media/{clip['_s3_key']}",
        poster_url=f"/media/{thumbnail}" if thumbnail else None,
        verified=bool(clip.get("timestamp_verified")),
        timestamp_status=text(clip.get("timestamp_status"), TimestampStatus.UNVERIFIED),
        extracted_minute=number(clip.get("extracted_minute")),
        found_by=number(clip.get("popularity")) or max(1, len(names(clip.get("_sources")))),
        width=width,
        height=height,
        resolution=phrases.resolution(width, height),
        duration=duration,
        length=phrases.length(duration),
        file_size=number(clip.get("file_size")),
        source_url=_https_only(clip.get("source_url")),
        added_at=when(clip.get("added_at")),
        preview_url=f"/media/{preview}" if (preview := text(clip.get("preview_key"), limit=300)) else None,
    )


def _https_only(url: Any) -> str | None:
    """A link people may click. Anything but https is dropped: the text comes from outside, `javascript:` included."""
    link = text(url, limit=500)
    return link if link.startswith("https://") else None
