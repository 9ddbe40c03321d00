"""API-Football v3, simulated: `/fixtures`, `/fixtures/events`, `/status` and `/timezone`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from found_footy.sim.clock import Clock, WallClock
from found_footy.sim.feed.fixture import course_of, feed_at, in_zone
from found_footy.sim.feed.timeline import IN_PLAY, Moment
from found_footy.sim.script.model import Fault, Match, Scenario
from found_footy.sim.wire.envelope import answer, broken, envelope, error
from found_footy.sim.wire.parameters import refuse, zone
from found_footy.sim.wire.plan import PLANS, Plan
from found_footy.sim.wire.quota import Quota

Json = dict[str, Any]

# The edge in front of the API refuses requests with headers that it does not know.
_HEADERS = frozenset(
    {
        "accept", "accept-encoding", "accept-language", "connection", "content-length", "host", "user-agent",
        "x-apisports-key", "x-rapidapi-key", "x-rapidapi-host",
    }
)  # fmt: skip
_TO_COME, _PLAYED = ("TBD", "NS"), ("FT", "AET", "PEN")
_EMBEDS: Json = {"lineups": [], "statistics": [], "players": []}


@dataclass
class FootballApi:
    """State of the API: its quota and how many listings it has given. The clock knows the polls."""

    scenario: Scenario
    clock: Clock
    key: str
    now: WallClock
    plan: Plan = PLANS["pro"]
    quota: Quota = field(init=False)
    listings: int = 0

    def __post_init__(self) -> None:
        self.quota = Quota(self.plan.limits or self.scenario.limits)

    def routes(self) -> list[BaseRoute]:
        """At the root as the provider has it, and below `/v3` as its mirror at RapidAPI has it."""
        paths = [
            Route("/fixtures", self.fixtures),
            Route("/fixtures/events", self.events),
            Route("/status", self.status),
            Route("/timezone", self.timezones),
        ]
        return [*paths, Mount("/v3", routes=list(paths))]

    async def fixtures(self, request: Request) -> Response:
        parameters = dict(request.query_params)
        if refused := self._admit(request, "fixtures", parameters):
            return refused
        if errors := refuse(parameters) or self.plan.refuse(parameters, self.now()):
            return answer(envelope("fixtures", parameters, [], errors), self.quota.headers())
        if parameters.keys() & {"id", "ids", "live"}:
            items, faults = self._polled(parameters)
        else:
            items, faults = self._listed(parameters)
        name = parameters.get("timezone", "UTC")
        told = [in_zone(item, zone(name) or ZoneInfo("UTC"), name) for item in items]
        return await broken(faults, envelope("fixtures", parameters, told), self.quota.headers())

    async def events(self, request: Request) -> Response:
        parameters = dict(request.query_params)
        if refused := self._admit(request, "fixtures/events", parameters):
            return refused
        fixture = parameters.get("fixture", "")
        if not fixture.isdigit():
            errors = {"fixture": "The Fixture field is required."}
            return answer(envelope("fixtures/events", parameters, [], errors), self.quota.headers())
        match = self.scenario.match(int(fixture))
        item = self._feed(match, self.clock.moment(match)) if match else None
        rows = [row for row in (item or {}).get("events", []) if _wanted(row, parameters)]
        return answer(envelope("fixtures/events", parameters, rows), self.quota.headers())

    async def status(self, request: Request) -> Response:
        """The account. Costs nothing, and says nothing about limits in its headers."""
        if not self._key_fits(request):
            return answer(envelope("status", {}, [], error("token")), {})
        account = {"firstname": "Simulated", "lastname": "Account", "email": "simulated@example.org"}
        plan = {"plan": self.plan.name, "end": "2027-06-30T23:59:59+00:00", "active": True}
        requests = {"current": self.quota.used_today, "limit_day": self.quota.limits.per_day}
        return answer(envelope("status", {}, {"account": account, "subscription": plan, "requests": requests}), {})

    async def timezones(self, request: Request) -> Response:
        if refused := self._admit(request, "timezone", {}):
            return refused
        names = ["Africa/Cairo", "America/New_York", "Europe/London", "Europe/Madrid", "UTC"]
        return answer(envelope("timezone", {}, names), self.quota.headers())

    def _key_fits(self, request: Request) -> bool:
        key = request.headers.get("x-apisports-key") or request.headers.get("x-rapidapi-key")
        return key == self.key

    def _admit(self, request: Request, endpoint: str, parameters: Mapping[str, str]) -> Response | None:
        unknown = sorted(set(request.headers.keys()) - _HEADERS)
        if unknown:
            return HTMLResponse(f"<html><body>403 Forbidden: header {unknown[0]}</body></html>", 403)
        if not self._key_fits(request):
            return answer(envelope(endpoint, parameters, [], error("token")), {})
        self.clock.begin()
        if limit := self.quota.spend(self.now()):
            return answer(envelope(endpoint, parameters, [], error(limit)), self.quota.headers())
        return None

    def _polled(self, parameters: Mapping[str, str]) -> tuple[list[Json], list[Fault]]:
        """Fixtures with their events; each that was asked for has had one more poll, even if the answer breaks."""
        seen = [(match, self.clock.poll(match)) for match in self._asked(parameters)]
        embeds = {} if "live" in parameters else _EMBEDS
        items = [item | embeds for match, moment in seen if (item := self._feed(match, moment))]
        faults = [fault for match, moment in seen for fault in _faults(match, moment)]
        return items[::-1], faults

    def _asked(self, parameters: Mapping[str, str]) -> list[Match]:
        if "live" in parameters:
            leagues = parameters["live"].split("-")
            return [match for match in self.scenario.matches if self._is_live(match, leagues)]
        wanted = parameters.get("ids", parameters.get("id", "")).split("-")
        return [match for match in self.scenario.matches if str(match.id) in wanted]

    def _is_live(self, match: Match, leagues: list[str]) -> bool:
        item = self._feed(match, self.clock.moment(match))
        asked = leagues == ["all"] or str(match.league.id) in leagues
        return asked and item is not None and item["fixture"]["status"]["short"] in IN_PLAY

    def _listed(self, parameters: Mapping[str, str]) -> tuple[list[Json], list[Fault]]:
        """Fixtures of a day, a league, a team: without events, and no poll for any of them."""
        self.listings += 1
        now = [self._feed(match, self.clock.moment(match)) for match in self.scenario.matches]
        place = zone(parameters.get("timezone", "UTC")) or ZoneInfo("UTC")
        items = _nearest([item for item in now if item and _fits(in_zone(item, place, ""), parameters)], parameters)
        for item in items:
            item.pop("events", None)
        known = self.scenario.listing_faults
        return items, [said.fault for said in known if said.first <= self.listings <= said.last]

    def _feed(self, match: Match, moment: Moment) -> Json | None:
        return feed_at(match, moment, self.clock.announced(match), self.clock.pace)


def _faults(match: Match, moment: Moment) -> list[Fault]:
    course = course_of(match)
    return [said.fault for said in match.faults if course.open(said.window, moment)]


def _wanted(row: Json, parameters: Mapping[str, str]) -> bool:
    return (
        parameters.get("team", str(row["team"]["id"])) == str(row["team"]["id"])
        and parameters.get("player", str(row["player"]["id"])) == str(row["player"]["id"])
        and parameters.get("type", row["type"]).lower() == row["type"].lower()
    )


def _nearest(items: list[Json], parameters: Mapping[str, str]) -> list[Json]:
    """`next` asks for the first fixtures to come, `last` for those that ended last."""
    by_time = sorted(items, key=lambda item: int(item["fixture"]["timestamp"]))
    if "next" in parameters:
        return [item for item in by_time if _status(item) in _TO_COME][: int(parameters["next"])]
    if "last" in parameters:
        return [item for item in by_time if _status(item) in _PLAYED][::-1][: int(parameters["last"])]
    return items


def _status(item: Json) -> str:
    return str(item["fixture"]["status"]["short"])


def _fits(item: Json, parameters: Mapping[str, str]) -> bool:
    day = item["fixture"]["date"][:10]
    teams = {str(item["teams"]["home"]["id"]), str(item["teams"]["away"]["id"])}
    return (
        parameters.get("date", day) == day
        and parameters.get("from", day) <= day <= parameters.get("to", day)
        and parameters.get("league", str(item["league"]["id"])) == str(item["league"]["id"])
        and parameters.get("season", str(item["league"]["season"])) == str(item["league"]["season"])
        and parameters.get("round", item["league"]["round"]) == item["league"]["round"]
        and ("team" not in parameters or parameters["team"] in teams)
        and parameters.get("venue") in (None, str(item["fixture"]["venue"]["id"]))
        and ("status" not in parameters or _status(item) in parameters["status"].split("-"))
    )
