"""API-Football v3, simulated: `/fixtures`, `/fixtures/events`, `/status` and `/timezone`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from found_footy_sim.clock import SimulatedClock
from found_footy_sim.feed.fixture import build_fixture, convert_time_zone, get_timeline
from found_footy_sim.feed.timeline import IN_PLAY_STATUSES, TimelineMoment
from found_footy_sim.script.model import AnswerFault, Scenario, SimulatedMatch
from found_footy_sim.wall_clock import WallClock
from found_footy_sim.wire.api_plans import API_PLANS, ApiPlan
from found_footy_sim.wire.envelope import build_envelope, build_error, json_response, respond_with_faults
from found_footy_sim.wire.parameters import find_errors, parse_zone
from found_footy_sim.wire.quota import RequestQuota

Json = dict[str, Any]

# The edge in front of the API denies requests with headers that it does not know.
_ALLOWED_HEADERS = frozenset(
    {
        "accept",
        "accept-encoding",
        "accept-language",
        "connection",
        "content-length",
        "host",
        "user-agent",
        "x-apisports-key",
        "x-rapidapi-key",
        "x-rapidapi-host",
    }
)
_UPCOMING_STATUSES, _FINISHED_STATUSES = ("TBD", "NS"), ("FT", "AET", "PEN")
_EMBEDDED_LISTS: Json = {"lineups": [], "statistics": [], "players": []}


@dataclass
class SimulatedFootballApi:
    """State of the API: its quota and the number of listings. The clock counts the polls."""

    scenario: Scenario
    clock: SimulatedClock
    key: str
    now: WallClock
    plan: ApiPlan = API_PLANS["pro"]
    quota: RequestQuota = field(init=False)
    listing_count: int = 0

    def __post_init__(self) -> None:
        self.quota = RequestQuota(self.plan.limits or self.scenario.limits)

    def routes(self) -> list[BaseRoute]:
        """At the root like the provider, and below `/v3` like its mirror at RapidAPI."""
        paths = [
            Route("/fixtures", self.get_fixtures),
            Route("/fixtures/events", self.get_events),
            Route("/status", self.get_status),
            Route("/timezone", self.get_timezones),
        ]
        return [*paths, Mount("/v3", routes=list(paths))]

    async def get_fixtures(self, request: Request) -> Response:
        parameters = dict(request.query_params)
        if refused := self._check_request(request, "fixtures", parameters):
            return refused
        if errors := find_errors(parameters) or self.plan.find_errors(parameters, self.now()):
            return json_response(build_envelope("fixtures", parameters, [], errors), self.quota.headers())
        if parameters.keys() & {"id", "ids", "live"}:
            items, faults = self._poll_fixtures(parameters)
        else:
            items, faults = self._list_fixtures(parameters)
        name = parameters.get("timezone", "UTC")
        converted = [convert_time_zone(item, parse_zone(name) or ZoneInfo("UTC"), name) for item in items]
        return await respond_with_faults(
            faults, build_envelope("fixtures", parameters, converted), self.quota.headers()
        )

    async def get_events(self, request: Request) -> Response:
        parameters = dict(request.query_params)
        if refused := self._check_request(request, "fixtures/events", parameters):
            return refused
        fixture = parameters.get("fixture", "")
        if not fixture.isdigit():
            errors = {"fixture": "The Fixture field is required."}
            return json_response(build_envelope("fixtures/events", parameters, [], errors), self.quota.headers())
        match = self.scenario.find_match(int(fixture))
        item = self._build_fixture(match, self.clock.get_moment(match)) if match else None
        rows = [row for row in (item or {}).get("events", []) if _is_requested_row(row, parameters)]
        return json_response(build_envelope("fixtures/events", parameters, rows), self.quota.headers())

    async def get_status(self, request: Request) -> Response:
        """The account. Costs no quota, and has no rate limit headers."""
        if not self._has_valid_key(request):
            return json_response(build_envelope("status", {}, [], build_error("token")), {})
        account = {"firstname": "Simulated", "lastname": "Account", "email": "simulated@example.org"}
        plan = {"plan": self.plan.name, "end": "2027-06-30T23:59:59+00:00", "active": True}
        requests = {"current": self.quota.used_today, "limit_day": self.quota.limits.per_day}
        return json_response(
            build_envelope("status", {}, {"account": account, "subscription": plan, "requests": requests}), {}
        )

    async def get_timezones(self, request: Request) -> Response:
        if refused := self._check_request(request, "timezone", {}):
            return refused
        names = ["Africa/Cairo", "America/New_York", "Europe/London", "Europe/Madrid", "UTC"]
        return json_response(build_envelope("timezone", {}, names), self.quota.headers())

    def _has_valid_key(self, request: Request) -> bool:
        key = request.headers.get("x-apisports-key") or request.headers.get("x-rapidapi-key")
        return key == self.key

    def _check_request(self, request: Request, endpoint: str, parameters: Mapping[str, str]) -> Response | None:
        unknown = sorted(set(request.headers.keys()) - _ALLOWED_HEADERS)
        if unknown:
            return HTMLResponse(f"<html><body>403 Forbidden: header {unknown[0]}</body></html>", 403)
        if not self._has_valid_key(request):
            return json_response(build_envelope(endpoint, parameters, [], build_error("token")), {})
        self.clock.start()
        if limit := self.quota.count_request(self.now()):
            return json_response(build_envelope(endpoint, parameters, [], build_error(limit)), self.quota.headers())
        return None

    def _poll_fixtures(self, parameters: Mapping[str, str]) -> tuple[list[Json], list[AnswerFault]]:
        """Return fixtures with their events, and count one poll of each requested one, even if the response fails."""
        seen = [(match, self.clock.count_poll(match)) for match in self._select_matches(parameters)]
        embeds = {} if "live" in parameters else _EMBEDDED_LISTS
        items = [item | embeds for match, moment in seen if (item := self._build_fixture(match, moment))]
        faults = [fault for match, moment in seen for fault in _list_faults(match, moment)]
        return items[::-1], faults

    def _select_matches(self, parameters: Mapping[str, str]) -> list[SimulatedMatch]:
        if "live" in parameters:
            leagues = parameters["live"].split("-")
            return [match for match in self.scenario.matches if self._is_live(match, leagues)]
        wanted = parameters.get("ids", parameters.get("id", "")).split("-")
        return [match for match in self.scenario.matches if str(match.id) in wanted]

    def _is_live(self, match: SimulatedMatch, leagues: list[str]) -> bool:
        item = self._build_fixture(match, self.clock.get_moment(match))
        asked = leagues == ["all"] or str(match.league.id) in leagues
        return asked and item is not None and item["fixture"]["status"]["short"] in IN_PLAY_STATUSES

    def _list_fixtures(self, parameters: Mapping[str, str]) -> tuple[list[Json], list[AnswerFault]]:
        """Return the fixtures of a day, a league, a team: without events, and without counting a poll."""
        self.listing_count += 1
        now = [self._build_fixture(match, self.clock.get_moment(match)) for match in self.scenario.matches]
        place = parse_zone(parameters.get("timezone", "UTC")) or ZoneInfo("UTC")
        items = _select_nearest(
            [item for item in now if item and _is_requested_fixture(convert_time_zone(item, place, ""), parameters)],
            parameters,
        )
        for item in items:
            item.pop("events", None)
        known = self.scenario.listing_faults
        return items, [
            scheduled.fault for scheduled in known if scheduled.first <= self.listing_count <= scheduled.last
        ]

    def _build_fixture(self, match: SimulatedMatch, moment: TimelineMoment) -> Json | None:
        return build_fixture(match, moment, self.clock.announced_kickoff(match), self.clock.pace)


def _list_faults(match: SimulatedMatch, moment: TimelineMoment) -> list[AnswerFault]:
    course = get_timeline(match)
    return [scheduled.fault for scheduled in match.faults if course.is_open(scheduled.window, moment)]


def _is_requested_row(row: Json, parameters: Mapping[str, str]) -> bool:
    return (
        parameters.get("team", str(row["team"]["id"])) == str(row["team"]["id"])
        and parameters.get("player", str(row["player"]["id"])) == str(row["player"]["id"])
        and parameters.get("type", row["type"]).lower() == row["type"].lower()
    )


def _select_nearest(items: list[Json], parameters: Mapping[str, str]) -> list[Json]:
    """`next` selects the first fixtures to come, `last` those that ended last."""
    by_time = sorted(items, key=lambda item: int(item["fixture"]["timestamp"]))
    if "next" in parameters:
        return [item for item in by_time if _short_status(item) in _UPCOMING_STATUSES][: int(parameters["next"])]
    if "last" in parameters:
        return [item for item in by_time if _short_status(item) in _FINISHED_STATUSES][::-1][: int(parameters["last"])]
    return items


def _short_status(item: Json) -> str:
    return str(item["fixture"]["status"]["short"])


def _is_requested_fixture(item: Json, parameters: Mapping[str, str]) -> bool:
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
        and ("status" not in parameters or _short_status(item) in parameters["status"].split("-"))
    )
