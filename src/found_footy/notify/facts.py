"""What a message says of a goal: the facts of the stored goal, and the text for people. Pure."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, cast

from found_footy.domain.documents import FixtureDocument, GoalDocument, NamedDocument
from found_footy.domain.goals import read_scores
from found_footy.domain.ids import minute_text
from found_footy.notify.moments import Moment, clip_height, find_best_clip

_UNKNOWN = "Unknown"
_OWN_GOAL, _PENALTY = "Own Goal", "Penalty"


@dataclass(frozen=True)
class NotifiedGoal:
    """A goal as it stands. Stored with the message, so that it can be sent when the fixture is gone."""

    fixture_id: int
    event_id: str
    league_id: int | None
    league: str
    home: str
    away: str
    home_id: int | None
    away_id: int | None
    home_goals: int | None
    away_goals: int | None
    team_id: int
    team: str
    player_id: int | None
    player: str
    assist: str
    minute: str
    detail: str
    disallowed: bool
    clips: int
    clip_id: str | None
    clip_height: int
    clip_verified: bool


@dataclass(frozen=True)
class MessageText:
    title: str
    body: str
    link: str | None
    role: str = ""
    """Id of a Discord role that is mentioned; other channels do not know it."""

    @property
    def whole(self) -> str:
        return "\n".join(part for part in (self.title, self.body, self.link) if part)


def find_goal(fixture: FixtureDocument, event_id: str) -> tuple[GoalDocument, bool]:
    """Return a goal of the fixture, and whether it was removed. Raises LookupError if there is none."""
    for event in fixture.get("events") or ():
        if event["_event_id"] == event_id:
            return event, bool(event.get("_removed"))
    for event in fixture.get("removed_events") or ():
        if event["_event_id"] == event_id:
            return event, True
    raise LookupError(f"the fixture has no goal {event_id}")


def build_facts(fixture: FixtureDocument, event_id: str) -> NotifiedGoal:
    event, removed = find_goal(fixture, event_id)
    scores, best, league = read_scores(event), find_best_clip(event), fixture.get("league")
    after = scores[1] if scores else None
    return NotifiedGoal(
        fixture_id=fixture["_id"],
        event_id=event_id,
        league_id=league["id"] if league else None,
        league=(league.get("name") if league else None) or "",
        home=_team_field(fixture, "home", "name") or _UNKNOWN,
        away=_team_field(fixture, "away", "name") or _UNKNOWN,
        home_id=_team_field(fixture, "home", "id"),
        away_id=_team_field(fixture, "away", "id"),
        home_goals=after.home if after else None,
        away_goals=after.away if after else None,
        team_id=event["team"]["id"],
        team=event["team"]["name"],
        player_id=_named(event.get("player"), "id"),
        player=_named(event.get("player"), "name") or _UNKNOWN,
        assist=_named(event.get("assist"), "name") or "",
        minute=f"{minute_text(event['time']['elapsed'], event['time'].get('extra'))}'",
        detail=event.get("detail") or "",
        disallowed=removed,
        clips=len(event.get("_s3_videos") or ()),
        clip_id=best["clip_id"] if best else None,
        clip_height=clip_height(best) if best else 0,
        clip_verified=bool(best.get("timestamp_verified")) if best else False,
    )


def _team_field(fixture: FixtureDocument, side: Literal["home", "away"], field: Literal["id", "name"]) -> Any:
    teams = fixture.get("teams")
    team = teams.get(side) if teams else None
    return team.get(field) if team else None


def _named(document: NamedDocument | None, field: Literal["id", "name"]) -> Any:
    return document.get(field) if document else None


def facts_to_document(facts: NotifiedGoal) -> dict[str, Any]:
    return asdict(facts)


def facts_from_document(document: Mapping[str, Any]) -> NotifiedGoal:
    return NotifiedGoal(**cast(dict[str, Any], document))


def moment_of_id(moment_id: str, goal_id: str) -> Moment:
    """Return the moment that an id of `derive_moments` names."""
    return Moment(moment_id.removeprefix(f"{goal_id}:").partition(":")[0])


def build_text(facts: NotifiedGoal, moments: Collection[Moment], page_url: str | None) -> MessageText:
    """Write the whole state of the goal: an edited message replaces the one before, and a later one may be the first
    that arrives.
    """
    score = "" if facts.home_goals is None else f" {facts.home_goals}–{facts.away_goals} "
    match = f"{facts.home}{score or ' v '}{facts.away}"
    title = f"Disallowed: {match}" if facts.disallowed else f"Goal: {match}"
    lines = [f"{facts.minute} {_describe_scorer(facts)} ({facts.team})", facts.league, *_describe_news(facts, moments)]
    link = f"{page_url.rstrip('/')}/goals/{facts.event_id}" if page_url else None
    return MessageText(title, "\n".join(line for line in lines if line), link)


def _describe_scorer(facts: NotifiedGoal) -> str:
    if facts.detail == _OWN_GOAL:
        return f"{facts.player}, own goal"
    kind = ", penalty" if facts.detail == _PENALTY else ""
    return facts.player + kind + (f", assisted by {facts.assist}" if facts.assist else "")


def _describe_news(facts: NotifiedGoal, moments: Collection[Moment]) -> Iterable[str]:
    if facts.disallowed:
        return ["The goal was taken back."]
    moved = [f"The goal is now given to {facts.player}."] if Moment.REATTRIBUTED in moments else []
    if not facts.clips:
        return [*moved, "Looking for clips."]
    count = "1 clip" if facts.clips == 1 else f"{facts.clips} clips"
    size = f", best {facts.clip_height}p" if facts.clip_height else ""
    return [*moved, f"{count}{size}{', verified' if facts.clip_verified else ''}."]
