"""What each route needs. A route that stands nowhere here is not served, so that no new one is open by oversight."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from starlette.routing import compile_path

from found_footy.access.levels import AccessLevel


class RouteRule(StrEnum):
    """`VIEW` is open to anybody in public mode. `ORGANIZATION` needs the key of an organization or a session of it,
    `STORE` the secret of an object store: these routes check it themselves.
    """

    PUBLIC = "public"
    VIEW = "viewer"
    CURATE = "curator"
    ADMIN = "admin"
    ORGANIZATION = "organization"
    STORE = "store"

    @property
    def level(self) -> AccessLevel | None:
        """The level that a request needs; None where the route itself decides."""
        return _LEVELS.get(self)


_LEVELS = {
    RouteRule.VIEW: AccessLevel.VIEW,
    RouteRule.CURATE: AccessLevel.CURATE,
    RouteRule.ADMIN: AccessLevel.ADMIN,
}

_GET: Mapping[RouteRule, tuple[str, ...]] = {
    # Without these nobody could sign in, and no supervisor could look after the process.
    RouteRule.PUBLIC: (
        "/static/{name}",
        "/manifest.webmanifest",
        "/worker.js",
        "/healthz",
        "/readyz",
        "/sign-in",
        "/sign-in/oidc",
        "/sign-in/oidc/callback",
        "/welcome/{token}",
        # A share link is what opens them; nothing else under /s needs to be reachable.
        "/s/static/{name}",
        "/s/{token}",
        "/s/{token}/{clip_id}.mp4",
        "/s/{token}/{clip_id}.jpg",
    ),
    RouteRule.VIEW: (
        "/",
        "/api/openapi.json",
        "/fragments/matches",
        "/fragments/newest",
        "/fragments/{part}/{fixture_id}",
        "/fragments/days/{day}",
        "/matches/{fixture_id}",
        "/days/{day}",
        "/goals/{event_id}",
        "/goals/{event_id}/compare",
        "/oembed",
        "/reel",
        "/search",
        "/teams/{team_id}",
        "/players/{player_id}",
        "/stats",
        "/sources",
        "/health",
        "/events",
        "/clips/{clip_id}.mp4",
        "/clips/{clip_id}/download",
        "/goals/{event_id}/angles.zip",
        "/media/{key:path}",
        "/api/v1/matches",
        "/api/v1/matches/{fixture_id}",
        "/api/v1/goals/{event_id}",
        "/api/v1/goals/{event_id}/evidence",
        "/api/v1/clips/{clip_id}",
        "/api/v1/days",
        "/api/v1/days/{day}",
        "/api/v1/search",
        "/api/v1/teams/{team_id}",
        "/api/v1/players/{player_id}",
        "/api/v1/stats",
        "/api/v1/sources",
        "/api/v1/health",
        "/api/v1/status",
        "/feeds/goals.{feed_format}",
        "/feeds/search.{feed_format}",
        "/feeds/matches.ics",
        "/feeds/{scope}/{subject_id}/goals.{feed_format}",
        "/feeds/{scope}/{subject_id}/matches.ics",
    ),
    RouteRule.CURATE: ("/operator/lab",),
    RouteRule.ADMIN: (
        "/metrics",
        "/operator",
        "/operator/errors",
        "/operator/notifications",
        "/users",
        "/audit",
        "/api/v1/dead-letters",
    ),
    RouteRule.ORGANIZATION: (
        "/organizations",
        "/organizations/{organization_id}",
        "/organizations/{organization_id}/events",
        "/organizations/{organization_id}/uploads/{name}",
        "/api/v1/organizations/{organization_id}/uploads",
        "/api/v1/organizations/{organization_id}/uploads/{name}",
        "/api/v1/organizations/{organization_id}/uploads/{name}/original",
        "/api/v1/organizations/{organization_id}/uploads/{name}/preview",
    ),
}
_SIGNED_IN_GET = ("/account",)
_POST: Mapping[RouteRule, tuple[str, ...]] = {
    RouteRule.PUBLIC: ("/sign-in", "/welcome/{token}"),
    RouteRule.CURATE: ("/goals/{event_id}/curate", "/goals/{event_id}/share", "/api/v1/goals/{event_id}/clips"),
    RouteRule.ADMIN: (
        "/operator/replay",
        "/operator/errors/retry",
        "/operator/errors/dismiss",
        "/operator/notifications/test",
        "/operator/notifications/subscribe",
        "/operator/notifications/unsubscribe",
        "/api/v1/dead-letters/replay",
        "/users/add",
        "/users/role",
        "/users/link",
        "/users/remove",
        "/users/keys/revoke",
        "/users/shares/revoke",
    ),
    RouteRule.ORGANIZATION: (
        "/organizations",
        "/organizations/{organization_id}/retry",
        "/organizations/{organization_id}/delete",
        "/organizations/{organization_id}/sign-out",
        "/api/v1/organizations/{organization_id}/uploads/{name}/retry",
        "/api/v1/organizations/{organization_id}/uploads/{name}/presigned",
    ),
    RouteRule.STORE: ("/api/v1/notifications/objects",),
}
_SIGNED_IN_POST = (
    "/sign-out",
    "/account/password",
    "/account/sessions/end",
    "/account/keys/add",
    "/account/keys/revoke",
    "/account/shares/revoke",
)
_OTHER = (
    ("PUT", "/api/v1/organizations/{organization_id}/uploads/{name:path}", RouteRule.ORGANIZATION),
    ("DELETE", "/api/v1/organizations/{organization_id}/uploads/{name}", RouteRule.ORGANIZATION),
)


@dataclass(frozen=True)
class RouteAccess:
    """`needs_user`: somebody who is signed in, whatever the role and also in public mode."""

    rule: RouteRule
    needs_user: bool = False


def _list_rules() -> dict[tuple[str, str], RouteAccess]:
    rules = {
        (method, path): RouteAccess(rule)
        for method, table in (("GET", _GET), ("POST", _POST))
        for rule, paths in table.items()
        for path in paths
    }
    rules |= {("GET", path): RouteAccess(RouteRule.VIEW, needs_user=True) for path in _SIGNED_IN_GET}
    rules |= {("POST", path): RouteAccess(RouteRule.VIEW, needs_user=True) for path in _SIGNED_IN_POST}
    return rules | {(method, path): RouteAccess(rule) for method, path, rule in _OTHER}


ROUTE_RULES = _list_rules()


@dataclass(frozen=True)
class MissingRoute:
    """No route of this method; `allowed` are the methods of the path, none if there is no such path."""

    allowed: tuple[str, ...]


class RouteTable:
    """Finds what a request needs by its method and path. HEAD needs what GET needs."""

    def __init__(self, rules: Mapping[tuple[str, str], RouteAccess]) -> None:
        self._plain: dict[str, dict[str, RouteAccess]] = defaultdict(dict)
        self._patterns: dict[str, list[tuple[re.Pattern[str], str, RouteAccess]]] = defaultdict(list)
        for (method, path), access in rules.items():
            if "{" in path:
                self._patterns[_first_segment(path)].append((compile_path(path)[0], method, access))
            else:
                self._plain[path][method] = access

    def find(self, method: str, path: str) -> RouteAccess | MissingRoute:
        """Where several routes match, the strictest counts."""
        found = dict(self._plain.get(path, {}))
        for pattern, of_method, access in self._patterns.get(_first_segment(path), ()):
            if pattern.match(path):
                before = found.get(of_method)
                found[of_method] = access if before is None or _is_stricter(access, before) else before
        wanted = "GET" if method == "HEAD" else method
        return found[wanted] if wanted in found else MissingRoute(tuple(sorted(found)))

    def has_path(self, path: str) -> bool:
        access = self.find("GET", path)
        return isinstance(access, RouteAccess) or bool(access.allowed)


def _first_segment(path: str) -> str:
    return path.split("/", 2)[1] if path.startswith("/") else ""


def _is_stricter(one: RouteAccess, other: RouteAccess) -> bool:
    return (one.rule.level or AccessLevel.NOTHING) > (other.rule.level or AccessLevel.NOTHING)


ROUTE_TABLE = RouteTable(ROUTE_RULES)
